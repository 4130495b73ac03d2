/* localStorage that may be full, forbidden or absent: then things are forgotten, nothing breaks. */
export interface Store {
  readonly length: number
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
  key(index: number): string | null
}

export function browserStore(): Store | null {
  try {
    return globalThis.localStorage ?? null
  } catch {
    return null
  }
}

export function readKey(store: Store | null, key: string): string | null {
  try {
    return store?.getItem(key) ?? null
  } catch {
    return null
  }
}

/* False when it could not be kept. */
export function writeKey(store: Store | null, key: string, value: string): boolean {
  try {
    if (!store) return false
    store.setItem(key, value)
    return true
  } catch {
    return false
  }
}

export function removeKey(store: Store | null, key: string): void {
  try {
    store?.removeItem(key)
  } catch {
    /* Nothing was kept, so nothing has to go. */
  }
}

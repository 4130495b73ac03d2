/* Reading something for a page: the value, the error, and whether it is under way. */
import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { asApiError, type ApiError } from '../api/errors'

export interface Loaded<T> {
  value: ShallowRef<T | null>
  error: ShallowRef<ApiError | null>
  busy: Ref<boolean>
  /* Reads again; an answer that a newer reading has overtaken is dropped. */
  load(): Promise<void>
}

export function useLoad<T>(read: () => Promise<T>): Loaded<T> {
  const value = shallowRef<T | null>(null)
  const error = shallowRef<ApiError | null>(null)
  const busy = ref(false)
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    busy.value = true
    try {
      const next = await read()
      if (mine !== turn) return
      value.value = next
      error.value = null
    } catch (thrown) {
      if (mine === turn) error.value = asApiError(thrown)
    } finally {
      if (mine === turn) busy.value = false
    }
  }

  return { value, error, busy, load }
}

/* Calls `tick` every `ms` while the window is seen and the component lives. */
export function useEvery(ms: number, tick: () => void): void {
  const timer = window.setInterval(() => {
    if (!document.hidden) tick()
  }, ms)
  onScopeDispose(() => window.clearInterval(timer))
}

/* The current time, renewed every few seconds, for "3 minutes ago". */
export function useNow(ms = 15000): Ref<number> {
  const now = ref(Date.now())
  useEvery(ms, () => (now.value = Date.now()))
  return now
}

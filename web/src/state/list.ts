/* A list that is read page by page. What was read is kept, so that going back shows the list as it
 * was left and the browser finds its scroll position again. */
import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { asApiError, type ApiError } from '../api/errors'
import { user } from './session'

export interface ListPage<T> {
  items: T[]
  next?: string | null
}

export interface PagedList<T> {
  items: ShallowRef<readonly T[]>
  error: ShallowRef<ApiError | null>
  busy: Ref<boolean>
  /* False until the first page came. */
  known: Ref<boolean>
  hasMore: ComputedRef<boolean>
  load(): Promise<void>
  more(): Promise<void>
  replace(item: T): void
}

const kept = new Map<string, ListPage<unknown>>()
const KEPT_MAX = 8

function keep(name: string, page: ListPage<unknown>): void {
  kept.delete(name)
  kept.set(name, page)
  const oldest = kept.size > KEPT_MAX ? kept.keys().next().value : undefined
  if (oldest !== undefined) kept.delete(oldest)
}

/* `name` tells apart lists of different contents; `read` gets the cursor of the wanted page. */
export function usePagedList<T extends { id: number }>(
  name: () => string,
  read: (cursor: string | undefined) => Promise<ListPage<T>>,
): PagedList<T> {
  const fullName = (): string => `${user.value?.id ?? 0} ${name()}`
  const first = kept.get(fullName()) as ListPage<T> | undefined
  const items = shallowRef<readonly T[]>(first?.items ?? [])
  const next = ref(first?.next ?? null)
  const known = ref(first !== undefined)
  const error = shallowRef<ApiError | null>(null)
  const busy = ref(false)
  let turn = 0

  async function run(cursor: string | undefined, place: (page: ListPage<T>) => void): Promise<void> {
    const mine = ++turn
    const key = fullName()
    busy.value = true
    try {
      const page = await read(cursor)
      if (mine !== turn) return
      place(page)
      error.value = null
      known.value = true
      keep(key, { items: [...items.value], next: next.value })
    } catch (thrown) {
      if (mine === turn) error.value = asApiError(thrown)
    } finally {
      if (mine === turn) busy.value = false
    }
  }

  /* The pages beyond the first stay if the first still joins them. */
  function placeFirst(page: ListPage<T>): void {
    const last = page.items.at(-1)
    const joint = last ? items.value.findIndex((item) => item.id === last.id) : -1
    const rest = joint >= 0 && page.next ? items.value.slice(joint + 1) : []
    if (rest.length === 0) next.value = page.next ?? null
    items.value = [...page.items, ...rest]
  }

  function placeMore(page: ListPage<T>): void {
    const seen = new Set(items.value.map((item) => item.id))
    items.value = [...items.value, ...page.items.filter((item) => !seen.has(item.id))]
    next.value = page.next ?? null
  }

  return {
    items,
    error,
    busy,
    known,
    hasMore: computed(() => next.value !== null),
    load: () => run(undefined, placeFirst),
    more: () => (next.value === null ? Promise.resolve() : run(next.value, placeMore)),
    replace(item) {
      items.value = items.value.map((old) => (old.id === item.id ? item : old))
    },
  }
}

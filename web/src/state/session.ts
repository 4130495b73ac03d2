/* Who is signed in. `undefined` until the server was asked. */
import { computed, ref } from 'vue'
import { api, ask } from '../api/client'
import { asApiError } from '../api/errors'
import type { SessionUser } from '../api/types'

export const user = ref<SessionUser | null | undefined>(undefined)
export const isStaff = computed(() => user.value?.role === 'teacher' || user.value?.role === 'admin')
export const isAdmin = computed(() => user.value?.role === 'admin')

/* Asks the server once; a later call answers from memory. Throws when the server can't say. */
export async function knownUser(): Promise<SessionUser | null> {
  if (user.value !== undefined) return user.value
  try {
    user.value = (await ask(api.GET('/api/v1/session'))).user
  } catch (thrown) {
    if (asApiError(thrown).status !== 401) throw thrown
    user.value = null
  }
  return user.value
}

export async function signIn(username: string, password: string): Promise<void> {
  user.value = (await ask(api.POST('/api/v1/session', { body: { username, password } }))).user
}

export async function signOut(): Promise<void> {
  try {
    await ask(api.DELETE('/api/v1/session'))
  } catch (thrown) {
    if (asApiError(thrown).status !== 401) throw thrown
  }
  user.value = null
}

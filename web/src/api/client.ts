/* The typed client of the contract. `ask` turns every failure into a thrown ApiError. */
import createClient from 'openapi-fetch'
import { apiError, asApiError } from './errors'
import type { paths } from './schema'

export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' })

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

type OnNoSession = () => void
let onNoSession: OnNoSession = () => undefined

/* Called when an answer says that the session is over. */
export function whenNoSession(listener: OnNoSession): void {
  onNoSession = listener
}

export async function ask<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await request
  } catch (thrown) {
    throw asApiError(thrown)
  }
  if (answer.response.ok) return answer.data as T
  const error = apiError(answer.response, answer.error)
  if (error.code === 'no_session') onNoSession()
  throw error
}

/* Handing in: one attempt, sent again under the same key while no answer comes. */
import { api, ask } from '../api/client'
import { asApiError, type ApiError } from '../api/errors'
import type { Submission } from '../api/types'

export interface Attempt {
  key: string
  problemId: number
  language: string
  source: string
}

/* Answers in a zip, to a problem that takes answers alone. */
export interface ZipAttempt {
  key: string
  problemId: number
  zip: Blob
}

/* What the outside is, so that tests can stand in for it. */
export interface SubmitWorld<A = Attempt> {
  send(attempt: A): Promise<Submission>
  wait(ms: number): Promise<void>
}

const WAITS_MS = [800, 2000, 4000]
const RETRY_AFTER_S_MAX = 5

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const browserWorld: SubmitWorld = {
  send: ({ key, problemId, language, source }) =>
    ask(
      api.POST('/api/v1/submissions', {
        params: { header: { 'Idempotency-Key': key } },
        body: { problemId, language, source },
      }),
    ),
  wait: sleep,
}

const zipWorld: SubmitWorld<ZipAttempt> = {
  send: ({ key, problemId, zip }) =>
    ask(
      api.POST('/api/v1/problems/{id}/answers', {
        params: { path: { id: problemId }, header: { 'Idempotency-Key': key } },
        headers: { 'Content-Type': 'application/zip' },
        /* The contract's type of bytes is a string. */
        body: zip as unknown as string,
        bodySerializer: (body: unknown) => body as Blob,
      }),
    ),
  wait: sleep,
}

/* Too many requests are the user's to slow down; no answer, or "busy", is ours to bridge. */
function worthRepeating(error: ApiError): boolean {
  return error.passing && error.status !== 429
}

function waitMs(error: ApiError, turn: number): number {
  const after = error.retryAfterS
  if (after !== null && after <= RETRY_AFTER_S_MAX) return after * 1000
  return WAITS_MS[turn]!
}

/* Resolves with what the server stored; throws the last ApiError. */
export function handIn(
  attempt: Attempt,
  onRetry: (turn: number) => void,
  world: SubmitWorld = browserWorld,
): Promise<Submission> {
  return sendUntilAnswered(attempt, onRetry, world)
}

export function handInZip(attempt: ZipAttempt, onRetry: (turn: number) => void): Promise<Submission> {
  return sendUntilAnswered(attempt, onRetry, zipWorld)
}

async function sendUntilAnswered<A>(
  attempt: A,
  onRetry: (turn: number) => void,
  world: SubmitWorld<A>,
): Promise<Submission> {
  for (let turn = 0; ; turn++) {
    try {
      return await world.send(attempt)
    } catch (thrown) {
      const error = asApiError(thrown)
      if (turn >= WAITS_MS.length || !worthRepeating(error)) throw error
      onRetry(turn + 1)
      await world.wait(waitMs(error, turn))
    }
  }
}

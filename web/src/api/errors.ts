/* One shape for everything that can go wrong between a page and the server. */
import type { ErrorCode, FieldError, ProblemBody } from './types'

/* `network`: no answer came. `unreadable`: an answer that is not the server's own. */
export type FaultCode = ErrorCode | 'network' | 'unreadable'

export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly detail: string
  readonly traceId: string
  readonly fields: readonly FieldError[]
  readonly retryAfterS: number | null

  constructor(code: string, status: number, body: Partial<ProblemBody>, retryAfterS: number | null) {
    super(`${code} (${status})`)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.detail = body.detail ?? ''
    this.traceId = body.traceId ?? ''
    this.fields = Array.isArray(body.errors) ? body.errors : []
    this.retryAfterS = retryAfterS
  }

  /* Whether the same request may succeed a little later. */
  get passing(): boolean {
    return this.code === 'network' || this.status === 429 || this.status >= 502
  }
}

function retryAfter(headers: Headers): number | null {
  const seconds = Number(headers.get('Retry-After') ?? '')
  return Number.isInteger(seconds) && seconds > 0 ? seconds : null
}

/* What an answer with an error status means. `body` is whatever was parsed of it. */
export function apiError(response: { status: number; headers: Headers }, body: unknown): ApiError {
  const after = retryAfter(response.headers)
  const problem = body as Partial<ProblemBody> | null
  if (typeof problem === 'object' && problem !== null && typeof problem.code === 'string') {
    return new ApiError(problem.code, response.status, problem, after)
  }
  /* A proxy in between answers in its own words. */
  const code = response.status >= 502 ? 'network' : 'unreadable'
  return new ApiError(code, response.status, {}, after)
}

export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError('network', 0, { detail: thrown instanceof Error ? thrown.message : '' }, null)
}

import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, whenNoSession } from '../src/api/client'
import { ApiError, apiError, asApiError } from '../src/api/errors'
import { errorText, fieldText, reasonText, standingOf, standingText } from '../src/text/words'

function answer(status: number, headers: Record<string, string> = {}) {
  return { status, headers: new Headers(headers) }
}

const problem = {
  type: 'about:blank',
  title: 'Bad Request',
  status: 400,
  code: 'bad_field',
  detail: 'slots: too many',
  traceId: 'trace_0_1234abcd',
  errors: [{ field: 'slots', message: 'At most 64.' }],
}

describe('an error answer', () => {
  it('keeps its code, trace id and field errors', () => {
    const error = apiError(answer(400), problem)
    expect(error.code).toBe('bad_field')
    expect(error.traceId).toBe('trace_0_1234abcd')
    expect(fieldText(error, 'slots')).toBe('At most 64.')
    expect(fieldText(error, 'name')).toBe('')
  })

  it('that a proxy wrote counts as no answer when it says that the server is away', () => {
    expect(apiError(answer(502), '<html>Bad gateway</html>').code).toBe('network')
    expect(apiError(answer(404), undefined).code).toBe('unreadable')
  })

  it('tells how long to wait', () => {
    expect(apiError(answer(429, { 'Retry-After': '7' }), problem).retryAfterS).toBe(7)
    expect(apiError(answer(429, { 'Retry-After': 'soon' }), problem).retryAfterS).toBeNull()
  })

  it('may pass only where the same request can still succeed', () => {
    expect(apiError(answer(503), { ...problem, code: 'busy' }).passing).toBe(true)
    expect(apiError(answer(429), { ...problem, code: 'too_many_requests' }).passing).toBe(true)
    expect(asApiError(new TypeError('Failed to fetch')).passing).toBe(true)
    expect(apiError(answer(422), { ...problem, code: 'idempotency_mismatch' }).passing).toBe(false)
    expect(apiError(answer(500), { ...problem, code: 'internal' }).passing).toBe(false)
  })
})

describe('the words for an error', () => {
  it('are the reader’s by code, not the server’s', () => {
    const error = apiError(answer(401), { ...problem, code: 'bad_credentials' })
    expect(errorText(error, 'zh-CN')).toBe('用户名或密码不正确。')
  })

  it('are the server’s for a code that this page does not know', () => {
    const error = apiError(answer(409), { ...problem, code: 'from_the_future' })
    expect(errorText(error, 'en')).toBe('slots: too many')
    expect(errorText(new ApiError('from_the_future', 409, {}, null), 'en')).toBe('from_the_future (409)')
  })

  it('never come from the prototype of the dictionary', () => {
    const error = new ApiError('toString', 400, { detail: 'odd' }, null)
    expect(errorText(error, 'en')).toBe('odd')
  })
})

describe('asking the server', () => {
  afterEach(() => whenNoSession(() => undefined))

  it('gives the data of a good answer', async () => {
    const response = new Response('{}', { status: 200 })
    await expect(ask(Promise.resolve({ data: { n: 1 }, response }))).resolves.toEqual({ n: 1 })
  })

  it('throws one kind of error, whatever happened', async () => {
    await expect(ask(Promise.reject(new TypeError('x')))).rejects.toBeInstanceOf(ApiError)
    const response = new Response('', { status: 400 })
    await expect(ask(Promise.resolve({ error: problem, response }))).rejects.toMatchObject({
      code: 'bad_field',
    })
  })

  it('says when the session is over', async () => {
    const over = vi.fn()
    whenNoSession(over)
    const response = new Response('', { status: 401 })
    const wrong = { ...problem, code: 'bad_credentials' }
    await ask(Promise.resolve({ error: wrong, response })).catch(() => undefined)
    expect(over).not.toHaveBeenCalled()
    const gone = { ...problem, code: 'no_session' }
    await ask(Promise.resolve({ error: gone, response })).catch(() => undefined)
    expect(over).toHaveBeenCalledOnce()
  })
})

describe('the words for waiting', () => {
  it('say the reason by code and the place where it is known', () => {
    const queued = { code: 'queued', text: 'x', place: 3 }
    expect(reasonText(queued, 'en')).toBe('Number 3 in the queue.')
    expect(reasonText({ ...queued, place: 1 }, 'zh-CN')).toBe('排在队首。')
    expect(reasonText({ ...queued, place: null }, 'en')).toBe('Waiting for a free judge node.')
    expect(reasonText({ ...queued, place: 10001 }, 'en')).toBe('More than 10000 are before it in the queue.')
    expect(reasonText({ ...queued, estimateMs: 4200 }, 'en')).toBe('Number 3 in the queue. About 5 seconds.')
    expect(reasonText({ ...queued, estimateMs: 240000 }, 'zh-CN')).toBe('排在第 3 位。大约还需 4分钟。')
    expect(reasonText({ code: 'backoff', text: 'x', until: '2026-11-30T10:03:11.042Z' }, 'en')).toMatch(/again at .*:11/)
    expect(reasonText({ code: 'no_node', text: 'x' }, 'en')).toContain('No judge node')
  })

  it('are the server’s for a reason that this page does not know', () => {
    expect(reasonText({ code: 'eclipse', text: 'Too dark.' }, 'en')).toBe('Too dark.')
  })
})

describe('how a submission stands', () => {
  const at = { state: 'JUDGING' as const, verdict: null, caseIndex: 4, casesTotal: 9 }

  it('is its state until it is done, then its verdict', () => {
    expect(standingOf(at)).toBe('JUDGING')
    expect(standingText('JUDGING', 'en', at)).toBe('Judging case 4 of 9')
    expect(standingOf({ ...at, state: 'DONE', verdict: 'PARTIAL' })).toBe('PARTIAL')
  })

  it('is our fault where it is done without a verdict', () => {
    expect(standingOf({ ...at, state: 'DONE' })).toBe('SYSTEM_ERROR')
  })
})

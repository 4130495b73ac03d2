import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../src/api/errors'
import { handIn, type Attempt } from '../src/state/submit'
import { aSubmission } from './make'

const attempt: Attempt = { key: 'k', problemId: 1, language: 'cpp', source: 'x' }
const away = new ApiError('network', 0, {}, null)

function worldOf(...answers: (ApiError | 'ok')[]) {
  const waits: number[] = []
  const send = vi.fn(async (_attempt: Attempt) => {
    const next = answers.shift()
    if (next === 'ok') return aSubmission()
    throw next
  })
  const wait = async (ms: number): Promise<void> => void waits.push(ms)
  return { send, wait, waits }
}

describe('handing in', () => {
  it('repeats the very same attempt while no answer comes', async () => {
    const world = worldOf(away, away, 'ok')
    const turns: number[] = []
    await expect(handIn(attempt, (turn) => turns.push(turn), world)).resolves.toMatchObject({ id: 12 })
    expect(world.send.mock.calls.map(([sent]) => sent)).toEqual([attempt, attempt, attempt])
    expect(turns).toEqual([1, 2])
    expect(world.waits[0]).toBeLessThan(world.waits[1]!)
  })

  it('gives up after some tries and says why', async () => {
    const world = worldOf(away, away, away, away, 'ok')
    await expect(handIn(attempt, () => undefined, world)).rejects.toBe(away)
    expect(world.send).toHaveBeenCalledTimes(4)
  })

  it('does not repeat what was refused', async () => {
    for (const [code, status] of [['empty_source', 400], ['no_session', 401], ['too_many_requests', 429]] as const) {
      const refused = new ApiError(code, status, {}, null)
      const world = worldOf(refused, 'ok')
      await expect(handIn(attempt, () => undefined, world)).rejects.toBe(refused)
    }
  })

  it('waits as long as a busy server asks, if that is not long', async () => {
    const world = worldOf(new ApiError('busy', 503, {}, 3), new ApiError('busy', 503, {}, 600), 'ok')
    await handIn(attempt, () => undefined, world)
    expect(world.waits[0]).toBe(3000)
    expect(world.waits[1]).toBeLessThan(10000)
  })
})

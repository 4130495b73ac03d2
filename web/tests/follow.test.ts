import { describe, expect, it } from 'vitest'
import { ApiError } from '../src/api/errors'
import type { Submission } from '../src/api/types'
import { follow, type Channel, type EventSourceLike } from '../src/live/follow'
import type { LiveEvent } from '../src/live/submission'
import { aCase, aSubmission } from './make'

class FakeStream implements EventSourceLike {
  readyState = 1
  onerror: ((event: Event) => unknown) | null = null
  private readonly listeners = new Map<string, (event: MessageEvent<string>) => void>()

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.listeners.set(type, listener)
  }

  close(): void {
    this.readyState = 2
  }

  send(type: string, data: unknown): void {
    this.listeners.get(type)!({ data: JSON.stringify(data) } as MessageEvent<string>)
  }

  fail(closed: boolean): void {
    if (closed) this.readyState = 2
    this.onerror?.(new Event('error'))
  }
}

/* Timers that run when the test says so. */
function setUp(withStream: boolean, answers: (Submission | ApiError)[] = []) {
  const stream = new FakeStream()
  const timers = new Map<number, { run: () => void; ms: number }>()
  const events: LiveEvent[] = []
  const channels: (Channel | null)[] = []
  let nextTimer = 1
  let reads = 0
  const world = {
    openStream: () => (withStream ? stream : null),
    read: async () => {
      reads++
      const next = answers.shift() ?? aSubmission()
      if (next instanceof ApiError) throw next
      return next
    },
    setTimer: (run: () => void, ms: number) => {
      timers.set(nextTimer, { run, ms })
      return nextTimer++
    },
    clearTimer: (timer: number) => void timers.delete(timer),
  }
  const follower = {
    onEvent: (event: LiveEvent) => void events.push(event),
    onChannel: (channel: Channel | null) => void channels.push(channel),
  }
  const end = follow(12, follower, world)
  async function tick(): Promise<number> {
    const [timer, { run, ms }] = [...timers][0]!
    timers.delete(timer)
    run()
    await new Promise((resolve) => setTimeout(resolve))
    return ms
  }
  return { stream, timers, events, channels, end, tick, reads: () => reads }
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
const done = aSubmission({ state: 'DONE', verdict: 'ACCEPTED' })

describe('following by a stream', () => {
  it('passes on what comes and ends with the verdict', () => {
    const { stream, events, channels, timers } = setUp(true)
    stream.send('state', { state: 'COMPILING', reason: null, caseIndex: null, casesTotal: 3 })
    stream.send('case', aCase(1))
    stream.send('verdict', done)
    expect(events.map((event) => event.kind)).toEqual(['state', 'case', 'verdict'])
    expect(channels).toEqual(['stream', null])
    expect(stream.readyState).toBe(2)
    expect(timers.size).toBe(0)
  })

  it('lets the browser connect again, and polls only when that does not help', async () => {
    const { stream, channels } = setUp(true)
    stream.fail(false)
    stream.fail(false)
    expect(channels).toEqual(['stream'])
    stream.fail(false)
    await settle()
    expect(channels).toEqual(['stream', 'poll'])
    expect(stream.readyState).toBe(2)
  })

  it('counts faults anew after a message', () => {
    const { stream, channels } = setUp(true)
    for (let i = 0; i < 5; i++) {
      stream.fail(false)
      stream.send('case', aCase(i + 1))
    }
    expect(channels).toEqual(['stream'])
  })

  it('polls at once when the server refuses the stream', async () => {
    const { stream, channels, reads } = setUp(true)
    stream.fail(true)
    await settle()
    expect(channels).toEqual(['stream', 'poll'])
    expect(reads()).toBe(1)
  })

  it('asks once when an open stream stays silent, and finds a verdict that way', async () => {
    const { tick, events, channels, stream } = setUp(true, [aSubmission(), done])
    const first = await tick()
    const second = await tick()
    expect(second).toBeGreaterThan(first)
    expect(events.map((event) => event.kind)).toEqual(['snapshot', 'snapshot'])
    expect(channels).toEqual(['stream', null])
    expect(stream.readyState).toBe(2)
  })

  it('says nothing any more once it was ended', () => {
    const { stream, events, end, timers } = setUp(true)
    end()
    stream.send('case', aCase(1))
    stream.fail(true)
    expect(events).toEqual([])
    expect(timers.size).toBe(0)
  })
})

describe('following by asking', () => {
  it('slows down, and ends with the verdict', async () => {
    const { tick, channels } = setUp(false, [aSubmission(), aSubmission(), aSubmission(), done])
    await settle()
    const waits = [await tick(), await tick(), await tick()]
    expect(waits[0]).toBeLessThan(waits[2]!)
    expect(channels.at(-1)).toBeNull()
  })

  it('goes on while the server is away', async () => {
    const away = new ApiError('network', 0, {}, null)
    const { tick, channels, events } = setUp(false, [away, away, done])
    await settle()
    await tick()
    await tick()
    expect(events.map((event) => event.kind)).toEqual(['snapshot'])
    expect(channels.at(-1)).toBeNull()
  })

  it('ends when the submission can not be seen any more', async () => {
    const { channels, timers } = setUp(false, [new ApiError('no_submission', 404, {}, null)])
    await settle()
    expect(channels.at(-1)).toBeNull()
    expect(timers.size).toBe(0)
  })
})

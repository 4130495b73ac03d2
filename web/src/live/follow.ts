/* Follows a submission to its verdict: by server-sent events, and by asking again and again where
 * these don't come through (a proxy that buffers, a browser without streams). */
import { api, ask } from '../api/client'
import { asApiError } from '../api/errors'
import type { CaseResult, StateEvent, Submission } from '../api/types'
import type { LiveEvent } from './submission'

export type Channel = 'stream' | 'poll'

export interface Follower {
  onEvent(event: LiveEvent): void
  /* How the news comes; `null` when the following is over. */
  onChannel(channel: Channel | null): void
}

/* What the outside is, so that tests can stand in for it. */
export interface FollowWorld {
  openStream(id: number): EventSourceLike | null
  read(id: number): Promise<Submission>
  setTimer(run: () => void, ms: number): number
  clearTimer(timer: number): void
}

export interface EventSourceLike {
  readonly readyState: number
  onerror: ((event: Event) => unknown) | null
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void
  close(): void
}

/* Until the first message, and between messages. */
const FIRST_SILENCE_MS = 5000
const SILENCE_MS = 20000
const POLL_FIRST_MS = 700
const POLL_MAX_MS = 3000
const STREAM_FAULTS_MAX = 3
const CLOSED = 2

const browserWorld: FollowWorld = {
  openStream: (id) =>
    typeof EventSource === 'undefined' ? null : new EventSource(`/api/v1/submissions/${id}/events`),
  read: (id) => ask(api.GET('/api/v1/submissions/{id}', { params: { path: { id } } })),
  setTimer: (run, ms) => window.setTimeout(run, ms),
  clearTimer: (timer) => window.clearTimeout(timer),
}

class Following {
  private stream: EventSourceLike | null = null
  private timer = 0
  private faults = 0
  private heard = false
  private over = false
  private pollMs = POLL_FIRST_MS

  constructor(
    private readonly id: number,
    private readonly follower: Follower,
    private readonly world: FollowWorld,
  ) {}

  start(): void {
    this.stream = this.world.openStream(this.id)
    if (!this.stream) {
      this.poll()
      return
    }
    this.follower.onChannel('stream')
    this.listen(this.stream)
    this.awaitNews()
  }

  stop(): void {
    if (this.over) return
    this.over = true
    this.stream?.close()
    this.world.clearTimer(this.timer)
    this.follower.onChannel(null)
  }

  private listen(stream: EventSourceLike): void {
    const on = <T>(type: string, take: (data: T) => void): void => {
      stream.addEventListener(type, (event) => {
        if (this.over) return
        this.faults = 0
        this.heard = true
        this.awaitNews()
        take(JSON.parse(event.data) as T)
      })
    }
    on<StateEvent>('state', (data) => this.follower.onEvent({ kind: 'state', data }))
    on<CaseResult>('case', (data) => this.follower.onEvent({ kind: 'case', data }))
    on<Submission>('verdict', (data) => {
      this.follower.onEvent({ kind: 'verdict', data })
      this.stop()
    })
    stream.onerror = () => this.onStreamFault(stream)
  }

  /* The browser connects again by itself unless the answer was an error. */
  private onStreamFault(stream: EventSourceLike): void {
    if (this.over) return
    this.faults++
    if (stream.readyState !== CLOSED && this.faults < STREAM_FAULTS_MAX) return
    stream.close()
    this.stream = null
    this.poll()
  }

  /* A stream may be open and yet bring nothing; then one question tells whether something is
   * being missed. */
  private awaitNews(): void {
    this.world.clearTimer(this.timer)
    const ms = this.heard ? SILENCE_MS : FIRST_SILENCE_MS
    this.timer = this.world.setTimer(() => void this.readOnce().then(() => this.rest()), ms)
  }

  private rest(): void {
    if (this.over || !this.stream) return
    this.heard = true
    this.awaitNews()
  }

  private poll(): void {
    if (this.over) return
    this.follower.onChannel('poll')
    this.world.clearTimer(this.timer)
    void this.readOnce().then(() => {
      if (this.over) return
      this.timer = this.world.setTimer(() => this.poll(), this.pollMs)
      this.pollMs = Math.min(this.pollMs * 1.5, POLL_MAX_MS)
    })
  }

  private async readOnce(): Promise<void> {
    try {
      const data = await this.world.read(this.id)
      if (this.over) return
      this.follower.onEvent({ kind: 'snapshot', data })
      if (data.state === 'DONE') this.stop()
    } catch (thrown) {
      /* Gone or forbidden stays so; everything else may pass. */
      const { status } = asApiError(thrown)
      if (status === 401 || status === 403 || status === 404) this.stop()
    }
  }
}

/* Begins to follow; the function that is returned ends it. */
export function follow(id: number, follower: Follower, world = browserWorld): () => void {
  const following = new Following(id, follower, world)
  following.start()
  return () => following.stop()
}

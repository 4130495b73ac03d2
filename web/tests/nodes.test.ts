import { describe, expect, it } from 'vitest'
import type { Judger } from '../src/api/types'
import { nodeTone, nodeTrouble } from '../src/text/nodes'

const node: Judger = {
  id: 1,
  name: 'n1',
  pool: 'cpp',
  runtimeSpec: 'default',
  slots: 2,
  busySlots: 0,
  configState: 'ENABLED',
  observedState: 'ONLINE',
  lastHeartbeatAt: null,
  sessionEpoch: 1,
  languages: [],
  version: null,
  revision: 1,
  message: null,
  hostGroup: null,
  baseUrl: null,
  selfTestPassed: true,
  checkWaiting: false,
  speedPermille: 0,
  hasCredential: true,
}

describe('what keeps a node from work', () => {
  it('is nothing when the server says nothing', () => {
    expect(nodeTrouble(node)).toBeNull()
  })

  it.each<[Partial<Judger>, string]>([
    [{ configState: 'PENDING', sessionEpoch: 0 }, 'notEnabled'],
    [{ configState: 'DRAINING' }, 'draining'],
    [{ configState: 'DISABLED' }, 'disabled'],
    [{ sessionEpoch: 0 }, 'notConnected'],
    [{ selfTestPassed: false, checkWaiting: true }, 'testWaiting'],
    [{ selfTestPassed: false }, 'testFailed'],
    [{ observedState: 'OFFLINE' }, 'silent'],
    [{}, 'held'],
  ])('%o is %s', (differs, what) => {
    expect(nodeTrouble({ ...node, message: 'why', ...differs })).toEqual({ what, detail: '' })
  })

  it('keeps what was said after the colon, colons and all', () => {
    const message = 'it took itself out of service: disk: full'
    expect(nodeTrouble({ ...node, selfTestPassed: false, message })?.detail).toBe('disk: full')
  })

  it('colours a node by what is wanted of it, an enabled one by what is seen', () => {
    expect(nodeTone({ ...node, observedState: 'OFFLINE' })).toBe('tone-bad')
    expect(nodeTone({ ...node, configState: 'DRAINING', observedState: 'OFFLINE' })).toBe('tone-warn')
  })
})

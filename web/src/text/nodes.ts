/* How a judge node stands, from what the server says of it. */
import type { Judger, JudgerConfigState } from '../api/types'

export const configTones: Record<JudgerConfigState, string> = {
  PENDING: 'tone-live',
  ENABLED: 'tone-ok',
  DRAINING: 'tone-warn',
  DISABLED: 'tone-plain',
}
export const observedTones: Record<Judger['observedState'], string> = {
  ONLINE: 'tone-ok',
  BUSY: 'tone-live',
  OFFLINE: 'tone-bad',
  NEVER_SEEN: 'tone-plain',
}

export function nodeTone(one: Judger): string {
  return one.configState === 'ENABLED' ? observedTones[one.observedState] : configTones[one.configState]
}

export type NodeTrouble = 'notEnabled' | 'draining' | 'disabled' | 'notConnected' | 'testWaiting' | 'testFailed' | 'silent' | 'held'

/* Why it gets no jobs, in the order in which the server looks; null when it does. What the server
 * adds after the colon (a program's words, a reason that the node gave) is in `detail`. */
export function nodeTrouble(one: Judger): { what: NodeTrouble; detail: string } | null {
  if (!one.message) return null
  const colon = one.message.indexOf(': ')
  const detail = colon < 0 ? '' : one.message.slice(colon + 2)
  return { what: troubleOf(one), detail }
}

function troubleOf(one: Judger): NodeTrouble {
  if (one.configState === 'PENDING') return 'notEnabled'
  if (one.configState === 'DRAINING') return 'draining'
  if (one.configState === 'DISABLED') return 'disabled'
  if (one.sessionEpoch === 0) return 'notConnected'
  if (!one.selfTestPassed) return one.checkWaiting ? 'testWaiting' : 'testFailed'
  return one.observedState === 'OFFLINE' || one.observedState === 'NEVER_SEEN' ? 'silent' : 'held'
}

/* What a page knows about a submission while it is judged, and how each message changes it. */
import type { CaseResult, StateEvent, Submission } from '../api/types'

export type LiveEvent =
  | { kind: 'state'; data: StateEvent }
  | { kind: 'case'; data: CaseResult }
  | { kind: 'verdict'; data: Submission }
  | { kind: 'snapshot'; data: Submission }

const ORDER = { PENDING: 0, COMPILING: 1, JUDGING: 2, DONE: 3 } as const

function withCase(cases: readonly CaseResult[], one: CaseResult): CaseResult[] {
  const rest = cases.filter((other) => other.index !== one.index)
  return [...rest, one].sort((a, b) => a.index - b.index)
}

/* A job that went back to the queue is judged anew: what was seen of the lost run is not true. */
function onState(now: Submission, event: StateEvent): Submission {
  const back = ORDER[event.state] < ORDER[now.state]
  return {
    ...now,
    state: event.state,
    reason: event.reason,
    caseIndex: event.caseIndex,
    casesTotal: event.casesTotal || now.casesTotal,
    cases: back ? [] : now.cases,
  }
}

function onCase(now: Submission, one: CaseResult): Submission {
  const cases = withCase(now.cases, one)
  return {
    ...now,
    state: 'JUDGING',
    reason: null,
    cases,
    caseIndex: Math.max(now.caseIndex ?? 0, one.index),
    casesPassed: cases.filter((c) => c.verdict === 'ACCEPTED').length,
  }
}

/* A poll's answer may be older than what the stream has told. */
function onSnapshot(now: Submission, snapshot: Submission): Submission {
  if (snapshot.state === 'DONE' || snapshot.generation > now.generation) return snapshot
  const known = now.cases.reduce((cases, one) => withCase(cases, one), snapshot.cases)
  return { ...snapshot, cases: snapshot.state === 'JUDGING' ? known : snapshot.cases }
}

export function reduceLive(now: Submission, event: LiveEvent): Submission {
  if (now.state === 'DONE') {
    /* Nothing comes after a verdict but a newer judging. */
    return 'generation' in event.data && event.data.generation > now.generation ? event.data : now
  }
  switch (event.kind) {
    case 'state':
      return onState(now, event.data)
    case 'case':
      return onCase(now, event.data)
    case 'verdict':
      return event.data.source === undefined && now.source !== undefined
        ? { ...event.data, source: now.source }
        : event.data
    case 'snapshot':
      return onSnapshot(now, event.data)
  }
}

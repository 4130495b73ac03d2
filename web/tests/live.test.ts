import { describe, expect, it } from 'vitest'
import type { StateEvent } from '../src/api/types'
import { reduceLive, type LiveEvent } from '../src/live/submission'
import { aCase, aSubmission } from './make'

function state(name: StateEvent['state'], caseIndex: number | null = null): LiveEvent {
  return { kind: 'state', data: { state: name, reason: null, caseIndex, casesTotal: 3 } }
}

function play(events: LiveEvent[], from = aSubmission()) {
  return events.reduce(reduceLive, from)
}

describe('a submission that is watched', () => {
  it('goes from waiting to the verdict, case by case', () => {
    const judging = play([
      state('COMPILING'),
      state('JUDGING', 1),
      { kind: 'case', data: aCase(1) },
      { kind: 'case', data: aCase(2, 'WRONG_ANSWER') },
    ])
    expect(judging).toMatchObject({ state: 'JUDGING', reason: null, caseIndex: 2, casesPassed: 1 })
    expect(judging.cases.map((one) => one.index)).toEqual([1, 2])
    const done = aSubmission({ state: 'DONE', verdict: 'WRONG_ANSWER', cases: judging.cases })
    expect(reduceLive(judging, { kind: 'verdict', data: done })).toEqual(done)
  })

  it('takes each case once and in order, however often a stream repeats them', () => {
    const now = play([
      { kind: 'case', data: aCase(3) },
      { kind: 'case', data: aCase(1) },
      { kind: 'case', data: aCase(3) },
    ])
    expect(now.cases.map((one) => one.index)).toEqual([1, 3])
  })

  it('forgets what it saw of a run that was lost', () => {
    const now = play([state('JUDGING', 1), { kind: 'case', data: aCase(1) }, state('PENDING')])
    expect(now).toMatchObject({ state: 'PENDING', cases: [] })
  })

  it('keeps a newer case when an older answer of a poll arrives late', () => {
    const now = play([{ kind: 'case', data: aCase(1) }, { kind: 'case', data: aCase(2) }])
    const late = aSubmission({ state: 'JUDGING', cases: [aCase(1)], caseIndex: 2 })
    const after = reduceLive(now, { kind: 'snapshot', data: late })
    expect(after.cases.map((one) => one.index)).toEqual([1, 2])
  })

  it('keeps the source when the verdict comes without it', () => {
    const { source: _left, ...bare } = aSubmission({ state: 'DONE', verdict: 'ACCEPTED' })
    const done = reduceLive(aSubmission(), { kind: 'verdict', data: bare })
    expect(done.source).toBe('int main() {}')
  })

  it('stays at its verdict unless a newer judging is reported', () => {
    const done = aSubmission({ state: 'DONE', verdict: 'ACCEPTED' })
    expect(reduceLive(done, state('JUDGING', 1))).toBe(done)
    expect(reduceLive(done, { kind: 'case', data: aCase(1) })).toBe(done)
    const again = aSubmission({ state: 'DONE', verdict: 'WRONG_ANSWER', generation: 2 })
    expect(reduceLive(done, { kind: 'snapshot', data: again })).toBe(again)
  })
})

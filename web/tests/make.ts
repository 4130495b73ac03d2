/* Builders shared by the tests. */
import type { CaseResult, Submission } from '../src/api/types'
import type { Store } from '../src/state/storage'

export function aSubmission(more: Partial<Submission> = {}): Submission {
  return {
    id: 12,
    problemId: 1,
    problemCode: 'aplusb',
    problemTitle: 'A + B',
    userId: 3,
    username: 'student',
    language: 'cpp',
    kind: 'ALGO',
    state: 'PENDING',
    reason: { code: 'queued', text: 'Waiting.', place: 2 },
    verdict: null,
    verdictShort: null,
    score: 0,
    casesPassed: 0,
    casesTotal: 3,
    caseIndex: null,
    cpuMs: null,
    memoryKb: null,
    generation: 1,
    createdAt: '2026-11-30T10:00:00Z',
    judgedAt: null,
    compile: null,
    cases: [],
    message: null,
    source: 'int main() {}',
    traceId: 'trace_12_00000000',
    ...more,
  }
}

export function aCase(index: number, verdict: CaseResult['verdict'] = 'ACCEPTED'): CaseResult {
  const name = `secret/${index}`
  return { index, name, sample: false, verdict, cpuMs: 1, wallMs: 2, memoryKb: 3, message: null }
}

/* A localStorage that is full after `bytesMax` characters. */
export function aStore(bytesMax = Infinity): Store & { keys(): string[] } {
  const kept = new Map<string, string>()
  const used = (): number => [...kept].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return {
    get length() {
      return kept.size
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem(key, value) {
      const old = kept.get(key)
      kept.set(key, value)
      if (used() <= bytesMax) return
      if (old === undefined) kept.delete(key)
      else kept.set(key, old)
      throw new Error('full')
    },
    removeItem: (key) => void kept.delete(key),
    keys: () => [...kept.keys()],
  }
}

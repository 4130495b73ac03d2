/* Pretends to judge: the verdict is read off the source, the time passes as if cases were run. */
const STEP_MS = 120

export function verdictOf(source) {
  if (/nocompile|syntax error|retrun/.test(source)) return 'COMPILE_ERROR'
  if (/while\s*\(1\)|while True/.test(source)) return 'TIME_LIMIT_EXCEEDED'
  if (/bad_alloc|1 << 40/.test(source)) return 'MEMORY_LIMIT_EXCEEDED'
  if (/abort|\/ ?0|raise /.test(source)) return 'RUNTIME_ERROR'
  if (/a ?- ?b|WRONG/.test(source)) return 'WRONG_ANSWER'
  return 'ACCEPTED'
}

export const SHORT = {
  ACCEPTED: 'AC',
  WRONG_ANSWER: 'WA',
  TIME_LIMIT_EXCEEDED: 'TLE',
  MEMORY_LIMIT_EXCEEDED: 'MLE',
  RUNTIME_ERROR: 'RE',
  COMPILE_ERROR: 'CE',
}

const MESSAGES = {
  WRONG_ANSWER: 'line 1: expected 5, got -1',
  TIME_LIMIT_EXCEEDED: 'stopped after 1.05 s of CPU time',
  MEMORY_LIMIT_EXCEEDED: 'more than 256 MiB',
  RUNTIME_ERROR: 'signal 6 (SIGABRT)',
}

const LOG = `main.cpp: In function 'int main()':
main.cpp:4:17: error: expected ';' before 'return'
    4 |     std::cin >> a >> b
      |                       ^
      |                       ;
    5 |     return 0;
      |     ~~~~~~
`

function caseOf(index, verdict, limitMs) {
  const slow = verdict === 'TIME_LIMIT_EXCEEDED'
  const cpuMs = slow ? limitMs + 50 : 2 + ((index * 37) % 90)
  return {
    index,
    name: index <= 2 ? `sample/${index}` : `secret/${String(index).padStart(2, '0')}-random`,
    sample: index <= 2,
    verdict,
    cpuMs,
    wallMs: cpuMs + 3,
    memoryKb: 3400 + ((index * 911) % 2000),
    message: MESSAGES[verdict] ?? null,
  }
}

function finish(submission, verdict) {
  Object.assign(submission, {
    state: 'DONE',
    reason: null,
    verdict,
    verdictShort: SHORT[verdict],
    caseIndex: null,
    judgedAt: new Date().toISOString(),
    score: verdict === 'ACCEPTED' ? 100 : 0,
  })
  if (submission.cases.length > 0) {
    submission.cpuMs = Math.max(...submission.cases.map((one) => one.cpuMs))
    submission.memoryKb = Math.max(...submission.cases.map((one) => one.memoryKb))
  }
}

/* Judges `submission` step by step; `tell(event, data)` after each. */
export async function judge(submission, problem, tell, stepMs = STEP_MS) {
  const pause = (steps) => new Promise((resolve) => setTimeout(resolve, steps * stepMs))
  const state = () => {
    const { state: name, reason, caseIndex, casesTotal } = submission
    tell('state', { state: name, reason, caseIndex, casesTotal })
  }
  const verdict = verdictOf(submission.source)
  await pause(3)
  Object.assign(submission, { state: 'COMPILING', reason: null })
  state()
  await pause(6)
  if (verdict === 'COMPILE_ERROR') {
    submission.compile = { ok: false, log: LOG }
    finish(submission, verdict)
    tell('verdict', submission)
    return
  }
  submission.compile = { ok: true, log: '' }
  const failAt = verdict === 'ACCEPTED' ? Infinity : Math.ceil(submission.casesTotal / 3)
  for (let index = 1; index <= submission.casesTotal; index++) {
    Object.assign(submission, { state: 'JUDGING', caseIndex: index })
    state()
    await pause(submission.casesTotal > 20 ? 0.4 : 1.5)
    const one = caseOf(index, index === failAt ? verdict : 'ACCEPTED', problem.timeLimitMs)
    submission.cases.push(one)
    if (one.verdict === 'ACCEPTED') submission.casesPassed++
    tell('case', one)
    if (one.verdict !== 'ACCEPTED') break
  }
  finish(submission, verdict)
  tell('verdict', submission)
}

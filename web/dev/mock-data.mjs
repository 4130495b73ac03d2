/* What the development mock knows at its start: enough of everything to look at every page. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
  'base64',
)

const DIGEST = 'a3f1'.repeat(16)

const APLUSB = `Two integers walk into a judge. Print their sum.

## Input

One line with two integers $a$ and $b$ ($-10^9 \\le a, b \\le 10^9$).

## Output

One line with $a + b$.
`

const APLUSB_ZH = `给定两个整数，输出它们的和。

## 输入

一行，两个整数 $a$ 和 $b$（$-10^9 \\le a, b \\le 10^9$）。

## 输出

一行，$a + b$ 的值。
`

const WALK = `A frog sits on stone $1$ of $n$ stones and wants to reach stone $n$. Jumping from stone $i$
to stone $j > i$ costs

$$
c(i, j) = (h_j - h_i)^2 + \\frac{w}{j - i},
$$

and it may jump over at most $k$ stones. What is the least cost of the whole way?

![The stones](stones.png)

## Input

The first line has three integers $n$, $k$, $w$; the second has the heights $h_1, \\dots, h_n$.

| part | size $n$ | points |
|:-----|----:|-------:|
| 1    | $\\le 100$ | 20 |
| 2    | $\\le 10^4$ | 30 |
| 3    | $\\le 2 \\cdot 10^5$ | 50 |

## Output

The least cost, with an absolute or relative error of at most $10^{-6}$. An answer like \`1e9\` is
fine, too. It is known that
$\\sum_{i=1}^{n} \\lvert h_i \\rvert \\le 10^{12}$.

> A tip costs \\$5 and a hint costs $6; both are free here.

<script>document.title = 'stolen'</script><img src=x onerror="document.title='stolen'">
`

const TEX = `\\problemname{Guess the Number}
I am thinking of a number $x$ between $1$ and $1000$.
\\begin{itemize}
  \\item \`\`lower'' means that $x$ is less than your guess,
  \\item \`\`higher'' means that it is more.
\\end{itemize}
`

function markdown(language, text) {
  return { language, format: 'markdown', text, url: null }
}

const plain = { outputKb: 8192, sourceKb: 128, casesTotal: 8, manifestId: DIGEST }

function problem(id, code, titles, timeLimitMs, memoryKb, more = {}) {
  return {
    id,
    code,
    title: Object.values(titles)[0],
    titles,
    timeLimitMs,
    memoryKb,
    ...plain,
    statements: [markdown('en', APLUSB)],
    samples: [],
    languages: [],
    createdAt: '2026-11-02T08:00:00Z',
    ...more,
  }
}

export function startProblems() {
  const samples = [
    { name: '1', input: '2 3\n', answer: '5\n' },
    { name: '2', input: '-1000000000 1000000000\n', answer: '0\n' },
  ]
  const list = [
    problem(1, 'aplusb', { en: 'A + B', 'zh-CN': '两数之和' }, 1000, 262144, {
      statements: [markdown('en', APLUSB), markdown('zh-CN', APLUSB_ZH)],
      samples,
    }),
    problem(2, 'frogwalk', { en: 'The Frog’s Long Walk', 'zh-CN': '青蛙远行' }, 2500, 524288, {
      statements: [markdown('en', WALK)],
      casesTotal: 57,
      samples: [
        { name: '1', input: '5 2 10\n1 4 2 8 5\n', answer: '33.333333\n' },
        { name: '2', input: '3 1 1\n' + '7 '.repeat(60) + '\n', answer: '1\n' },
      ],
    }),
    problem(3, 'guess', { en: 'Guess the Number' }, 1000, 1048576, {
      statements: [{ language: 'en', format: 'tex', text: TEX, url: null }],
    }),
    problem(4, 'wordsearch', { en: 'Word Search' }, 4000, 262144, {
      statements: [
        { language: 'en', format: 'pdf', text: null, url: '/api/v1/problems/4/files/problem.pdf' },
      ],
    }),
  ]
  const names = ['Bracket Garden', 'Counting Lamps', 'Detours', 'Evening Trains', 'Falling Leaves']
  for (let id = 5; id <= 75; id++) {
    const name = `${names[id % names.length]} ${Math.ceil(id / names.length)}`
    list.push(problem(id, `p${1000 + id}`, { en: name }, (1 + (id % 5)) * 500, 65536 << id % 4))
  }
  return list
}

export const languages = [
  ['c', 'C', 'gcc 12.2.0 -std=gnu17', 'cpp', ['.c'], 'c', true],
  ['cpp', 'C++', 'g++ 12.2.0 -std=gnu++20', 'cpp', ['.cpp', '.cc', '.cxx'], 'cpp', true],
  ['python3', 'Python 3', 'CPython 3.11.2', 'python', ['.py'], 'python', true],
  ['java', 'Java', null, 'java', ['.java'], 'java', false],
  ['typescript', 'TypeScript', null, 'arkts', ['.ts'], 'typescript', false],
].map(([id, name, version, pool, extensions, editorMode, available]) => ({
  id,
  name,
  version,
  pool,
  extensions,
  editorMode,
  available,
}))

function judger(id, name, pool, config, observed, busySlots, slots, message = null) {
  const seen = observed === 'NEVER_SEEN' ? null : new Date().toISOString()
  return {
    id,
    name,
    pool,
    runtimeSpec: `${pool}-r1`,
    slots,
    busySlots,
    configState: config,
    observedState: observed,
    lastHeartbeatAt: observed === 'OFFLINE' ? '2026-11-29T17:03:11Z' : seen,
    sessionEpoch: 3,
    languages: languages.filter((one) => one.pool === pool && one.version).map(({ id: language, version }) => ({ id: language, version })),
    version: seen ? '0.1.0' : null,
    revision: 1,
    message,
  }
}

export function startJudgers() {
  return [
    judger(1, 'local-cpp', 'cpp', 'ENABLED', 'BUSY', 2, 2),
    judger(2, 'local-python', 'python', 'ENABLED', 'ONLINE', 0, 2),
    judger(3, 'room-3-pc-07', 'cpp', 'DRAINING', 'ONLINE', 1, 4),
    judger(4, 'room-3-pc-08', 'java', 'DISABLED', 'OFFLINE', 0, 4, 'The self-test failed: javac is missing.'),
    judger(5, 'rack-1', 'java', 'PENDING', 'NEVER_SEEN', 0, 8),
  ]
}

export function startUsers() {
  const at = '2026-10-01T09:00:00Z'
  return [
    { id: 1, username: 'admin', displayName: 'Administrator', role: 'admin', disabled: false, createdAt: at },
    { id: 2, username: 'teacher', displayName: '王老师', role: 'teacher', disabled: false, createdAt: at },
    { id: 3, username: 'student', displayName: 'Lin Xiaoyu', role: 'student', disabled: false, createdAt: at },
    { id: 4, username: 'left', displayName: 'Somebody Who Left', role: 'student', disabled: true, createdAt: at },
  ]
}

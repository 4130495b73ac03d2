/* A stand-in for the server, for looking at the pages while developing them. It follows
 * docs/api/openapi.yaml, keeps everything in memory, and is no part of the build. */
import { randomBytes } from 'node:crypto'
import { PNG, languages, startJudgers, startProblems, startUsers } from './mock-data.mjs'
import { SHORT, judge, verdictOf } from './mock-judge.mjs'

const PASSWORD = 'assize-dev'
const SOURCE_BYTES_MAX = 128 * 1024

class Fault extends Error {
  constructor(status, code, detail = '', errors = []) {
    super(code)
    Object.assign(this, { status, code, detail, errors })
  }
}

export function createMock({ quick = false } = {}) {
  const state = {
    problems: startProblems(),
    judgers: startJudgers(),
    users: startUsers(),
    passwords: new Map(),
    sessions: new Map(),
    submissions: [],
    keys: new Map(),
    streams: new Map(),
    nextId: 1,
    down: false,
  }
  seed(state)

  function tell(id, event, data) {
    for (const answer of state.streams.get(id) ?? []) {
      answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      if (event === 'verdict') answer.end()
    }
    if (event === 'verdict') state.streams.delete(id)
  }

  const context = {
    state,
    start(submission, problem) {
      if (submission.reason?.code === 'no_node') return
      void judge(submission, problem, (event, data) => tell(submission.id, event, data), quick ? 10 : 120)
    },
  }

  return async function handle(request, answer) {
    try {
      await route(context, request, answer)
    } catch (thrown) {
      const fault = thrown instanceof Fault ? thrown : new Fault(500, 'internal', String(thrown.stack))
      sendProblem(answer, fault)
    }
  }
}

function sendProblem(answer, { status, code, detail, errors }) {
  const headers = { 'Content-Type': 'application/problem+json' }
  if (status === 429 || status === 503) headers['Retry-After'] = '2'
  answer.writeHead(status, headers)
  const traceId = `trace_0_${randomBytes(4).toString('hex')}`
  answer.end(JSON.stringify({ type: 'about:blank', title: code, status, detail, code, traceId, errors }))
}

function send(answer, status, body) {
  answer.writeHead(status, { 'Content-Type': 'application/json' })
  answer.end(body === undefined ? undefined : JSON.stringify(body))
}

async function readBody(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function readJson(request) {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new Fault(415, 'wrong_content_type')
  }
  try {
    return JSON.parse((await readBody(request)).toString())
  } catch {
    throw new Fault(400, 'bad_json')
  }
}

function who({ state }, request) {
  const token = /assize_session=([0-9a-f]+)/.exec(request.headers.cookie ?? '')?.[1]
  const user = state.users.find((one) => one.id === state.sessions.get(token))
  if (!user || user.disabled) throw new Fault(401, 'no_session')
  return user
}

function admin(context, request) {
  const user = who(context, request)
  if (user.role !== 'admin') throw new Fault(403, 'not_allowed')
  return user
}

function page(items, url) {
  const limit = Number(url.searchParams.get('limit') ?? 50)
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const next = from + limit < items.length ? String(from + limit) : null
  return { items: items.slice(from, from + limit), next }
}

function sessionOf(user) {
  const { id, username, displayName, role } = user
  const expiresAt = new Date(Date.now() + 30 * 86400e3).toISOString()
  return { user: { id, username, displayName, role }, expiresAt }
}

function blank(id, user, problem, language, source) {
  return {
    id,
    problemId: problem.id,
    problemCode: problem.code,
    problemTitle: problem.title,
    userId: user.id,
    username: user.username,
    language,
    kind: 'ALGO',
    state: 'PENDING',
    reason: { code: 'queued', text: 'Waiting for a free node.', place: 1 },
    verdict: null,
    verdictShort: null,
    score: 0,
    casesPassed: 0,
    casesTotal: problem.casesTotal,
    caseIndex: null,
    cpuMs: null,
    memoryKb: null,
    generation: 1,
    createdAt: new Date().toISOString(),
    judgedAt: null,
    compile: null,
    cases: [],
    message: null,
    source,
    traceId: `trace_${id}_${randomBytes(4).toString('hex')}`,
  }
}

/* Some history, so that lists and filters have something to show. */
function seed(state) {
  const sources = [
    '#include <iostream>\n\nint main() {\n    long long a, b;\n    std::cin >> a >> b;\n    std::cout << a + b << "\\n";\n    return 0;\n}\n',
    'int main() { while (1); }\n',
    'a, b = map(int, input().split())\nprint(a - b)\n',
    'int main() { retrun 0; }\n',
    '#include <stdlib.h>\nint main(void) { abort(); }\n',
    'auto main() -> int { throw std::bad_alloc(); }\n',
  ]
  for (let i = 0; i < 64; i++) {
    const source = sources[i % sources.length]
    const problem = state.problems[[0, 1, 0, 2, 5, 6, 7][i % 7]]
    const user = state.users[i % 4 === 3 ? 2 : 0]
    const language = source.includes('print(') ? 'python3' : source.includes('(void)') ? 'c' : 'cpp'
    const one = blank(state.nextId++, user, problem, language, source)
    const verdict = verdictOf(source)
    const passed = verdict === 'ACCEPTED' ? problem.casesTotal : verdict === 'COMPILE_ERROR' ? 0 : 2
    one.createdAt = new Date(Date.now() - (70 - i) * 2400e3).toISOString()
    one.cases = Array.from({ length: verdict === 'COMPILE_ERROR' ? 0 : passed + (verdict === 'ACCEPTED' ? 0 : 1) }, (_, n) => ({
      index: n + 1,
      name: n < 2 ? `sample/${n + 1}` : `secret/${String(n + 1).padStart(2, '0')}-random`,
      sample: n < 2,
      verdict: n < passed ? 'ACCEPTED' : verdict,
      cpuMs: 3 + ((n * 31) % 80),
      wallMs: 6 + ((n * 31) % 80),
      memoryKb: 3500 + n * 40,
      message: n < passed ? null : 'line 1: expected 5, got -1',
    }))
    Object.assign(one, {
      state: 'DONE',
      reason: null,
      verdict,
      verdictShort: SHORT[verdict],
      score: verdict === 'ACCEPTED' ? 100 : 0,
      casesPassed: passed,
      cpuMs: verdict === 'COMPILE_ERROR' ? null : 83,
      memoryKb: verdict === 'COMPILE_ERROR' ? null : 3720,
      judgedAt: one.createdAt,
      compile: { ok: verdict !== 'COMPILE_ERROR', log: verdict === 'COMPILE_ERROR' ? "main.cpp:1:14: error: 'retrun' was not declared in this scope\n" : '' },
    })
    state.submissions.push(one)
  }
}

function problemOf({ state }, id) {
  const found = state.problems.find((one) => one.id === Number(id))
  if (!found) throw new Fault(404, 'no_problem')
  return found
}

function submissionOf({ state }, user, id) {
  const found = state.submissions.find((one) => one.id === Number(id))
  if (!found || (found.userId !== user.id && user.role !== 'admin')) {
    throw new Fault(404, 'no_submission')
  }
  return found
}

function myStatus({ state }, user, problem) {
  const mine = state.submissions.filter((s) => s.userId === user.id && s.problemId === problem.id)
  if (mine.some((one) => one.verdict === 'ACCEPTED')) return 'ACCEPTED'
  return mine.length > 0 ? 'TRIED' : null
}

function summary(submission) {
  const { compile, cases, message, source, traceId, ...rest } = submission
  return rest
}

const routes = []

function on(method, pattern, handler) {
  const keys = [...pattern.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  const regex = new RegExp(`^${pattern.replace(/\{\w+\}/g, '([^/]+)')}$`)
  routes.push({ method, regex, keys, handler })
}

async function route(context, request, answer) {
  const url = new URL(request.url, 'http://mock')
  if (context.state.down) throw new Fault(503, 'busy')
  for (const { method, regex, keys, handler } of routes) {
    const match = regex.exec(url.pathname)
    if (!match || method !== request.method) continue
    const path = Object.fromEntries(keys.map((key, i) => [key, decodeURIComponent(match[i + 1])]))
    await handler({ context, state: context.state, request, answer, url, path })
    return
  }
  throw new Fault(404, 'not_found')
}

on('POST', '/api/v1/session', async ({ state, request, answer }) => {
  const { username, password } = await readJson(request)
  const user = state.users.find((one) => one.username === username && !one.disabled)
  if (!user || password !== (state.passwords.get(user.id) ?? PASSWORD)) {
    throw new Fault(401, 'bad_credentials')
  }
  const token = randomBytes(32).toString('hex')
  state.sessions.set(token, user.id)
  answer.setHeader('Set-Cookie', `assize_session=${token}; HttpOnly; SameSite=Lax; Path=/`)
  send(answer, 200, { ...sessionOf(user), accessToken: 'mock' })
})
on('GET', '/api/v1/session', ({ context, request, answer }) => {
  send(answer, 200, sessionOf(who(context, request)))
})
on('DELETE', '/api/v1/session', ({ context, request, answer }) => {
  who(context, request)
  answer.setHeader('Set-Cookie', 'assize_session=; Max-Age=0; Path=/')
  answer.writeHead(204).end()
})
on('PUT', '/api/v1/session/password', async ({ context, state, request, answer }) => {
  const user = who(context, request)
  const { currentPassword, newPassword } = await readJson(request)
  if (currentPassword !== (state.passwords.get(user.id) ?? PASSWORD)) {
    throw new Fault(403, 'wrong_password')
  }
  state.passwords.set(user.id, newPassword)
  answer.writeHead(204).end()
})

on('GET', '/api/v1/problems', ({ context, state, request, answer, url }) => {
  const user = who(context, request)
  const part = (url.searchParams.get('search') ?? '').toLowerCase()
  const found = state.problems.filter((one) =>
    [one.code, ...Object.values(one.titles)].some((text) => text.toLowerCase().includes(part)),
  )
  const items = found.map((one) => {
    const { id, code, title, titles, timeLimitMs, memoryKb } = one
    return { id, code, title, titles, myStatus: myStatus(context, user, one), timeLimitMs, memoryKb }
  })
  send(answer, 200, page(items, url))
})
on('GET', '/api/v1/problems/{id}', ({ context, request, answer, path }) => {
  who(context, request)
  send(answer, 200, problemOf(context, path.id))
})
on('GET', '/api/v1/problems/{id}/files/{name}', ({ context, request, answer, path }) => {
  who(context, request)
  problemOf(context, path.id)
  if (!path.name.endsWith('.png')) throw new Fault(404, 'no_file')
  answer.writeHead(200, { 'Content-Type': 'image/png' }).end(PNG)
})
on('GET', '/api/v1/languages', ({ context, request, answer }) => {
  who(context, request)
  send(answer, 200, { items: languages })
})

on('POST', '/api/v1/submissions', async ({ context, state, request, answer }) => {
  const user = who(context, request)
  const body = await readJson(request)
  const key = request.headers['idempotency-key']
  const seen = key ? state.keys.get(`${user.id} ${key}`) : undefined
  if (seen && seen.body !== JSON.stringify(body)) throw new Fault(422, 'idempotency_mismatch')
  if (seen) return send(answer, 201, seen.submission)
  if (!body.source) throw new Fault(400, 'empty_source')
  if (Buffer.byteLength(body.source) > SOURCE_BYTES_MAX) throw new Fault(413, 'source_too_large')
  const language = languages.find((one) => one.id === body.language)
  if (!language) throw new Fault(400, 'unknown_language')
  const problem = problemOf(context, body.problemId)
  const submission = blank(state.nextId++, user, problem, body.language, body.source)
  if (!language.available) submission.reason = { code: 'no_node', text: 'No node.', place: null }
  state.submissions.push(submission)
  if (key) state.keys.set(`${user.id} ${key}`, { body: JSON.stringify(body), submission })
  send(answer, 201, submission)
  context.start(submission, problem)
})
on('GET', '/api/v1/submissions', ({ context, state, request, answer, url }) => {
  const user = who(context, request)
  const all = url.searchParams.get('user') === 'all'
  if (all && user.role !== 'admin') throw new Fault(403, 'not_allowed')
  const problemId = Number(url.searchParams.get('problemId') ?? 0)
  const found = state.submissions
    .filter((one) => (all || one.userId === user.id) && (!problemId || one.problemId === problemId))
    .map(summary)
    .reverse()
  send(answer, 200, page(found, url))
})
on('GET', '/api/v1/submissions/{id}', ({ context, request, answer, path }) => {
  send(answer, 200, submissionOf(context, who(context, request), path.id))
})
on('GET', '/api/v1/submissions/{id}/events', ({ context, state, request, answer, path }) => {
  const submission = submissionOf(context, who(context, request), path.id)
  answer.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  const write = (event, data) => answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  if (submission.state === 'DONE') {
    write('verdict', submission)
    answer.end()
    return
  }
  const { state: name, reason, caseIndex, casesTotal, cases } = submission
  write('state', { state: name, reason, caseIndex, casesTotal })
  for (const one of cases) write('case', one)
  const streams = state.streams.get(submission.id) ?? new Set()
  streams.add(answer)
  state.streams.set(submission.id, streams)
  request.on('close', () => streams.delete(answer))
})

on('POST', '/api/v1/admin/problems', async ({ context, state, request, answer, url }) => {
  admin(context, request)
  const zip = await readBody(request)
  if (zip.subarray(0, 2).toString() !== 'PK') {
    throw new Fault(422, 'bad_package', 'Not a zip.', [
      { field: 'problem.yaml:7', message: 'The value of "limits" must be a map, not a list.' },
      { field: 'data/secret/03.in', message: 'It has no answer: data/secret/03.ans is missing.' },
    ])
  }
  const code = url.searchParams.get('code') ?? 'imported'
  const old = state.problems.find((one) => one.code === code)
  const id = old?.id ?? state.problems.length + 1
  if (!old) state.problems.push({ ...state.problems[0], id, code, title: 'Imported', titles: {} })
  const report = {
    format: 'icpc-legacy',
    read: ['problem.yaml', 'problem_statement/problem.en.md', 'data/sample/1.in', 'data/sample/1.ans'],
    guessed: [{ text: 'No time limit is given: 1 s is used.', file: 'problem.yaml', line: 3 }],
    dropped: [{ text: 'Not part of the form.', file: 'README.txt', line: null }],
    warnings: [{ text: 'There are no accepted submissions to check the data with.' }],
  }
  send(answer, 201, { problem: { id, code, title: 'Imported' }, created: !old, report })
})
on('GET', '/api/v1/admin/users', ({ context, state, request, answer, url }) => {
  admin(context, request)
  send(answer, 200, page(state.users, url))
})
on('POST', '/api/v1/admin/users', async ({ context, state, request, answer }) => {
  admin(context, request)
  const { username, displayName, role, password } = await readJson(request)
  if (state.users.some((one) => one.username === username)) throw new Fault(409, 'conflict_username')
  if (!/^[\w.-]+$/.test(username)) {
    const message = 'Only letters, digits, ".", "-" and "_".'
    throw new Fault(400, 'bad_field', '', [{ field: 'username', message }])
  }
  const id = state.users.length + 1
  const createdAt = new Date().toISOString()
  const user = { id, username, displayName, role, disabled: false, createdAt }
  const made = password ?? randomBytes(9).toString('base64url')
  state.users.push(user)
  state.passwords.set(id, made)
  send(answer, 201, password ? { user } : { user, password: made })
})
on('PATCH', '/api/v1/admin/users/{id}', async ({ context, state, request, answer, path }) => {
  admin(context, request)
  const user = state.users.find((one) => one.id === Number(path.id))
  if (!user) throw new Fault(404, 'no_user')
  const { password, ...change } = await readJson(request)
  if (password) state.passwords.set(user.id, password)
  Object.assign(user, change)
  send(answer, 200, user)
})
on('GET', '/api/v1/admin/judgers', ({ context, state, request, answer, url }) => {
  admin(context, request)
  const now = new Date().toISOString()
  for (const one of state.judgers) {
    if (one.observedState === 'ONLINE' || one.observedState === 'BUSY') one.lastHeartbeatAt = now
  }
  send(answer, 200, page(state.judgers, url))
})
on('POST', '/api/v1/admin/judgers', async ({ context, state, request, answer }) => {
  admin(context, request)
  const { name, pool, slots, runtimeSpec } = await readJson(request)
  if (state.judgers.some((one) => one.name === name)) throw new Fault(409, 'conflict_judger_name')
  const judger = {
    ...state.judgers[4],
    id: state.judgers.length + 1,
    name,
    pool,
    slots,
    runtimeSpec: runtimeSpec ?? `${pool}-r1`,
  }
  state.judgers.push(judger)
  const joinCodeExpiresAt = new Date(Date.now() + 600e3).toISOString()
  send(answer, 201, { judger, joinCode: 'K7QF-2MWD-9HXT-4RJB', joinCodeExpiresAt })
})
on('GET', '/api/v1/admin/judgers/{id}', ({ context, state, request, answer, path }) => {
  admin(context, request)
  const found = state.judgers.find((one) => one.id === Number(path.id))
  if (!found) throw new Fault(404, 'no_judger')
  send(answer, 200, found)
})
on('PATCH', '/api/v1/admin/judgers/{id}', async ({ context, state, request, answer, path }) => {
  admin(context, request)
  const found = state.judgers.find((one) => one.id === Number(path.id))
  if (!found) throw new Fault(404, 'no_judger')
  const { revision, ...change } = await readJson(request)
  if (revision !== found.revision) throw new Fault(409, 'stale_revision')
  Object.assign(found, change, { revision: found.revision + 1 })
  send(answer, 200, found)
})

on('GET', '/api/v1/system/judgers/summary', ({ answer }) => {
  const pools = [
    { pool: 'cpp', ready: true, nodes: 1, slots: 2, busySlots: 2, waiting: 3 },
    { pool: 'java', ready: false, nodes: 0, slots: 0, busySlots: 0, waiting: 0 },
    { pool: 'python', ready: true, nodes: 1, slots: 2, busySlots: 0, waiting: 0 },
  ]
  const asOf = new Date().toISOString()
  send(answer, 200, { asOf, freshness: 'LIVE', readyPools: 2, totalPools: 3, pools })
})
on('GET', '/api/system/health', ({ answer }) => {
  send(answer, 200, {
    status: 'ok',
    queue: 'database',
    repository: 'sqlite',
    sandbox: 'box',
    judger_mode: 'distributed',
    worker_concurrency: 4,
    timestamp: new Date().toISOString(),
    version: '0.1.0',
  })
})
on('GET', '/api/system/stats', ({ state, answer }) => {
  const counts = {}
  for (const { verdict } of state.submissions) {
    if (!verdict) continue
    const key = verdict.toLowerCase().replace(/(^|_)[a-z]/g, (part) => part.toUpperCase())
    counts[key] = (counts[key] ?? 0) + 1
  }
  send(answer, 200, {
    total_submissions: state.submissions.length,
    active_workers: 2,
    max_workers: 4,
    busy_rejects: 0,
    status_counts: counts,
  })
})

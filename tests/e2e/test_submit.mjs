/* The main job in a browser: sign in, hand in, and watch verdicts arrive without a reload. */
import {
  assert,
  openProblem,
  password,
  picture,
  runSteps,
  signIn,
  submissionFile,
  submit,
  url,
  user,
  verdict,
  write,
} from './browser.mjs'

const PROBLEM = 'aplusb'
const streams = []
const reads = []
const ids = {}

/* Set once in the page: a reload would lose it. */
const MARK = 'assizeSameDocument'
const mark = (page) => page.evaluate((name) => (globalThis[name] = true), MARK)
const marked = (page) => page.evaluate((name) => globalThis[name] === true, MARK)

function watchRequests(page) {
  page.on('request', (request) => {
    const address = new URL(request.url())
    if (/^\/api\/v1\/submissions\/\d+\/events$/.test(address.pathname)) {
      streams.push({ path: address.pathname, type: request.resourceType() })
    } else if (/^\/api\/v1\/submissions\/\d+$/.test(address.pathname)) {
      reads.push(address.pathname)
    }
  })
}

/* Notes every state that the panel shows, however short. */
async function watchPanel(page) {
  await page.evaluate(() => {
    const seen = (globalThis.assizeSeen = [])
    const note = () => {
      const now = document.querySelector('[data-testid=result-verdict]')?.dataset.verdict
      const cells = document.querySelectorAll('[data-testid=case-cell].tone-ok').length
      const next = `${now} ${cells}`
      if (now && seen.at(-1) !== next) seen.push(next)
    }
    new MutationObserver(note).observe(document.body, {
      subtree: true, childList: true, attributes: true, characterData: true,
    })
  })
}

async function language(page, id) {
  await page.selectOption('#language', id)
}

await runSteps({
  'a wrong password is refused in words and nothing is given away': async ({ page }) => {
    await page.goto(`${url}/sign-in`)
    await page.fill('#username', user)
    await page.fill('#password', `${password}x`)
    await page.getByTestId('sign-in').click()
    const error = page.getByTestId('error')
    await error.waitFor()
    assert.equal(await error.getAttribute('data-code'), 'bad_credentials')
    assert.match(await error.innerText(), /user name or the password is wrong/)
  },

  'a page asked for without a session comes back after signing in': async ({ page }) => {
    await page.goto(`${url}/submissions`)
    await page.waitForURL('**/sign-in?next=**')
    await page.fill('#username', user)
    await page.fill('#password', password)
    await page.getByTestId('sign-in').click()
    await page.waitForURL(`${url}/submissions`)
    const cookies = await page.context().cookies()
    const session = cookies.find((cookie) => cookie.name === 'assize_session')
    assert.ok(session?.httpOnly, 'the session cookie is HttpOnly')
    assert.equal(session.sameSite, 'Lax')
  },

  'the problem shows its statement, limits and samples': async ({ page }) => {
    watchRequests(page)
    await openProblem(page, PROBLEM)
    await page.getByTestId('limits').waitFor()
    assert.ok((await page.getByTestId('sample').count()) >= 1)
    const input = await page.locator('#sample-1-input').innerText()
    assert.match(input, /\d/)
    await mark(page)
    await watchPanel(page)
  },

  'an accepted program gets its verdict live, case by case': async ({ page }) => {
    await language(page, 'cpp')
    await write(page, submissionFile(PROBLEM, 'accepted/sum.cpp'))
    const answer = await submit(page)
    assert.equal(answer.status, 201)
    assert.match(answer.key, /^[0-9a-f]{32}$/)
    ids.accepted = answer.body.id
    assert.equal(await verdict(page, ids.accepted), 'ACCEPTED')
    assert.deepEqual(streams.map((one) => one.path), [`/api/v1/submissions/${ids.accepted}/events`])
    assert.equal(streams[0].type, 'eventsource')
    assert.ok(await marked(page), 'the page was not reloaded')
    assert.match(await page.getByTestId('kept').innerText(), /Received/)
    const cells = await page.locator('[data-testid=case-cell].tone-ok').count()
    assert.equal(cells, await page.getByTestId('case-cell').count())
    const seen = await page.evaluate(() => globalThis.assizeSeen)
    assert.ok(seen.length > 1, `states before the verdict were shown: ${seen}`)
  },

  'a wrong program gets its verdict live, by keyboard': async ({ page }) => {
    await write(page, 'int main() { return 0; }\n')
    await page.locator('.cm-content').click()
    const answer = await submit(page, 'keys')
    ids.wrong = answer.body.id
    assert.equal(await verdict(page, ids.wrong), 'WRONG_ANSWER')
    assert.ok(await page.getByTestId('first-failed').isVisible())
    assert.equal(streams.length, 2)
    assert.ok(await marked(page), 'the page was not reloaded')
    assert.equal(reads.length, 0, 'the verdicts came by the streams alone')
  },

  'a program that does not compile shows the compiler’s messages': async ({ page }) => {
    await language(page, 'c')
    await write(page, submissionFile(PROBLEM, 'compile_error/syntax.c'))
    const answer = await submit(page)
    ids.broken = answer.body.id
    assert.equal(await verdict(page, ids.broken), 'COMPILE_ERROR')
    const log = await page.getByTestId('compile-log').innerText()
    assert.match(log, /error/i)
    assert.equal(await page.getByTestId('case-cell').count(), 0)
    await picture(page, 'compile-error-1400')
  },

  'each language keeps its own program, also after a reload': async ({ page }) => {
    await language(page, 'cpp')
    assert.match(await page.locator('.cm-content').innerText(), /int main\(\) \{ return 0; \}/)
    await language(page, 'c')
    await page.reload()
    await page.locator('.cm-line').first().waitFor()
    assert.equal(await page.inputValue('#language'), 'c')
    const kept = (await page.locator('.cm-content').innerText()).trim()
    assert.equal(kept.split('\n')[0], submissionFile(PROBLEM, 'compile_error/syntax.c').split('\n')[0])
  },

  'Chinese is a click away and is remembered': async ({ page }) => {
    await page.getByTestId('switch-language').click()
    assert.equal(await page.getByTestId('submit').innerText(), '提交')
    assert.equal(await page.getAttribute('html', 'lang'), 'zh-CN')
    await page.reload()
    await page.getByTestId('submit').waitFor()
    assert.equal(await page.getByTestId('submit').innerText(), '提交')
  },

  'the history shows all three, newest first, in Chinese': async ({ page }) => {
    await page.getByTestId('nav-submissions').click()
    await page.getByTestId('submission-row').first().waitFor()
    const rows = await page.getByTestId('submission-row').all()
    const shown = await Promise.all(rows.slice(0, 3).map((row) => row.getAttribute('data-id')))
    assert.deepEqual(shown.map(Number), [ids.broken, ids.wrong, ids.accepted])
    const words = await Promise.all(rows.slice(0, 3).map((row) => row.getByTestId('verdict').innerText()))
    assert.deepEqual(words, ['编译错误', '答案错误', '通过'])
  },

  'a submission’s page shows its cases and its source': async ({ page }) => {
    await page.goto(`${url}/submissions/${ids.accepted}`)
    await page.getByTestId('case-row').first().waitFor()
    assert.ok((await page.getByTestId('case-row').count()) >= 2)
    await page.locator('[data-testid=source] .cm-content').waitFor()
    assert.match(await page.locator('[data-testid=source] .cm-content').innerText(), /std::cout/)
    await page.goto(`${url}/submissions/${ids.broken}`)
    await page.getByTestId('compile-log').waitFor()
  },

  'the solved problem is ticked in the list': async ({ page }) => {
    await page.goto(`${url}/problems`)
    const row = page.getByTestId('problem-row').filter({ hasText: PROBLEM })
    await row.first().waitFor()
    assert.equal(await row.first().getByTestId('problem-status').getAttribute('data-status'), 'ACCEPTED')
  },

  'signing out ends the session': async ({ page }) => {
    await page.getByTestId('menu-button').click()
    await page.getByTestId('sign-out').click()
    await page.waitForURL('**/sign-in')
    await page.goto(`${url}/problems`)
    await page.waitForURL('**/sign-in?next=**')
    await signIn(page)
  },
})

/* Every page, as it comes from the server: nothing that axe objects to, no sideways scrolling, at
 * the widths of a phone, a tablet and a screen, light and dark, in both languages. */
import {
  assert,
  axeSource,
  openProblem,
  picture,
  runSteps,
  signIn,
  submissionFile,
  submit,
  url,
  user,
  password,
  verdict,
  watchFaults,
  write,
} from './browser.mjs'

const LOOKS = [
  { width: 390, height: 844, locale: 'zh-CN', colorScheme: 'dark' },
  { width: 820, height: 1100, locale: 'en-GB', colorScheme: 'light' },
  { width: 1400, height: 900, locale: 'zh-CN', colorScheme: 'light' },
]
const ids = {}

const pages = {
  'sign-in': ['/sign-in', '[data-testid=sign-in-form]'],
  problems: ['/problems', '[data-testid=problem-row]'],
  problem: [() => `/problems/${ids.problem}`, '[data-testid=statement] , [data-testid=statement-tex]'],
  history: [() => `/problems/${ids.problem}?tab=history`, '[data-testid=submission-row]'],
  submissions: ['/submissions', '[data-testid=submission-row]'],
  submission: [() => `/submissions/${ids.submission}`, '[data-testid=source] .cm-line'],
  account: ['/account', '[data-testid=password-form]'],
  import: ['/admin/problems', '[data-testid=drop]'],
  users: ['/admin/users', '[data-testid=user-row]'],
  judgers: ['/admin/judgers', '[data-testid=judger-row]'],
  pools: ['/admin/pools', '[data-testid=queue-row]'],
  jobs: ['/admin/jobs', '[data-testid=job-row]'],
  rejudgings: ['/admin/rejudgings', '[data-testid=rejudging-row]'],
  rejudging: [() => `/admin/rejudgings/${ids.rejudging}`, '[data-testid=item-row]'],
  system: ['/admin/system', '[data-testid=pool-table]'],
  lost: ['/no/such/page', '[data-testid=lost]'],
}

async function check(page, name) {
  await page.evaluate(axeSource)
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] })
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(', ')}`)
  })
  assert.deepEqual(found, [], name)
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  assert.equal(wide, 0, `${name} scrolls sideways`)
}

async function look(browser, faults, { width, height, locale, colorScheme }) {
  const viewport = { width, height }
  const options = { viewport, locale, colorScheme, reducedMotion: 'reduce' }
  const context = await browser.newContext(options)
  await context.request.post(`${url}/api/v1/session`, { data: { username: user, password } })
  const page = await context.newPage()
  watchFaults(page, faults)
  for (const [name, [address, shown]] of Object.entries(pages)) {
    await page.goto(url + (typeof address === 'string' ? address : address()))
    await page.locator(shown).first().waitFor()
    await check(page, `${name} ${width}`)
    await picture(page, `${name}-${width}-${colorScheme}-${locale.slice(0, 2)}`)
  }
  await context.close()
}

const steps = {
  'something to look at': async ({ page }) => {
    await signIn(page)
    ids.problem = await openProblem(page, 'aplusb')
    await page.selectOption('#language', 'cpp')
    await write(page, submissionFile('aplusb', 'accepted/sum.cpp'))
    const answer = await submit(page)
    ids.submission = answer.body.id
    await verdict(page, ids.submission)
    await picture(page, 'verdict-1400-light-en')
    const data = { selection: { submissionIds: [ids.submission] }, reason: 'new tests' }
    const made = await page.request.post(`${url}/api/v1/admin/rejudgings`, { data })
    ids.rejudging = (await made.json()).id
  },

  'every answer carries the content policy, and scripts come from here alone': async ({ page }) => {
    const answer = await page.request.get(`${url}/problems`)
    const policy = answer.headers()['content-security-policy']
    assert.match(policy, /script-src 'self'/)
    assert.doesNotMatch(policy.replace(/style-src[^;]*/, ''), /unsafe/)
  },

  'an old address of a built file is no page': async ({ page }) => {
    const answer = await page.request.get(`${url}/assets/gone-12345678.js`)
    assert.equal(answer.status(), 404)
  },
}
for (const one of LOOKS) {
  steps[`the pages at ${one.width} px`] = ({ browser, faults }) => look(browser, faults, one)
}
await runSteps(steps)

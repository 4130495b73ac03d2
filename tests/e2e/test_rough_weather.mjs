/* When the network fails: nothing that was written is lost, nothing is handed in twice, and a
 * verdict comes even where streams do not get through. */
import {
  assert,
  openProblem,
  runSteps,
  signIn,
  submissionFile,
  submit,
  url,
  verdict,
  write,
} from './browser.mjs'

const PROBLEM = 'aplusb'
const SUBMISSIONS = /\/api\/v1\/submissions$/
const EVENTS = /\/api\/v1\/submissions\/\d+\/events$/

/* Takes each attempt to the server, and then loses the answer, `times` times. */
async function loseAnswers(page, times, keys) {
  let left = times
  await page.route(SUBMISSIONS, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(await route.request().headerValue('idempotency-key'))
    if (left-- <= 0) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
}

async function newest(page) {
  return page.evaluate(async () => (await fetch('/api/v1/submissions?limit=5')).json())
}

await runSteps({
  'signing in': async ({ page }) => signIn(page),

  'a lost answer is asked for again under the same key, and counts once': async ({ page }) => {
    await openProblem(page, PROBLEM)
    await page.selectOption('#language', 'cpp')
    await write(page, `${submissionFile(PROBLEM, 'accepted/sum.cpp')}// lost answer\n`)
    const before = (await newest(page)).items.length
    const keys = []
    await loseAnswers(page, 2, keys)
    await page.getByTestId('submit').click()
    await page.getByTestId('result-link').waitFor()
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
    const { items } = await newest(page)
    assert.equal(items.length, Math.min(5, before + 1))
    assert.equal(await verdict(page, items[0].id), 'ACCEPTED')
    await page.unroute(SUBMISSIONS)
  },

  'without any answer the program is kept, also over a reload, with its key': async ({ page }) => {
    const source = `${submissionFile(PROBLEM, 'accepted/sum.cpp')}// no answer at all\n`
    await write(page, source)
    const keys = []
    await loseAnswers(page, 100, keys)
    await page.getByTestId('submit').click()
    const error = page.getByTestId('error')
    await error.waitFor({ timeout: 30000 })
    assert.equal(await error.getAttribute('data-code'), 'network')
    await page.unroute(SUBMISSIONS)
    await page.reload()
    await page.locator('.cm-line').first().waitFor()
    assert.match(await page.locator('.cm-content').innerText(), /no answer at all/)
    const answer = await submit(page)
    assert.equal(answer.status, 201)
    assert.equal(answer.key, keys[0])
    const { items } = await newest(page)
    assert.equal(items.filter((one) => one.id === answer.body.id).length, 1)
    assert.equal(items[0].id, answer.body.id, 'the attempts before it stored nothing else')
    assert.equal(await verdict(page, answer.body.id), 'ACCEPTED')
  },

  'where streams are refused the verdict comes by asking': async ({ page }) => {
    await page.route(EVENTS, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
    await write(page, `${submissionFile(PROBLEM, 'accepted/sum.cpp')}// no stream\n`)
    const answer = await submit(page)
    assert.equal(await verdict(page, answer.body.id), 'ACCEPTED')
    await page.unroute(EVENTS)
  },

  'a submission that ends elsewhere is shown at its end at once': async ({ page }) => {
    await write(page, `${submissionFile(PROBLEM, 'accepted/sum.cpp')}// two windows\n`)
    const answer = await submit(page)
    const second = await page.context().newPage()
    await second.goto(`${url}/submissions/${answer.body.id}`)
    assert.equal(await verdict(page, answer.body.id), 'ACCEPTED')
    await second.waitForFunction(
      () => document.querySelector('[data-testid=result-verdict]')?.dataset.verdict === 'ACCEPTED',
    )
    assert.ok((await second.getByTestId('case-row').count()) >= 2)
    await second.close()
  },

  'an impatient double click hands in once': async ({ page }) => {
    await write(page, `${submissionFile(PROBLEM, 'accepted/sum.cpp')}// twice\n`)
    const before = (await newest(page)).items[0].id
    await page.getByTestId('submit').dblclick()
    await page.waitForFunction(
      (old) => document.querySelector('[data-testid=result-link]')?.href.endsWith(old) === false,
      String(before),
    )
    await verdict(page)
    const { items } = await newest(page)
    assert.equal(items.findIndex((one) => one.id === before), 1)
  },

  'an earlier submission opened for editing can be exchanged for what was unsent': async ({ page }) => {
    const { items } = await newest(page)
    await write(page, 'int main() { } // not sent yet\n')
    await page.goto(`${url}/submissions/${items[0].id}`)
    await page.getByRole('link', { name: 'Edit and submit again' }).click()
    await page.getByText('// twice').waitFor()
    await page.getByTestId('bring-back').click()
    await page.getByText('// not sent yet').waitFor()
  },

  'an empty program is not even sent': async ({ page }) => {
    await write(page, '   \n')
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++
    })
    await page.getByTestId('submit').click()
    assert.equal(await page.getByTestId('error').getAttribute('data-code'), 'empty_source')
    assert.equal(sent, 0)
  },

  'a session that is over asks to sign in, and the program is still there': async ({ page }) => {
    await write(page, 'int main() { } // written before the session ended\n')
    await page.context().clearCookies()
    await page.getByTestId('submit').click()
    await page.waitForURL('**/sign-in?next=**')
    await page.fill('#username', process.env.ASSIZE_USER)
    await page.fill('#password', process.env.ASSIZE_PASSWORD)
    await page.getByTestId('sign-in').click()
    await page.waitForURL('**/problems/**')
    await page.locator('.cm-line').first().waitFor()
    assert.match(await page.locator('.cm-content').innerText(), /before the session ended/)
  },
})

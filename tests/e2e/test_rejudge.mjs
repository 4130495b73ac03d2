/* An administrator judges anew in a browser: count, create, preview, apply, undo; holds and releases
 * jobs; and sees all judgings of a submission. */
import { assert, openProblem, picture, runSteps, signIn, submissionFile, submit, url, verdict, write } from './browser.mjs'

const made = {}

async function state(page, wanted) {
  await page.locator(`[data-testid=rejudging-state][data-state=${wanted}]`).waitFor({ timeout: 60000 })
}

/* All judges that are in service go out of it, or come back: so a submission waits as long as a test
 * needs it to. */
async function setNodes(page, from, to) {
  const statuses = await page.evaluate(
    async ([was, wanted]) => {
      const list = await (await fetch('/api/v1/admin/judgers')).json()
      const answers = await Promise.all(
        list.items
          .filter((judger) => judger.configState === was)
          .map(({ id, revision }) =>
            fetch(`/api/v1/admin/judgers/${id}`, {
              method: 'PATCH',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ revision, configState: wanted }),
            }),
          ),
      )
      return answers.map((answer) => answer.status)
    },
    [from, to],
  )
  assert.ok(statuses.length > 0)
  assert.deepEqual(new Set(statuses), new Set([200]))
}

async function step(page, button) {
  await page.getByTestId(button).click()
  await page.getByTestId('step-do').click()
}

await runSteps({
  'a wrong program has a verdict': async ({ page }) => {
    await signIn(page)
    made.problem = await openProblem(page, 'aplusb')
    await page.selectOption('#language', 'cpp')
    await write(page, submissionFile('aplusb', 'accepted/sum.cpp'))
    made.submission = (await submit(page)).body.id
    assert.equal(await verdict(page, made.submission), 'ACCEPTED')
  },

  'a rejudging is counted before it is made': async ({ page }) => {
    await page.goto(`${url}/admin/rejudgings`)
    await page.getByTestId('new-rejudging').click()
    await page.fill('#r-reason', 'a look at the new tests')
    await page.fill('#r-ids', String(made.submission))
    await page.getByTestId('count').click()
    await page.getByTestId('counted').waitFor()
    assert.match(await page.getByTestId('counted').innerText(), /^1 /)
    await page.getByTestId('create-do').click()
    await page.waitForURL('**/admin/rejudgings/*')
  },

  'it is judged, looked at, applied and undone': async ({ page }) => {
    await state(page, 'READY')
    await page.getByTestId('item-row').waitFor()
    assert.match(await page.getByTestId('item-row').innerText(), /Accepted.*Accepted/s)
    await picture(page, 'rejudging-ready')
    await step(page, 'apply')
    await state(page, 'APPLIED')
    await step(page, 'undo')
    await state(page, 'UNDONE')
  },

  'the page of the submission shows both judgings': async ({ page }) => {
    await page.goto(`${url}/submissions/${made.submission}`)
    await page.getByTestId('judging').nth(1).waitFor()
    assert.equal(await page.getByTestId('judging').count(), 2)
    await page.getByTestId('rejudge').click()
    await page.waitForURL('**/admin/rejudgings/*')
    await state(page, 'APPLIED') /* by itself */
  },

  'what is judged cannot be held, and that is said': async ({ page }) => {
    await page.goto(`${url}/admin/jobs`)
    const row = page.getByTestId('job-row').first()
    await row.waitFor()
    await row.locator('input').check()
    await page.getByTestId('do-HOLD').click()
    await page.fill('#reason', 'a look first')
    await page.getByTestId('confirm-do').click()
    await page.getByTestId('changed').waitFor()
    assert.match(await page.getByTestId('changed').innerText(), /0 changed, 1 left out/)
  },

  'what waits is withdrawn by who handed it in': async ({ page }) => {
    await setNodes(page, 'ENABLED', 'DRAINING')
    await openProblem(page, 'aplusb')
    await page.selectOption('#language', 'cpp')
    await write(page, submissionFile('aplusb', 'accepted/sum.cpp'))
    const id = (await submit(page)).body.id
    await page.goto(`${url}/submissions/${id}`)
    await page.getByTestId('withdraw').click()
    await page.getByTestId('withdraw-do').click()
    await page.locator('[data-testid=result-verdict][data-verdict=CANCELLED]').waitFor()
    await page.getByTestId('withdraw').waitFor({ state: 'detached' })
    await setNodes(page, 'DRAINING', 'ENABLED')
  },
})

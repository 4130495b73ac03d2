/* What the browser scripts share: a Chromium, steps that fail with a picture, and short ways to do
 * what a user does. ASSIZE_URL, ASSIZE_USER and ASSIZE_PASSWORD say where and as whom;
 * ASSIZE_CHROMIUM which browser; ASSIZE_SCREENSHOTS a folder for pictures. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const require = createRequire(path.join(root, 'web/package.json'))
const { chromium } = require('playwright-core')

export const url = process.env.ASSIZE_URL ?? 'http://127.0.0.1:8080'
export const user = process.env.ASSIZE_USER ?? 'admin'
export const password = process.env.ASSIZE_PASSWORD ?? ''
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const STEP_MS = 20000
const VERDICT_MS = 60000
const folder = process.env.ASSIZE_SCREENSHOTS

export function submissionFile(problem, name) {
  const file = path.join(root, 'tests/fixtures/problems', problem, 'submissions', name)
  return readFileSync(file, 'utf8')
}

export async function picture(page, name) {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}

/* Runs the steps one after the other in one browser; the first that fails ends the script. */
export async function runSteps(steps, contextOptions = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.ASSIZE_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  const options = { locale: 'en-GB', viewport: { width: 1400, height: 900 }, ...contextOptions }
  const context = await browser.newContext(options)
  context.setDefaultTimeout(STEP_MS)
  const page = await context.newPage()
  const world = { browser, context, page, faults: [] }
  watchFaults(page, world.faults)
  let failed = ''
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(world)
      assert.deepEqual(world.faults, [], 'the page reported faults')
      console.log(`ok - ${name}`)
    } catch (error) {
      console.log(`not ok - ${name}\n${error.stack}`)
      await picture(page, `failed-${name.replaceAll(/\W+/g, '-')}`)
      failed = name
      break
    }
  }
  await browser.close()
  process.exit(failed ? 1 : 0)
}

/* An exception in a page, or something that the content policy forbids, fails the step. Answers of
 * an error status and requests that a step cuts off are reported by the browser, too, but meant. */
export function watchFaults(page, faults) {
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const meant = /Failed to load resource|EventSource's response|ERR_/
    if (message.type() === 'error' && !meant.test(message.text())) faults.push(message.text())
  })
}

export async function signIn(page, name = user, secret = password) {
  await page.goto(`${url}/sign-in`)
  await page.fill('#username', name)
  await page.fill('#password', secret)
  await page.getByTestId('sign-in').click()
  await page.waitForURL('**/problems')
}

/* Opens the problem of this code by searching for it, and answers with its id. */
export async function openProblem(page, code) {
  await page.goto(`${url}/problems`)
  await page.getByTestId('search').fill(code)
  await page.getByTestId('problem-row').filter({ hasText: code }).getByTestId('problem-link').click()
  await page.locator('.cm-content').waitFor()
  return Number(/\/problems\/(\d+)/.exec(page.url())[1])
}

export async function write(page, source) {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(source)
}

/* The verdict that the result panel comes to; "" while there is none. */
export function verdictNow(page) {
  return page.evaluate(() => {
    const now = document.querySelector('[data-testid=result-verdict]')?.dataset.verdict ?? ''
    return ['PENDING', 'COMPILING', 'JUDGING'].includes(now) ? '' : now
  })
}

export async function verdict(page, submissionId) {
  await page.waitForFunction(
    ([id]) => {
      const link = document.querySelector('[data-testid=result-link]')
      const now = document.querySelector('[data-testid=result-verdict]')?.dataset.verdict ?? ''
      const open = ['', 'PENDING', 'COMPILING', 'JUDGING'].includes(now)
      return !open && (!id || link?.getAttribute('href') === `/submissions/${id}`)
    },
    [submissionId ?? 0],
    { timeout: VERDICT_MS },
  )
  return verdictNow(page)
}

/* Hands in and answers with what the server said: status, body, and the key that was sent. */
export async function submit(page, how = 'button') {
  const isSubmit = (response) =>
    response.request().method() === 'POST' && response.url().endsWith('/api/v1/submissions')
  const answer = page.waitForResponse(isSubmit)
  if (how === 'keys') await page.keyboard.press('Control+Enter')
  else await page.getByTestId('submit').click()
  const response = await answer
  const headers = await response.request().allHeaders()
  return {
    status: response.status(),
    body: await response.json(),
    key: headers['idempotency-key'],
  }
}

export { assert }

/* Looks at every page: a screenshot at each width, in both appearances and languages, and axe on
 * each.   node dev/shots.mjs http://127.0.0.1:4180 /tmp/shots [part of a name] */
import { readFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { launchBrowser } from './browser.mjs'

const [base = 'http://127.0.0.1:4180', folder = 'shots', only = ''] = process.argv.slice(2)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTHS = [390, 820, 1400]
const LOOKS = [
  { name: 'light-en', locale: 'en-GB', colorScheme: 'light' },
  { name: 'dark-zh', locale: 'zh-CN', colorScheme: 'dark' },
]
const WRONG = '#include <iostream>\nint main() {\n    long long a, b;\n    std::cin >> a >> b;\n    std::cout << a - b << "\\n"; // wrong\n    return 0;\n}\n'

async function type(page, source) {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(source)
}

async function submitAndWait(page, source) {
  await type(page, source)
  await page.getByTestId('submit').click()
  await page.locator('[data-testid=result-verdict]').waitFor()
}

const done = (page) =>
  page.waitForFunction(() => !/PENDING|COMPILING|JUDGING/.test(document.querySelector('[data-testid=result-verdict]')?.dataset.verdict ?? 'PENDING'), null, { timeout: 30000 })

const pages = [
  { name: 'sign-in', path: '/sign-in', out: true },
  {
    name: 'sign-in-error', path: '/sign-in', out: true,
    async act(page) {
      await page.fill('#username', 'admin')
      await page.fill('#password', 'nonsense')
      await page.getByTestId('sign-in').click()
      await page.getByTestId('error').waitFor()
    },
  },
  { name: 'problems', path: '/problems', wait: '[data-testid=problem-row]' },
  { name: 'problems-none', path: '/problems?q=zzzz', wait: '[data-testid=empty]' },
  { name: 'menu', path: '/problems', wait: '[data-testid=problem-row]', act: (page) => page.getByTestId('menu-button').click() },
  { name: 'keys', path: '/problems', wait: '[data-testid=problem-row]', act: (page) => page.keyboard.press('?') },
  { name: 'problem', path: '/problems/1', wait: '.cm-content' },
  { name: 'problem-math', path: '/problems/2', wait: '.katex', full: true },
  { name: 'problem-tex', path: '/problems/3', wait: '[data-testid=statement-tex]' },
  { name: 'problem-pdf', path: '/problems/4', wait: '[data-testid=statement-pdf]' },
  { name: 'problem-history', path: '/problems/1?tab=history', wait: '[data-testid=submission-row]' },
  {
    name: 'live', path: '/problems/2', wait: '.cm-content',
    async act(page) {
      await submitAndWait(page, 'int main() { return 0; }\n')
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=case-cell].tone-ok').length > 12)
    },
  },
  {
    name: 'wrong', path: '/problems/1', wait: '.cm-content',
    async act(page) { await submitAndWait(page, WRONG); await done(page) },
  },
  {
    name: 'compile-error', path: '/problems/1', wait: '.cm-content',
    async act(page) { await submitAndWait(page, 'int main() { retrun 0; }\n'); await done(page) },
  },
  {
    name: 'waiting', path: '/problems/1', wait: '.cm-content',
    async act(page) {
      await page.selectOption('#language', 'java')
      await submitAndWait(page, 'class Main {}\n')
      await page.waitForSelector('[data-testid=reason]')
    },
  },
  { name: 'submissions', path: '/submissions', wait: '[data-testid=submission-row]' },
  { name: 'submissions-all', path: '/submissions?user=all', wait: '[data-testid=submission-row]' },
  { name: 'submission', path: '/submissions/1', wait: '.cm-content', full: true },
  { name: 'submission-ce', path: '/submissions/64', wait: '.cm-content', full: true },
  { name: 'submission-lost', path: '/submissions/99999', wait: '[data-testid=error]' },
  { name: 'account', path: '/account', wait: '[data-testid=password-form]', full: true },
  {
    name: 'import', path: '/admin/problems', wait: '[data-testid=drop]', full: true,
    async act(page) {
      const file = (name, text) => ({ name, mimeType: 'application/zip', buffer: Buffer.from(text) })
      await page.getByTestId('file').setInputFiles([file('lamps.zip', 'PK..'), file('broken.zip', 'xx'), file('notes.txt', 'x')])
      await page.waitForFunction(() => document.querySelectorAll('[data-state=done],[data-state=failed]').length === 3)
    },
  },
  { name: 'users', path: '/admin/users', wait: '[data-testid=user-row]' },
  {
    name: 'user-new', path: '/admin/users', wait: '[data-testid=user-row]',
    act: (page) => page.getByTestId('new-user').click(),
  },
  { name: 'judgers', path: '/admin/judgers', wait: '[data-testid=judger-row]' },
  {
    name: 'judger-join', path: '/admin/judgers', wait: '[data-testid=judger-row]',
    async act(page) {
      await page.getByTestId('new-judger').click()
      await page.fill('#judger-name', `pc-${Date.now() % 100000}`)
      await page.getByTestId('create-judger').locator('[type=submit]').click()
      await page.getByTestId('secret').waitFor()
    },
  },
  { name: 'system', path: '/admin/system', wait: '[data-testid=pool-table]', full: true },
  { name: 'lost', path: '/nowhere', wait: '[data-testid=lost]' },
]

let faults = 0

async function check(page, name) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  for (const one of violations) {
    faults++
    console.log(`AXE ${name}: ${one.id}: ${one.help}`)
    for (const node of one.nodes.slice(0, 3)) console.log(`   ${node.target.join(' ')} ${node.failureSummary.split('\n')[1] ?? ''}`)
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (wide > 0) {
    faults++
    console.log(`WIDE ${name}: the page scrolls sideways by ${wide} px`)
  }
}

const browser = await launchBrowser()
mkdirSync(folder, { recursive: true })
for (const look of LOOKS) {
  for (const width of WIDTHS) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 900 },
      locale: look.locale,
      colorScheme: look.colorScheme,
      bypassCSP: false,
      reducedMotion: 'reduce',
    })
    let signedIn = false
    for (const one of pages.filter(({ name }) => name.includes(only))) {
      const name = `${one.name}-${width}-${look.name}`
      const page = await context.newPage()
      page.on('console', (message) => {
        /* Chromium reports the handlers that DOMPurify takes out, too. */
        const expected = /status of 4\d\d|inline event handler/
        if (message.type() !== 'error' || expected.test(message.text())) return
        faults++
        console.log(`CONSOLE ${name}: ${message.text()}`)
      })
      page.on('pageerror', (error) => { faults++; console.log(`ERROR ${name}: ${error.message}`) })
      if (!one.out && !signedIn) {
        await context.request.post(`${base}/api/v1/session`, { data: { username: 'admin', password: 'assize-dev' } })
        signedIn = true
      }
      try {
        await page.goto(base + one.path)
        if (one.wait) await page.waitForSelector(one.wait, { timeout: 10000 })
        await one.act?.(page)
        await page.waitForTimeout(150)
        await check(page, name)
        await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: one.full ?? false })
      } catch (error) {
        faults++
        console.log(`FAILED ${name}: ${error.message.split('\n')[0]}`)
        await page.screenshot({ path: path.join(folder, `${name}-failed.png`) })
      }
      await page.close()
    }
    await context.close()
  }
}
await browser.close()
console.log(faults === 0 ? 'no faults' : `${faults} faults`)
process.exit(faults === 0 ? 0 : 1)

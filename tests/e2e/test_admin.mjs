/* What an administrator does in a browser: import problems, make users, register nodes. */
import path from 'node:path'
import { assert, openProblem, password, runSteps, signIn, url } from './browser.mjs'
import { folderEntries, zipOf } from './zip.mjs'

const problems = path.resolve(import.meta.dirname, '../fixtures/problems')
const made = {}

function upload(page, name, bytes) {
  const file = { name, mimeType: 'application/zip', buffer: bytes }
  return page.getByTestId('file').setInputFiles([file])
}

await runSteps({
  'signing in': async ({ page }) => signIn(page),

  'a package is imported under a code and can be opened': async ({ page }) => {
    await page.goto(`${url}/admin/problems`)
    await page.fill('#code', 'gap-again')
    await upload(page, 'gap.zip', zipOf(folderEntries(path.join(problems, 'gap'))))
    await page.locator('[data-testid=import-item][data-state=done]').waitFor()
    await page.getByTestId('imported').click()
    await page.getByTestId('problem-title').waitFor()
    await page.getByTestId('statement').waitFor()
    assert.ok((await page.getByTestId('sample').count()) >= 1)
  },

  'the same code again is a new version': async ({ page }) => {
    await page.goto(`${url}/admin/problems`)
    await page.fill('#code', 'gap-again')
    const entries = folderEntries(path.join(problems, 'gap'))
    await upload(page, 'gap.zip', zipOf([...entries, ['data/secret/zz.in', '2\n1 2\n'], ['data/secret/zz.ans', '1\n']]))
    const item = page.locator('[data-testid=import-item][data-state=done]')
    await item.waitFor()
    assert.match(await item.innerText(), /New version/)
  },

  'a package that lacks an answer is refused, naming the file': async ({ page }) => {
    await page.goto(`${url}/admin/problems`)
    const entries = folderEntries(path.join(problems, 'gap'))
    const lacking = entries.filter(([name]) => name !== 'data/sample/1.ans')
    assert.equal(lacking.length, entries.length - 1)
    await upload(page, 'lacking.zip', zipOf(lacking))
    const item = page.locator('[data-testid=import-item][data-state=failed]')
    await item.waitFor()
    assert.equal(await item.getByTestId('error').getAttribute('data-code'), 'bad_package')
    assert.match(await item.innerText(), /data\/sample\/1/)
  },

  'a user gets a password that is shown once': async ({ page }) => {
    await page.goto(`${url}/admin/users`)
    await page.getByTestId('new-user').click()
    made.name = `lin${Date.now() % 1000000}`
    await page.fill('#new-username', made.name)
    await page.fill('#new-name', 'Lin Xiaoyu')
    await page.getByTestId('create-user').locator('[type=submit]').click()
    await page.getByTestId('secret').waitFor()
    made.password = await page.getByTestId('secret').innerText()
    assert.ok(made.password.length >= 8)
    await page.keyboard.press('Escape')
    await page.getByTestId('user-row').filter({ hasText: made.name }).waitFor()
    assert.ok(!(await page.content()).includes(made.password), 'it is gone from the page')
  },

  'the name is taken the second time': async ({ page }) => {
    await page.getByTestId('new-user').click()
    await page.fill('#new-username', made.name)
    await page.getByTestId('create-user').locator('[type=submit]').click()
    const error = page.getByTestId('create-user').getByTestId('error')
    await error.waitFor()
    assert.equal(await error.getAttribute('data-code'), 'conflict_username')
    await page.keyboard.press('Escape')
  },

  'the user signs in, sees no administration, and changes the password': async ({ browser }) => {
    const context = await browser.newContext({ locale: 'zh-CN' })
    const page = await context.newPage()
    await signIn(page, made.name, made.password)
    assert.equal(await page.getByTestId('nav-admin').count(), 0)
    assert.equal(await page.getByTestId('nav-problems').innerText(), '题目')
    await page.goto(`${url}/admin/users`)
    await page.getByTestId('lost').waitFor()
    await openProblem(page, 'aplusb')
    await page.goto(`${url}/account`)
    await page.fill('#current', made.password)
    await page.fill('#next', 'a-new-password-1')
    await page.fill('#repeat', 'a-new-password-1')
    await page.getByTestId('password-form').locator('[type=submit]').click()
    await page.getByTestId('password-changed').waitFor()
    await context.close()
    const again = await browser.newContext()
    const second = await again.newPage()
    await signIn(second, made.name, 'a-new-password-1')
    await again.close()
  },

  'a node is registered and its join command is shown once': async ({ page }) => {
    await page.goto(`${url}/admin/judgers`)
    await page.getByTestId('judger-row').first().waitFor()
    await page.getByTestId('new-judger').click()
    made.judger = `pc-${Date.now() % 1000000}`
    await page.fill('#judger-name', made.judger)
    await page.selectOption('#judger-pool', 'python')
    await page.fill('#judger-slots', '3')
    await page.getByTestId('create-judger').locator('[type=submit]').click()
    await page.getByTestId('secret').waitFor()
    const command = await page.getByTestId('secret').innerText()
    assert.match(command, /^assize node --pool python --server http\S+ --join-code \S+$/)
    await page.keyboard.press('Escape')
    const row = page.getByTestId('judger-row').filter({ hasText: made.judger })
    assert.match(await row.innerText(), /0\/3/)
  },

  'a node that runs is drained and enabled again': async ({ page }) => {
    const state = page.getByTestId('config-state').filter({ hasText: /^\s*Enabled\s*$/ })
    const row = page.getByTestId('judger-row').filter({ has: state }).last()
    const name = await row.locator('strong').innerText()
    const same = page.getByTestId('judger-row').filter({ hasText: name })
    await same.getByRole('button', { name: 'Drain' }).click()
    await same.getByRole('button', { name: 'Enable' }).click()
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('[data-testid=judger-row]')].some(
          (one) =>
            one.querySelector('strong').textContent === wanted &&
            one.querySelector('[data-testid=config-state]').textContent.trim() === 'Enabled',
        ),
      name,
    )
  },

  'a pool is held and put back, and says so': async ({ page }) => {
    await page.goto(`${url}/admin/pools`)
    const pool = page.getByTestId('pool').filter({ has: page.getByRole('heading', { name: 'python', exact: true }) })
    await pool.getByTestId('node-name').filter({ hasText: made.judger }).waitFor()
    await pool.getByTestId('hold-pool').click()
    await page.getByTestId('hold-do').click()
    await pool.getByTestId('release-pool').waitFor()
    assert.equal(await pool.getByTestId('pool-state').innerText(), 'Held')
    await pool.getByTestId('release-pool').click()
    await pool.getByTestId('hold-pool').waitFor()
    assert.equal(await pool.getByTestId('pool-state').innerText(), 'In service')
  },

  'a host group is made, and its limit changed': async ({ page }) => {
    made.group = `rack-${Date.now() % 1000000}`
    await page.getByTestId('new-group').click()
    await page.fill('#group-name', made.group)
    await page.fill('#group-slots', '4')
    await page.getByTestId('group-dialog').locator('[type=submit]').click()
    const row = page.getByTestId('group-row').filter({ hasText: made.group })
    await row.waitFor()
    assert.match(await row.innerText(), /0 \/ 4/)
    await row.getByRole('button').click()
    await page.fill('#group-slots', '2')
    await page.getByTestId('group-dialog').locator('[type=submit]').click()
    await row.filter({ hasText: '0 / 2' }).waitFor()
  },

  'answers are handed in as a zip': async ({ page }) => {
    await page.goto(`${url}/admin/problems`)
    const code = `answers-${Date.now() % 1000000}`
    await page.fill('#code', code)
    const yaml = 'problem_format_version: 2025-09\nname: Answers\ntype: submit-answer\nlicense: public domain\nuuid: 5ca6ba5b-36d5-4eff-8aa7-d967cbc4375e\n'
    await upload(page, 'answers.zip', zipOf([['problem.yaml', yaml], ['data/secret/1.in', '1\n'], ['data/secret/1.ans', '42\n'], ['statement/problem.en.md', 'Say 42.\n']]))
    await page.locator('[data-testid=import-item][data-state=done]').waitFor()
    await openProblem(page, code)
    const zip = { name: 'mine.zip', mimeType: 'application/zip', buffer: zipOf([['1.out', '42\n']]) }
    await page.getByTestId('file-field').setInputFiles([zip])
    await page.getByTestId('result-link').waitFor()
    assert.match(await page.locator('.cm-content').innerText(), /=== 1\.out ===/)
  },

  'an API token is made, shown once and revoked': async ({ page }) => {
    await page.goto(`${url}/account`)
    await page.fill('#token-name', 'ci')
    await page.getByTestId('api-tokens').locator('[type=submit]').click()
    const secret = await page.getByTestId('secret').innerText()
    const asToken = { Authorization: `Bearer ${secret}` }
    assert.equal((await fetch(`${url}/api/v1/admin/pools`, { headers: asToken })).status, 200)
    await page.reload()
    const row = page.getByTestId('api-token').filter({ hasText: 'ci' })
    await row.getByRole('button').click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await fetch(`${url}/api/v1/admin/pools`, { headers: asToken })).status, 401)
  },

  'the system page says that all is well': async ({ page }) => {
    await page.goto(`${url}/admin/system`)
    await page.getByTestId('pool-table').waitFor()
    assert.match(await page.getByTestId('health').innerText(), /All is well/)
    assert.ok(password, 'the script ran as an administrator')
  },
})

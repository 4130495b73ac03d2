/* Statements of imported packages: pictures come from the package, and nothing in a statement can
 * act in the page; TeX is shown as its source, a PDF in its frame. */
import { assert, picture, runSteps, signIn, url } from './browser.mjs'
import { zipOf } from './zip.mjs'

/* Ten by ten pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
  'base64',
)
const HOSTILE = `A statement with a picture

![stones](stones.png)

and a formula $a^2$, and things that must not work:

<script>globalThis.stolen = 'script'</script>
<img src="x.png" onerror="globalThis.stolen = 'handler'">
<a href="javascript:globalThis.stolen = 'link'">press here</a>
<form action="https://example.org"><input name="password"></form>
<style>body { display: none }</style>
<div id="main" class="dialog-body" style="position: fixed; inset: 0">cover</div>
`
const YAML = 'name: From a test\nlimits:\n  time_limit: 1\n'
const CASES = [
  ['data/sample/1.in', '1\n'],
  ['data/sample/1.ans', '1\n'],
  ['data/secret/1.in', '2\n'],
  ['data/secret/1.ans', '2\n'],
]

/* The smallest PDF that a viewer takes: one page that says where it comes from. */
function pdf() {
  const stream = 'BT /F1 24 Tf 60 700 Td (The statement as PDF) Tj ET'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const place = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  text += places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  return `${text}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
}

async function importAs(page, code, entries) {
  await page.goto(`${url}/admin/problems`)
  await page.fill('#code', code)
  const buffer = zipOf([['problem.yaml', YAML], ...CASES, ...entries])
  await page.getByTestId('file').setInputFiles([{ name: `${code}.zip`, mimeType: 'application/zip', buffer }])
  const item = page.getByTestId('import-item').first()
  await page.locator('[data-state=done], [data-state=failed]').first().waitFor()
  assert.equal(await item.getAttribute('data-state'), 'done', await item.innerText())
  await page.getByTestId('imported').click()
  await page.getByTestId('problem-title').waitFor()
}

await runSteps({
  'signing in': async ({ page }) => signIn(page),

  'a picture of the package is shown, and a hostile statement does nothing': async ({ page, faults }) => {
    await importAs(page, 'hostile', [
      ['problem_statement/problem.en.md', HOSTILE],
      ['problem_statement/stones.png', PNG],
    ])
    const statement = page.getByTestId('statement')
    await statement.locator('.katex').waitFor()
    const width = await statement.locator('img').first().evaluate(async (image) => {
      image.loading = 'eager'
      await image.decode()
      return image.naturalWidth
    })
    assert.equal(width, 10)
    await statement.getByText('press here').click()
    assert.equal(await page.evaluate(() => globalThis.stolen), undefined)
    assert.equal(await statement.locator('script, form, input, style, [style]:not(.katex *), [id], [onerror]').count(), 0)
    assert.ok(await page.getByTestId('submit').isVisible())
    /* Chromium reports the handler that the cleaning takes out. */
    assert.ok(faults.every((fault) => fault.includes('inline event handler')), faults.join('\n'))
    faults.length = 0
    await picture(page, 'statement-hostile-1400')
  },

  'a TeX statement is shown as text with formulas': async ({ page }) => {
    await importAs(page, 'in-tex', [
      ['problem_statement/problem.en.tex', '\\problemname{From a test}\nGiven $n$, print $n$.\n'],
    ])
    const statement = page.getByTestId('statement')
    await statement.locator('.katex').first().waitFor()
    const text = await statement.innerText()
    assert.match(text, /Given/)
    assert.doesNotMatch(text, /problemname|\$/)
  },

  'a PDF statement is framed, and linked for those whose browser shows none': async ({ page, faults }) => {
    const fetched = page.waitForResponse((response) => response.url().includes('.pdf'))
    await importAs(page, 'in-pdf', [['problem_statement/problem.en.pdf', pdf()]])
    const answer = await fetched
    assert.equal(answer.status(), 200)
    assert.match(answer.headers()['content-type'], /^application\/pdf/)
    assert.equal(answer.headers()['x-content-type-options'], 'nosniff')
    const link = await page.getByTestId('statement-pdf').getAttribute('href')
    assert.match(link, /^\/api\/v1\/problems\/\d+\/files\/[^/]+\.pdf$/)
    await page.waitForTimeout(1500)
    await picture(page, 'statement-pdf-1400')
    faults.length = 0
  },
})

// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { renderHtml, renderMarkdown } from '../src/text/statement'

const options = { files: '/api/v1/problems/7/files/' }

function markdown(text: string): HTMLElement {
  const host = document.createElement('div')
  host.append(renderMarkdown(text, options))
  return host
}

function html(text: string): HTMLElement {
  const host = document.createElement('div')
  host.append(renderHtml(text, options))
  return host
}

describe('formulas', () => {
  it('are drawn between single dollars', () => {
    const host = markdown('with $a_i \\le 10^9$ for all')
    expect(host.querySelectorAll('[data-math=inline] .katex')).toHaveLength(1)
    expect(host.querySelector('annotation')!.textContent).toBe('a_i \\le 10^9')
  })

  it('are read before emphasis, so that underscores and stars stay theirs', () => {
    const host = markdown('$x_1 * y_1$ and $x_2 * y_2$')
    expect(host.querySelector('em')).toBeNull()
    expect(host.querySelectorAll('.katex')).toHaveLength(2)
  })

  it('stand by themselves between double dollars, in one line or several', () => {
    const host = markdown('$$\nx = \\frac{1}{2}\n$$\n\n$$ y = 2 $$\n\nin $$z$$ line')
    expect(host.querySelectorAll('[data-math=display] .katex-display')).toHaveLength(3)
  })

  it('may have spaces at both ends', () => {
    expect(markdown('数 $ n $ 个').querySelectorAll('.katex')).toHaveLength(1)
  })

  it('leave money alone', () => {
    const host = markdown('It costs $5 and $6, or \\$7.')
    expect(host.querySelector('.katex')).toBeNull()
    expect(host.textContent!.trim()).toBe('It costs $5 and $6, or $7.')
    expect(markdown('from $5-$6 on').querySelector('.katex')).toBeNull()
  })

  it('leave code alone', () => {
    const host = markdown('`$a$`\n\n```\n$b$\n```')
    expect(host.querySelector('.katex')).toBeNull()
  })

  it('inside a table keep their cell', () => {
    const host = markdown('| a | b |\n|:--|--:|\n| $x$ | 2 |')
    expect(host.querySelectorAll('td .katex')).toHaveLength(1)
    expect(host.querySelector('th[align=right]')!.textContent).toBe('b')
  })

  it('that are wrong show their source and break nothing else', () => {
    const host = markdown('$\\frac{1$ and *more*')
    expect(host.querySelector('.katex-error')!.textContent).toBe('\\frac{1')
    expect(host.querySelector('em')!.textContent).toBe('more')
  })

  it('can neither link, nor load, nor grow without end', () => {
    const host = markdown(
      '$\\href{javascript:alert(1)}{x}$ $\\includegraphics{http://e.example/x.png}$ ' +
        '$\\def\\a{\\a\\a}\\a$ $\\rule{10000em}{10000em}$',
    )
    expect(host.querySelector('a, img')).toBeNull()
    expect(host.innerHTML).not.toContain('10000em;')
  })
})

describe('what must not get through', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a handler', '<img src="a.png" onerror="alert(1)">'],
    ['a script in SVG', '<svg onload="alert(1)"><script>alert(1)</script></svg>'],
    ['a frame', '<iframe src="https://e.example"></iframe>'],
    ['an object', '<object data="x"></object><embed src="x">'],
    ['a form', '<form action="https://e.example"><input name="p"><button>Go</button></form>'],
    ['a style sheet', '<style>body { display: none }</style><link rel="stylesheet" href="//e.example/x">'],
    ['MathML with a foreign namespace', '<math><mtext><table><mglyph><style><img src onerror=alert(1)>'],
    ['a base', '<base href="https://e.example/">'],
    ['a refresh', '<meta http-equiv="refresh" content="0; url=https://e.example">'],
  ])('%s', (_name, text) => {
    for (const host of [markdown(text), html(text)]) {
      const forbidden = 'script,iframe,object,embed,form,input,button,style,link,svg,math,base,meta'
      expect(host.querySelector(forbidden)).toBeNull()
      expect(host.innerHTML).not.toMatch(/\son\w+=/i)
    }
  })

  it.each([
    ['<a href="javascript:alert(1)">x</a>'],
    ['[x](javascript:alert(1))'],
    ['<a href="java&#10;script:alert(1)">x</a>'],
    ['<a href="data:text/html,<script>alert(1)</script>">x</a>'],
    ['<a href="vbscript:x">x</a>'],
  ])('a link that runs: %s', (text) => {
    expect(markdown(text).querySelector('a[href]')).toBeNull()
  })

  it('classes, ids, names and styles, by which it could pose as a part of the page', () => {
    const host = markdown(
      '<div class="dialog-body" id="app" name="x" style="position:fixed;inset:0" data-testid="submit">x</div>',
    )
    const box = host.querySelector('div')!
    expect(box.getAttributeNames()).toEqual([])
  })

  it('a picture from elsewhere; a link to it stays', () => {
    const host = markdown('![map](https://e.example/map.png)')
    expect(host.querySelector('img')).toBeNull()
    expect(host.querySelector('a')!.textContent).toBe('map')
  })

  it('a formula whose source would close its attribute', () => {
    const host = markdown('$"><img src=x onerror=alert(1)>$')
    expect(host.querySelector('img')).toBeNull()
  })
})

describe('pictures and links of the statement', () => {
  it.each([
    ['![p](stones.png)', '/api/v1/problems/7/files/stones.png'],
    ['![p](img/stones.png)', '/api/v1/problems/7/files/stones.png'],
    ['![p](./a%20b.png)', '/api/v1/problems/7/files/a%20b.png'],
    ['<img src="图.png" width="40%">', '/api/v1/problems/7/files/%E5%9B%BE.png'],
    ['<img src="../../session?x">', '/api/v1/problems/7/files/session'],
  ])('%s is fetched below the problem', (text, url) => {
    expect(markdown(text).querySelector('img')!.getAttribute('src')).toBe(url)
  })

  it('a picture has a name for those who can not see it', () => {
    expect(html('<img src="img/stones.png">').querySelector('img')!.alt).toBe('stones.png')
  })

  it('open elsewhere and tell nothing about where they were', () => {
    const link = markdown('[site](https://e.example/)').querySelector('a')!
    expect(link.target).toBe('_blank')
    expect(link.rel).toContain('noopener')
  })

  it('that lead out of the folder lead nowhere', () => {
    expect(markdown('![p](..)').querySelector('img')).toBeNull()
    expect(markdown('![p](/api/v1/session)').querySelector('img')).toBeNull()
  })
})

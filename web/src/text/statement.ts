/* A statement's text to safe DOM: Markdown, then cleaning, then formulas. */
import katex from 'katex'
import 'katex/dist/katex.min.css'
import createMarkdownIt, { type MarkdownIt } from 'markdown-it'
import { cleanHtml, type CleanOptions } from './clean'
import { mathPlugin } from './math'

const KATEX_EXPAND_MAX = 500
const KATEX_SIZE_MAX_EM = 40

/* Columns are aligned by `align`: the style attribute does not pass the cleaning. */
function alignPlugin(md: MarkdownIt): void {
  md.core.ruler.push('align', (state) => {
    for (const token of state.tokens) {
      const style = String(token.attrGet('style') ?? '')
      const side = /text-align:\s*(left|right|center)/.exec(style)?.[1]
      if (side) token.attrs = [['align', side]]
    }
  })
}

const markdown = createMarkdownIt({ html: true, linkify: false, typographer: false })
  .use(mathPlugin)
  .use(alignPlugin)

/* `trust: false` keeps \href, \includegraphics and \htmlClass from doing anything. */
function fillMath(element: HTMLElement): void {
  const tex = element.getAttribute('data-tex') ?? ''
  const displayMode = element.getAttribute('data-math') === 'display'
  element.removeAttribute('data-tex')
  katex.render(tex, element, {
    displayMode,
    throwOnError: false,
    trust: false,
    strict: 'ignore',
    maxExpand: KATEX_EXPAND_MAX,
    maxSize: KATEX_SIZE_MAX_EM,
  })
}

function finish(html: string, options: CleanOptions): DocumentFragment {
  const fragment = cleanHtml(html, options)
  for (const element of fragment.querySelectorAll<HTMLElement>('[data-math]')) fillMath(element)
  for (const table of fragment.querySelectorAll('table')) {
    const box = document.createElement('div')
    box.className = 'wide-box'
    table.replaceWith(box)
    box.append(table)
  }
  return fragment
}

export function renderMarkdown(text: string, options: CleanOptions): DocumentFragment {
  return finish(markdown.render(text), options)
}

export function renderHtml(text: string, options: CleanOptions): DocumentFragment {
  return finish(text, options)
}

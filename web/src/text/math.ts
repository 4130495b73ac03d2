/* The markdown-it rules for `$...$` and `$$...$$`. They leave an empty element that carries the TeX;
 * statement.ts fills it after everything foreign was cleaned away. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

const DOLLAR = 0x24

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function closingDollar(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '$') return at
  }
  return -1
}

/* "$5 and $6" is money: a formula touches both its dollars, or neither, and no digit follows. */
function isFormula(body: string, after: string | undefined): boolean {
  if (body.trim() === '' || /\n\s*\n/.test(body)) return false
  if (after !== undefined && /\d/.test(after)) return false
  return isSpace(body[0]) === isSpace(body[body.length - 1])
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== DOLLAR) return false
  const marks = state.src.startsWith('$$', state.pos) ? 2 : 1
  const begin = state.pos + marks
  const end = closingDollar(state.src, begin)
  if (end < 0 || !state.src.startsWith('$'.repeat(marks), end)) return false
  const body = state.src.slice(begin, end)
  if (!isFormula(body, marks === 1 ? state.src[end + 1] : undefined)) return false
  if (!silent) {
    const token = state.push(marks === 2 ? 'math_display' : 'math_inline', '', 0)
    token.content = body.trim()
  }
  state.pos = end + marks
  return true
}

function lineText(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!)
}

function blockMath(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const first = lineText(state, startLine).trim()
  if (!first.startsWith('$$')) return false
  const opening = first.slice(2)
  const oneLine = opening.endsWith('$$') && opening.length > 2
  let last = startLine
  if (!oneLine) {
    if (opening.includes('$$')) return false
    do last++
    while (last < endLine && !lineText(state, last).trim().endsWith('$$'))
    if (last >= endLine) return false
  }
  if (silent) return true
  const inner = state.getLines(startLine, last + 1, state.blkIndent, false).trim()
  const token = state.push('math_display', '', 0)
  token.content = inner.slice(2, -2).trim()
  token.block = true
  token.map = [startLine, last + 1]
  state.line = last + 1
  return true
}

export function mathPlugin(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math_inline', inlineMath)
  md.block.ruler.before('fence', 'math_display', blockMath, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  const element = (kind: string, tex: string): string =>
    `<span data-math="${kind}" data-tex="${md.utils.escapeHtml(tex)}"></span>`
  md.renderer.rules['math_inline'] = (tokens, i) => element('inline', tokens[i]!.content)
  md.renderer.rules['math_display'] = (tokens, i) => element('display', tokens[i]!.content)
}

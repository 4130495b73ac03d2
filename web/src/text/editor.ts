/* The code editor: CodeMirror with our colours, and each language's grammar loaded when needed. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  type LanguageSupport,
} from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, Prec, type Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  rectangularSelection,
} from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'

const loaders: Record<string, () => Promise<LanguageSupport>> = {
  c: async () => (await import('@codemirror/lang-cpp')).cpp(),
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  python: async () => (await import('@codemirror/lang-python')).python(),
  sql: async () => (await import('@codemirror/lang-sql')).sql(),
  typescript: async () =>
    (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
}

/* No grammar for an unknown mode, or when the chunk can't be had: plain text still works. */
export async function grammarOf(mode: string): Promise<Extension> {
  try {
    return (await loaders[mode]?.()) ?? []
  } catch {
    return []
  }
}

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13.5px', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 5%, transparent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink-3)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-foldGutter .cm-gutterElement': { color: 'var(--ink-3)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)',
    outline: 'none',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { color: 'var(--bad)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 20%, transparent)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 35%, transparent)' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--field-line)',
    borderRadius: '4px',
    color: 'var(--ink)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    color: 'var(--ink)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--surface-3)',
    border: 'none',
    color: 'var(--ink-2)',
    padding: '0 6px',
  },
})

export interface EditorOptions {
  label: string
  hint: string
  readOnly: boolean
  onChange(text: string): void
}

/* Ctrl+Enter hands in: the key goes on to whoever listens, and CodeMirror adds no line for it. */
const submitKey: Extension = Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }]))

const writing: Extension = [
  history(),
  dropCursor(),
  indentOnInput(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  rectangularSelection(),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, indentWithTab]),
]

export function editorExtensions(options: EditorOptions): Extension {
  const attributes = { 'aria-label': options.label, 'data-testid': 'editor-text', tabindex: '0' }
  return [
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    syntaxHighlighting(classHighlighter),
    EditorState.tabSize.of(4),
    indentUnit.of('    '),
    EditorView.contentAttributes.of({ ...attributes, spellcheck: 'false', autocorrect: 'off' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.doc.toString())
    }),
    look,
    options.readOnly
      ? [EditorState.readOnly.of(true)]
      : [submitKey, writing, placeholder(options.hint)],
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
  ]
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Message } from '../src/messages/messages'
import { errorTable } from '../src/messages/errors'

const pages = import.meta.glob<Record<string, Record<string, Record<string, Message>>>>(
  '../src/messages/*.ts',
  { eager: true },
)

function tables(): [string, Record<string, Record<string, Message>>][] {
  return Object.entries(pages).flatMap(([file, exported]) =>
    Object.entries(exported)
      .filter(([name]) => name.endsWith('Table'))
      .map(([name, table]) => [`${path.basename(file)} ${name}`, table] as [string, typeof table]),
  )
}

/* Marks that no argument of a message has, so that they can be found in what it returns. */
const MARKS = [7001, 7002, 7003]

function said(message: Message): string {
  return typeof message === 'string' ? message : message(...(MARKS as never[]))
}

describe('messages', () => {
  it('are found in every page file', () => {
    expect(tables().length).toBeGreaterThan(15)
  })

  it.each(tables())('%s says the same things in both languages', (_name, table) => {
    expect(Object.keys(table).sort()).toEqual(['en', 'zh-CN'])
    expect(Object.keys(table['zh-CN']!).sort()).toEqual(Object.keys(table['en']!).sort())
  })

  it.each(tables())('%s leaves no message empty and drops no argument', (_name, table) => {
    for (const [key, english] of Object.entries(table['en']!)) {
      const chinese = table['zh-CN']![key]!
      expect(said(english).trim(), key).not.toBe('')
      expect(said(chinese).trim(), key).not.toBe('')
      for (const mark of MARKS) {
        expect(said(chinese).includes(String(mark)), `${key} ${mark}`).toBe(
          said(english).includes(String(mark)),
        )
      }
    }
  })

  it('have a sentence for exactly the codes of the contract and the two of the browser', () => {
    const file = path.resolve(import.meta.dirname, '../../docs/api/errors.yaml')
    const codes = Object.keys(parse(readFileSync(file, 'utf8')) as object)
    const own = ['network', 'unreadable']
    expect(Object.keys(errorTable.en).sort()).toEqual([...codes, ...own].sort())
  })
})

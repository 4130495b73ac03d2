import { describe, expect, it } from 'vitest'
import type { LanguageInfo } from '../src/api/types'
import { offeredLanguages, startLanguage } from '../src/state/languages'
import { agoText, bytesText, durationText, memoryText, scoreText, utf8Bytes } from '../src/text/format'
import { randomHex, randomPassword } from '../src/text/random'

describe('numbers as people read them', () => {
  it('durations', () => {
    expect([0, 999, 1000, 1500, 2345, 12340].map(durationText)).toEqual([
      '0 ms', '999 ms', '1 s', '1.5 s', '2.35 s', '12.3 s',
    ])
  })

  it('memory', () => {
    expect([512, 1024, 3686, 262144, 1048576].map(memoryText)).toEqual([
      '512 KiB', '1 MiB', '3.6 MiB', '256 MiB', '1 GiB',
    ])
  })

  it('sizes and scores', () => {
    expect([0, 2048, 3 * 1024 * 1024].map(bytesText)).toEqual(['0 B', '2.0 KiB', '3.0 MiB'])
    expect([100, 33.333333, 12.5].map(scoreText)).toEqual(['100', '33.33', '12.5'])
  })

  it('bytes, not characters, count against the limit', () => {
    expect(utf8Bytes('é测')).toBe(5)
  })

  it('times near now are told from now', () => {
    const now = Date.parse('2026-11-30T10:00:00Z')
    expect(agoText('2026-11-30T09:57:10Z', now, 'en')).toBe('2 minutes ago')
    expect(agoText('2026-11-30T08:00:00Z', now, 'zh-CN')).toBe('2小时前')
    expect(agoText('2026-11-28T08:00:00Z', now, 'en')).toContain('2026')
  })
})

describe('random values', () => {
  it('have the wanted length and do not repeat', () => {
    expect(randomHex(16)).toMatch(/^[0-9a-f]{32}$/)
    expect(randomPassword()).toMatch(/^[a-z2-9]{16}$/)
    expect(new Set(Array.from({ length: 100 }, () => randomHex(16))).size).toBe(100)
  })
})

describe('the language to begin with', () => {
  const make = (id: string, available: boolean) => ({ id, available }) as LanguageInfo
  const all = [make('c', true), make('cpp', true), make('java', false)]

  it('is the last one, even if no node runs it now', () => {
    expect(startLanguage(all, 'java')).toBe('java')
  })

  it('is one of those that the problem takes: all where it names none', () => {
    expect(offeredLanguages(all, ['java', 'rust']).map((one) => one.id)).toEqual(['java'])
    expect(offeredLanguages(all, [])).toEqual(all)
    const sql = { ...all[0]!, id: 'mysql', pool: 'mysql' as const }
    expect(offeredLanguages([...all, sql], [])).toEqual(all)
    expect(offeredLanguages([...all, sql], ['mysql'])).toEqual([sql])
    const text = { ...all[0]!, id: 'text' }
    expect(offeredLanguages([...all, text], [])).toEqual(all)
    expect(offeredLanguages([...all, text], ['text'])).toEqual([text])
  })

  it('is the usual one, or one that can run', () => {
    expect(startLanguage(all, null)).toBe('cpp')
    expect(startLanguage([make('java', false), make('c', true)], 'gone')).toBe('c')
    expect(startLanguage([make('java', false)], null)).toBe('java')
    expect(startLanguage([], null)).toBe('')
  })
})

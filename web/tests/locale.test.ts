import { describe, expect, it } from 'vitest'
import { inLocale, preferredLocale } from '../src/state/locale'

describe('the language of the pages', () => {
  it('is the one that was chosen, whatever the browser prefers', () => {
    expect(preferredLocale('en', ['zh-CN', 'en'])).toBe('en')
  })

  it('follows the first language of the browser that there is', () => {
    expect(preferredLocale(null, ['fr-FR', 'zh-TW', 'en'])).toBe('zh-CN')
    expect(preferredLocale(null, ['en-GB', 'zh'])).toBe('en')
  })

  it('is English where the browser wants neither, or a kept choice is unknown', () => {
    expect(preferredLocale(null, ['fr', 'de'])).toBe('en')
    expect(preferredLocale('xx', [])).toBe('en')
  })
})

describe('a text in several languages', () => {
  it('is read in the wanted one, or one near to it, or the first', () => {
    expect(inLocale({ en: 'Lamps', 'zh-CN': '灯' }, 'Lamps', 'zh-CN')).toBe('灯')
    expect(inLocale({ zh: '灯' }, 'Lamps', 'zh-CN')).toBe('灯')
    expect(inLocale({ 'en-GB': 'Colour' }, 'x', 'en')).toBe('Colour')
    expect(inLocale({ de: 'Lampen' }, 'Lamps', 'en')).toBe('Lamps')
  })
})

/* The language of the pages: what was chosen, or else what the browser prefers. */
import { ref, watchEffect, type Ref } from 'vue'
import { browserStore, readKey, writeKey } from './storage'

export const LOCALES = ['en', 'zh-CN'] as const
export type Locale = (typeof LOCALES)[number]

const KEY = 'assize.locale'

export function preferredLocale(chosen: string | null, browser: readonly string[]): Locale {
  const known = LOCALES.find((locale) => locale === chosen)
  if (known) return known
  for (const tag of browser) {
    if (/^zh\b/i.test(tag)) return 'zh-CN'
    if (/^en\b/i.test(tag)) return 'en'
  }
  return 'en'
}

export const locale: Ref<Locale> = ref(
  preferredLocale(readKey(browserStore(), KEY), globalThis.navigator?.languages ?? []),
)

export function setLocale(next: Locale): void {
  locale.value = next
  writeKey(browserStore(), KEY, next)
}

export function followLocale(): void {
  watchEffect(() => {
    document.documentElement.lang = locale.value
  })
}

/* The text in the reader's language, or in the next best: `titles` is keyed by language tag. */
export function inLocale<T>(byTag: Record<string, T>, otherwise: T, want: Locale): T {
  const prefix = want.slice(0, 2)
  const near = Object.keys(byTag).find((tag) => tag.toLowerCase().startsWith(prefix))
  return byTag[want] ?? (near ? byTag[near] : undefined) ?? otherwise
}

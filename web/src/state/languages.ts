/* The languages that can be handed in, read once, and the one that was used last. */
import { shallowRef } from 'vue'
import { api, ask } from '../api/client'
import type { LanguageInfo } from '../api/types'
import { browserStore, readKey, writeKey } from './storage'

const KEY = 'assize.language'

export const languages = shallowRef<readonly LanguageInfo[]>([])

export async function loadLanguages(): Promise<readonly LanguageInfo[]> {
  languages.value = (await ask(api.GET('/api/v1/languages'))).items
  return languages.value
}

export function languageName(id: string): string {
  return languages.value.find((language) => language.id === id)?.name ?? id
}

export function editorModeOf(id: string): string {
  return languages.value.find((language) => language.id === id)?.editorMode ?? id
}

/* Statements of SQL run on a problem's own tables. */
const SQL_POOL = 'mysql'
/* Answers instead of a program. */
const ANSWERS = 'text'

/* Of all languages those that a problem takes; a problem that names none takes all programs. */
export function offeredLanguages(
  all: readonly LanguageInfo[],
  taken: readonly string[],
): readonly LanguageInfo[] {
  return all.filter((language) =>
    taken.length === 0
      ? language.pool !== SQL_POOL && language.id !== ANSWERS
      : taken.includes(language.id),
  )
}

/* What most people write in, where nothing was chosen before. */
const USUAL = 'cpp'

/* The language last used, if the problem takes it; else the usual one, or the first, that can run
 * now. */
export function startLanguage(offered: readonly LanguageInfo[], last: string | null): string {
  const same = offered.find((language) => language.id === last)
  const ready = offered.filter((language) => language.available)
  const usual = ready.find((language) => language.id === USUAL)
  return (same ?? usual ?? ready[0] ?? offered[0])?.id ?? ''
}

export function lastLanguage(): string | null {
  return readKey(browserStore(), KEY)
}

export function rememberLanguage(id: string): void {
  writeKey(browserStore(), KEY, id)
}

/* Light, dark, or as the system says. tokens.css follows `data-theme`. */
import { ref, watchEffect, type Ref } from 'vue'
import { browserStore, readKey, writeKey } from './storage'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'assize.theme'
const kept = readKey(browserStore(), KEY)

export const theme: Ref<Theme> = ref(THEMES.find((t) => t === kept) ?? 'auto')

export function setTheme(next: Theme): void {
  theme.value = next
  writeKey(browserStore(), KEY, next)
}

export function followTheme(): void {
  watchEffect(() => {
    const root = document.documentElement
    if (theme.value === 'auto') delete root.dataset['theme']
    else root.dataset['theme'] = theme.value
  })
}

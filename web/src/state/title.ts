import { watchEffect } from 'vue'

/* Keeps the window's title at what `title` says, as long as the calling component lives. */
export function usePageTitle(title: () => string): void {
  watchEffect(() => {
    const text = title()
    document.title = text ? `${text} · Assize` : 'Assize'
  })
}

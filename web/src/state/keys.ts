/* Keys that work on every page, outside of fields and the editor. */
import { onBeforeUnmount, onMounted } from 'vue'
import { useRouter } from 'vue-router'

export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/* The links that `j` and `k` walk over are marked by `data-row-link`. */
function walkRows(step: number): boolean {
  const links = Array.from(document.querySelectorAll<HTMLElement>('[data-row-link]'))
  if (links.length === 0) return false
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step
  links[Math.max(0, Math.min(links.length - 1, next))]?.focus()
  return true
}

const SECOND_KEY_MS = 1200

export function useGlobalKeys(openHelp: () => void): void {
  const router = useRouter()
  let goUntil = 0

  function search(): boolean {
    const field = document.querySelector<HTMLInputElement>('#search')
    if (field) field.focus()
    else void router.push({ name: 'problems', query: { focus: 'search' } })
    return true
  }

  function go(name: string): boolean {
    if (Date.now() > goUntil) return false
    goUntil = 0
    void router.push({ name })
    return true
  }

  function act(key: string): boolean {
    switch (key) {
      case '/':
        return search()
      case '?':
        openHelp()
        return true
      case 'g':
        goUntil = Date.now() + SECOND_KEY_MS
        return true
      case 'p':
        return go('problems')
      case 's':
        return go('submissions')
      case 'j':
        return walkRows(1)
      case 'k':
        return walkRows(-1)
      default:
        return false
    }
  }

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (isWriting(event.target) || document.querySelector('dialog[open]')) return
    if (act(event.key)) event.preventDefault()
  }

  onMounted(() => window.addEventListener('keydown', onKey))
  onBeforeUnmount(() => window.removeEventListener('keydown', onKey))
}

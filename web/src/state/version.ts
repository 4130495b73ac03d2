/* A chunk that can't be loaded usually means that the server was updated under an open page. */
const KEY = 'assize.reloaded'
const AGAIN_MS = 10000

export function reloadOnce(address: string): void {
  const last = Number(sessionStorage.getItem(KEY) ?? '0')
  if (Date.now() - last < AGAIN_MS) return
  sessionStorage.setItem(KEY, String(Date.now()))
  window.location.assign(address)
}

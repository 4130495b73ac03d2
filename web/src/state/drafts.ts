/* Programs being written, one for each user, problem and language, kept in the browser.
 *
 * A draft remembers the attempt to hand it in: the same text goes out under the same key until the
 * server has said 201, also after a reload, so that one program is never judged twice. */
import { randomHex } from '../text/random'
import { readKey, removeKey, writeKey, type Store } from './storage'

export interface Draft {
  text: string
  savedMs: number
  /* The key of the attempt under way, and the text that it belongs to. */
  attempt: { key: string; text: string } | null
  /* Whether the server has this very text. */
  received: boolean
}

const PREFIX = 'assize.draft.'
const DRAFTS_MAX = 200

export function draftKey(userId: number, problemId: number, language: string): string {
  return `${PREFIX}${userId}.${problemId}.${language}`
}

export function readDraft(store: Store | null, key: string): Draft | null {
  const kept = readKey(store, key)
  if (kept === null) return null
  try {
    const draft = JSON.parse(kept) as Partial<Draft>
    if (typeof draft.text !== 'string') return null
    return {
      text: draft.text,
      savedMs: typeof draft.savedMs === 'number' ? draft.savedMs : 0,
      attempt: draft.attempt ?? null,
      received: draft.received === true,
    }
  } catch {
    return null
  }
}

function draftKeys(store: Store): string[] {
  const keys: string[] = []
  for (let i = 0; i < store.length; i++) {
    const key = store.key(i)
    if (key?.startsWith(PREFIX)) keys.push(key)
  }
  return keys
}

/* Those that the server has go first, then the oldest. */
function dropOrder(store: Store, keep: string): string[] {
  const rank = (key: string): [number, number] => {
    const draft = readDraft(store, key)
    return draft ? [draft.received ? 0 : 1, draft.savedMs] : [-1, 0]
  }
  return draftKeys(store)
    .filter((key) => key !== keep)
    .map((key) => ({ key, rank: rank(key) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
    .map((entry) => entry.key)
}

/* Keeps the draft, making room if needed. False when the browser keeps nothing at all. */
export function writeDraft(store: Store | null, key: string, draft: Draft): boolean {
  if (!store) return false
  const value = JSON.stringify(draft)
  if (draftKeys(store).length >= DRAFTS_MAX && readKey(store, key) === null) {
    for (const old of dropOrder(store, key).slice(0, 1)) removeKey(store, old)
  }
  if (writeKey(store, key, value)) return true
  for (const old of dropOrder(store, key)) {
    removeKey(store, old)
    if (writeKey(store, key, value)) return true
  }
  return false
}

export function editedDraft(draft: Draft | null, text: string, nowMs: number): Draft {
  const same = draft?.text === text
  return {
    text,
    savedMs: nowMs,
    attempt: draft?.attempt ?? null,
    received: same && draft.received,
  }
}

/* The draft on its way: the key stays while the text is the one that the attempt began with. */
export function attemptedDraft(draft: Draft): Draft {
  const going = draft.attempt?.text === draft.text
  return { ...draft, attempt: going ? draft.attempt : { key: randomHex(16), text: draft.text } }
}

/* After 201: the next attempt, even with the same text, is a new one. */
export function receivedDraft(draft: Draft, text: string): Draft {
  return { ...draft, attempt: null, received: draft.text === text }
}

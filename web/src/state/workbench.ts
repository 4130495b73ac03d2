/* The program being written for one problem: its language, its draft, and handing it in. */
import { computed, onBeforeUnmount, onMounted, ref, shallowRef, watch } from 'vue'
import { ApiError, asApiError } from '../api/errors'
import type { LanguageInfo, ProblemDetail, Submission } from '../api/types'
import { utf8Bytes } from '../text/format'
import {
  attemptedDraft,
  draftKey,
  editedDraft,
  readDraft,
  receivedDraft,
  writeDraft,
  type Draft,
} from './drafts'
import { lastLanguage, rememberLanguage, startLanguage } from './languages'
import { user } from './session'
import { browserStore } from './storage'
import { randomHex } from '../text/random'
import { handIn, handInZip } from './submit'

const SAVE_MS = 300
const ZIP_BYTES_MAX = 1024 * 1024
/* Of submissions that are answers. */
export const ANSWERS_LANGUAGE = 'text'

export type Kept = 'nothing' | 'draft' | 'sent' | 'lost'

export function useWorkbench(problem: ProblemDetail, offered: readonly LanguageInfo[]) {
  const store = browserStore()
  const language = ref(startLanguage(offered, lastLanguage()))
  const text = ref('')
  const kept = ref<Kept>('nothing')
  const sending = ref(false)
  const retry = ref(0)
  const error = shallowRef<ApiError | null>(null)
  /* What `put` took the place of, while the server does not have it. */
  const replaced = ref<string | null>(null)
  let draft: Draft | null = null
  let timer = 0

  const key = (): string => draftKey(user.value?.id ?? 0, problem.id, language.value)
  const bytes = computed(() => utf8Bytes(text.value))
  const bytesMax = problem.sourceKb * 1024
  const tooLarge = computed(() => bytes.value > bytesMax)

  function keep(next: Draft): void {
    draft = next
    const safe = writeDraft(store, key(), next)
    kept.value = !safe ? 'lost' : next.received ? 'sent' : 'draft'
  }

  function open(): void {
    draft = readDraft(store, key())
    text.value = draft?.text ?? ''
    kept.value = !draft || draft.text === '' ? 'nothing' : draft.received ? 'sent' : 'draft'
  }

  /* What is typed reaches the store at the latest when the page is left. */
  function save(): void {
    window.clearTimeout(timer)
    timer = 0
    if (text.value === (draft?.text ?? '')) return
    keep(editedDraft(draft, text.value, Date.now()))
  }

  function saveSoon(): void {
    if (text.value === (draft?.text ?? '')) return
    window.clearTimeout(timer)
    timer = window.setTimeout(save, SAVE_MS)
  }

  function choose(next: string): void {
    save()
    language.value = next
    rememberLanguage(next)
    error.value = null
    replaced.value = null
    open()
  }

  /* Another program into the editor, for instance an earlier submission's. */
  function put(next: string, nextLanguage = language.value): void {
    if (nextLanguage !== language.value) choose(nextLanguage)
    save()
    const old = text.value
    const unsent = old.trim() !== '' && old !== next && !draft?.received
    text.value = next
    save()
    replaced.value = unsent ? old : null
  }

  function bringBack(): void {
    if (replaced.value === null) return
    text.value = replaced.value
    replaced.value = null
    save()
  }

  function refusal(): ApiError | null {
    if (text.value.trim() === '') return new ApiError('empty_source', 400, {}, null)
    return tooLarge.value ? new ApiError('source_too_large', 413, {}, null) : null
  }

  async function send(): Promise<Submission> {
    const going = attemptedDraft(editedDraft(draft, text.value, Date.now()))
    keep(going)
    const attempt = {
      key: going.attempt!.key,
      problemId: problem.id,
      language: language.value,
      source: going.text,
    }
    const sentKey = key()
    const received = await handIn(attempt, (turn) => (retry.value = turn))
    /* The language may have been changed meanwhile: mark the draft that was sent. */
    const now = sentKey === key() ? draft : readDraft(store, sentKey)
    const done = receivedDraft(now ?? going, attempt.source)
    if (sentKey === key()) keep(done)
    else writeDraft(store, sentKey, done)
    return received
  }

  /* A zip of answers is handed in as it is; what the server read of it then stands in the editor. */
  async function sendZip(zip: Blob): Promise<Submission> {
    const attempt = { key: randomHex(16), problemId: problem.id, zip }
    const received = await handInZip(attempt, (turn) => (retry.value = turn))
    const read = received.source ?? ''
    put(read, ANSWERS_LANGUAGE)
    keep(receivedDraft(editedDraft(draft, read, Date.now()), read))
    return received
  }

  function submit(): Promise<Submission | null> {
    return attemptOnce(refusal, send)
  }

  function submitZip(zip: Blob): Promise<Submission | null> {
    const tooMuch = new ApiError('source_too_large', 413, {}, null)
    return attemptOnce(() => (zip.size > ZIP_BYTES_MAX ? tooMuch : null), () => sendZip(zip))
  }

  async function attemptOnce(
    refused: () => ApiError | null,
    act: () => Promise<Submission>,
  ): Promise<Submission | null> {
    if (sending.value) return null
    error.value = refused()
    if (error.value) return null
    sending.value = true
    retry.value = 0
    try {
      return await act()
    } catch (thrown) {
      error.value = asApiError(thrown)
      return null
    } finally {
      sending.value = false
    }
  }

  const onHide = (): void => save()
  watch(text, saveSoon)
  onMounted(() => window.addEventListener('pagehide', onHide))
  onBeforeUnmount(() => {
    window.removeEventListener('pagehide', onHide)
    save()
  })
  open()

  return {
    language,
    text,
    kept,
    sending,
    retry,
    error,
    replaced,
    bytes,
    bytesMax,
    tooLarge,
    choose,
    put,
    bringBack,
    submit,
    submitZip,
  }
}

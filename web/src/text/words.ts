/* Errors, verdicts and reasons in plain words. */
import type { ApiError } from '../api/errors'
import type { Reason, SubmissionSummary, Verdict } from '../api/types'
import { errorTable } from '../messages/errors'
import { stateTable, verdictTable } from '../messages/verdicts'
import type { Locale } from '../state/locale'
import { timeText, waitText } from './format'

/* By code; for a code that this page does not know, the server's own words. */
export function errorText(error: ApiError, locale: Locale): string {
  const table: Record<string, string> = errorTable[locale]
  const known = Object.hasOwn(table, error.code) ? table[error.code] : undefined
  return known ?? (error.detail || `${error.code} (${error.status})`)
}

/* What the server said about one field, or the empty string. */
export function fieldText(error: ApiError | null, field: string): string {
  return error?.fields.find((one) => one.field === field)?.message ?? ''
}

const PLACES_MAX = 10000
const JOINT = { en: ' ', 'zh-CN': '' }

function queuedText(reason: Reason, locale: Locale): string {
  const t = stateTable[locale]
  if (!reason.place) return t.queued
  if (reason.place > PLACES_MAX) return t.queuedFar(PLACES_MAX)
  const at = t.queuedAt(reason.place)
  if (!reason.estimateMs) return at
  return at + JOINT[locale] + t.estimate(waitText(reason.estimateMs, locale))
}

export function reasonText(reason: Reason | null, locale: Locale): string {
  const t = stateTable[locale]
  if (!reason) return t.waiting
  switch (reason.code) {
    case 'queued':
      return queuedText(reason, locale)
    case 'starting':
      return t.starting
    case 'offline':
      return t.offline
    case 'no_node':
      return t.noNode
    case 'no_runtime':
      return t.noRuntime
    case 'draining':
      return t.draining
    case 'backoff':
      return reason.until ? t.backoffUntil(timeText(reason.until, locale)) : t.backoff
    case 'held':
      return reason.detail ? t.heldFor(reason.detail) : t.held
    case 'problem':
      return t.problem
    default:
      return reason.text || t.waiting
  }
}

/* How a submission stands: what is drawn (icon, colour) and what is said. */
export type Standing = Verdict | 'PENDING' | 'COMPILING' | 'JUDGING'

type Progress = Pick<SubmissionSummary, 'state' | 'verdict' | 'caseIndex' | 'casesTotal'>

export function standingOf(submission: Progress): Standing {
  if (submission.state === 'DONE') return submission.verdict ?? 'SYSTEM_ERROR'
  return submission.state
}

export function standingText(standing: Standing, locale: Locale, at?: Progress): string {
  const t = stateTable[locale]
  switch (standing) {
    case 'PENDING':
      return t.pending
    case 'COMPILING':
      return t.compiling
    case 'JUDGING':
      return at?.caseIndex ? t.judgingCase(at.caseIndex, at.casesTotal) : t.judging
    default:
      return verdictTable[locale][standing]
  }
}

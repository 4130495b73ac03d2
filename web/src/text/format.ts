/* Times, sizes and numbers as the reader expects them. */
import type { Locale } from '../state/locale'

const KIB_PER_MIB = 1024
const MS_PER_S = 1000

export function durationText(ms: number): string {
  if (ms < MS_PER_S) return `${ms} ms`
  const digits = ms < 10 * MS_PER_S ? 2 : 1
  return `${Number((ms / MS_PER_S).toFixed(digits))} s`
}

/* Limits are whole; measured values deserve one digit. */
export function memoryText(kib: number): string {
  if (kib < KIB_PER_MIB) return `${kib} KiB`
  const mib = kib / KIB_PER_MIB
  if (mib >= KIB_PER_MIB && Number.isInteger(mib / KIB_PER_MIB)) return `${mib / KIB_PER_MIB} GiB`
  return `${Number.isInteger(mib) || mib >= 100 ? Math.round(mib) : mib.toFixed(1)} MiB`
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

export function timeText(rfc3339: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(rfc3339),
  )
}

/* "3 minutes ago"; after a day, the date. */
export function agoText(rfc3339: string, nowMs: number, locale: Locale): string {
  const seconds = Math.round((Date.parse(rfc3339) - nowMs) / MS_PER_S)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const past = Math.abs(seconds)
  if (past < 5) return relative.format(0, 'second')
  if (past < 60) return relative.format(seconds, 'second')
  if (past < 3600) return relative.format(Math.trunc(seconds / 60), 'minute')
  if (past < 86400) return relative.format(Math.trunc(seconds / 3600), 'hour')
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(rfc3339),
  )
}

/* At most two digits after the point, and none without need. */
/* How long one has to wait, no more exactly than it is known. */
export function waitText(ms: number, locale: Locale): string {
  const seconds = Math.max(1, Math.ceil(ms / MS_PER_S))
  const unit = seconds < 90 ? 'second' : 'minute'
  const value = unit === 'second' ? seconds : Math.round(seconds / 60)
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

export function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100)
}

export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

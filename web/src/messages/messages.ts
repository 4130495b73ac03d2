/* Texts by page, in every language. A message is a string, or a function where numbers or names go
 * in. A language that lacks a message of English, or takes other arguments, does not compile. */
import { computed, type ComputedRef } from 'vue'
import { locale, type Locale } from '../state/locale'

export type Message = string | ((...args: never[]) => string)
export type Page = Readonly<Record<string, Message>>

type Same<T extends Page> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => string ? (...args: A) => string : string
}

/* Refuses, by its type, messages that English does not have. */
type Exactly<T extends Page, U> = U & { readonly [K in Exclude<keyof U, keyof T>]: never }

export type Table<T extends Page> = Readonly<Record<Locale, Same<T>>>

export function messages<T extends Page, U extends Same<T>>(en: T, zh: Exactly<T, U>): Table<T> {
  return { en: en as unknown as Same<T>, 'zh-CN': zh }
}

/* The messages of a page in the language chosen now. */
export function texts<T extends Page>(table: Table<T>): ComputedRef<Same<T>> {
  return computed(() => table[locale.value])
}

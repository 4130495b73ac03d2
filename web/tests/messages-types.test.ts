/* That a language can't lag behind is a promise of the types: `npm run check` reads these lines,
 * and an @ts-expect-error that finds no error is one. */
import { expect, it } from 'vitest'
import { messages } from '../src/messages/messages'

it('refuses, when checked, a language that lacks or adds a message or takes other arguments', () => {
  const english = { hello: 'Hello', many: (n: number) => `${n} things` }
  const right = messages(english, { hello: '你好', many: (n: number) => `${n} 个` })
  // @ts-expect-error a message is missing
  messages(english, { hello: '你好' })
  // @ts-expect-error a message that English does not have
  messages(english, { hello: '你好', many: (n: number) => `${n}`, more: '更多' })
  // @ts-expect-error a message that takes something else
  messages(english, { hello: '你好', many: (n: string) => n })
  expect(right['zh-CN'].many(3)).toBe('3 个')
})

import { describe, expect, it } from 'vitest'
import {
  attemptedDraft,
  draftKey,
  editedDraft,
  readDraft,
  receivedDraft,
  writeDraft,
} from '../src/state/drafts'
import { aStore } from './make'

const key = draftKey(3, 1, 'cpp')

describe('a draft', () => {
  it('is kept for each user, problem and language by itself', () => {
    const store = aStore()
    writeDraft(store, key, editedDraft(null, 'mine', 1))
    expect(readDraft(store, key)!.text).toBe('mine')
    expect(readDraft(store, draftKey(3, 1, 'python3'))).toBeNull()
    expect(readDraft(store, draftKey(3, 2, 'cpp'))).toBeNull()
    expect(readDraft(store, draftKey(4, 1, 'cpp'))).toBeNull()
  })

  it('that can not be read is no draft', () => {
    const store = aStore()
    store.setItem(key, '{"text":')
    expect(readDraft(store, key)).toBeNull()
    store.setItem(key, '{"words":1}')
    expect(readDraft(store, key)).toBeNull()
  })

  it('is said to be lost where the browser keeps nothing', () => {
    expect(writeDraft(null, key, editedDraft(null, 'x', 1))).toBe(false)
    expect(writeDraft(aStore(10), key, editedDraft(null, 'x', 1))).toBe(false)
  })

  it('stays after it was received, and is marked so until it is edited', () => {
    const received = receivedDraft(editedDraft(null, 'a', 1), 'a')
    expect(received).toMatchObject({ text: 'a', received: true })
    expect(editedDraft(received, 'a', 2).received).toBe(true)
    expect(editedDraft(received, 'ab', 2).received).toBe(false)
  })

  it('edited while it was on its way is not marked as received', () => {
    expect(receivedDraft(editedDraft(null, 'newer', 1), 'older').received).toBe(false)
  })
})

describe('room for drafts', () => {
  it('is made by dropping received ones first, then the oldest', () => {
    const store = aStore(360)
    const long = 'x'.repeat(20)
    writeDraft(store, draftKey(3, 1, 'cpp'), editedDraft(null, long, 100))
    writeDraft(store, draftKey(3, 2, 'cpp'), receivedDraft(editedDraft(null, long, 300), long))
    writeDraft(store, draftKey(3, 3, 'cpp'), editedDraft(null, long, 200))
    expect(writeDraft(store, draftKey(3, 4, 'cpp'), editedDraft(null, long, 400))).toBe(true)
    expect(store.keys()).not.toContain(draftKey(3, 2, 'cpp'))
    expect(writeDraft(store, draftKey(3, 5, 'cpp'), editedDraft(null, long, 500))).toBe(true)
    expect(store.keys()).not.toContain(draftKey(3, 1, 'cpp'))
    expect(store.keys()).toContain(draftKey(3, 3, 'cpp'))
  })

  it('has an end, and other things in the store are left alone', () => {
    const store = aStore()
    store.setItem('assize.theme', 'dark')
    for (let i = 0; i < 230; i++) writeDraft(store, draftKey(3, i, 'cpp'), editedDraft(null, 'x', i))
    expect(store.length).toBe(201)
    expect(store.getItem('assize.theme')).toBe('dark')
    expect(readDraft(store, draftKey(3, 229, 'cpp'))).not.toBeNull()
    expect(readDraft(store, draftKey(3, 0, 'cpp'))).toBeNull()
  })
})

describe('an attempt', () => {
  it('keeps its key while the text is the same, also after a reload', () => {
    const store = aStore()
    const first = attemptedDraft(editedDraft(null, 'a', 1))
    writeDraft(store, key, first)
    const again = attemptedDraft(editedDraft(readDraft(store, key), 'a', 2))
    expect(again.attempt!.key).toBe(first.attempt!.key)
    expect(first.attempt!.key).toMatch(/^[0-9a-f]{32}$/)
  })

  it('with another text is another attempt', () => {
    const first = attemptedDraft(editedDraft(null, 'a', 1))
    const other = attemptedDraft(editedDraft(first, 'b', 2))
    expect(other.attempt!.key).not.toBe(first.attempt!.key)
  })

  it('is over once it was received: the same text again is a new one', () => {
    const first = attemptedDraft(editedDraft(null, 'a', 1))
    const again = attemptedDraft(receivedDraft(first, 'a'))
    expect(again.attempt!.key).not.toBe(first.attempt!.key)
  })
})

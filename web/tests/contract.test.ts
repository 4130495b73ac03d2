import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contractFaults, eachOperation, readContract } from '../tools/contract.mjs'

const api = path.resolve(import.meta.dirname, '../../docs/api')
let copy = ''

beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'contract-'))
  cpSync(api, copy, { recursive: true })
})
afterEach(() => rmSync(copy, { recursive: true }))

function plant(file: string, from: string, to: string): void {
  const full = path.join(copy, file)
  const text = readFileSync(full, 'utf8')
  expect(text).toContain(from)
  writeFileSync(full, text.replace(from, to))
}

function faults(): string[] {
  const { contract, errors } = readContract(copy)
  return contractFaults(contract, errors)
}

describe('the contract in docs/api', () => {
  it('has no faults', () => {
    expect(faults()).toEqual([])
  })

  it('names every operation once and says who may call it', () => {
    const ids: string[] = []
    eachOperation(readContract(copy).contract, (operation: { operationId: string }) => ids.push(operation.operationId))
    expect(ids.length).toBeGreaterThan(30)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a fault planted in the contract is found', () => {
  it.each([
    ['paths/session.yaml', 'x-access: none', 'x-access: everybody', 'x-access must be'],
    ['paths/session.yaml', 'x-rate: login', 'x-rate: often', 'x-rate must be'],
    ['paths/session.yaml', 'x-body-limit-bytes: 4096', 'x-body-limit-bytes: 0', 'must be 0 without'],
    ['paths/session.yaml', 'operationId: sessionGet', 'operationId: sessionCreate', 'used twice'],
    ['paths/session.yaml', 'bad_credentials', 'bad_spelling', 'does not know'],
    ['paths/session.yaml', 'x-errors: [no_session]', 'x-errors: [no_session, no_user, busy, bad_package]', 'status 422 has no response'],
    ['paths/languages.yaml', 'x-errors: [no_session]', 'x-errors: []', 'no code in x-errors has status 401'],
    ['paths/languages.yaml', 'tags: [languages]', 'tags: [tongues]', 'unknown tag'],
    ['schemas/languages.yaml', '"#/LanguageInfo"', '"#/LanguageInfos"', 'leads nowhere'],
  ])('%s: %s -> %s', (file, from, to, said) => {
    plant(file, from, to)
    expect(faults().join('\n')).toContain(said)
  })

  it('a broken file is named', () => {
    plant('schemas/system.yaml', 'PoolSummary:', 'PoolSummary: [')
    expect(() => faults()).toThrow(/schemas\/system\.yaml/)
  })

  it('a name used in two files is refused', () => {
    plant('schemas/system.yaml', 'PoolSummary:', 'Submission:')
    expect(() => faults()).toThrow(/defined twice/)
  })
})

/* docs/api -> src/api/openapi.json (one file) -> src/api/schema.d.ts (its types). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { contractFaults, readContract } from './contract.mjs'

const web = path.resolve(import.meta.dirname, '..')
const { contract, errors } = readContract(path.resolve(web, '../docs/api'))
const faults = contractFaults(contract, errors)
if (faults.length > 0) {
  for (const fault of faults) console.error(`docs/api: ${fault}`)
  process.exit(1)
}

/* An unchanged file keeps its time, so that nothing is built again because of it. */
function place(name, text) {
  const file = path.join(web, 'src/api', name)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

place('openapi.json', `${JSON.stringify(contract, null, 1)}\n`)
place('schema.d.ts', astToString(await openapiTS(contract)))

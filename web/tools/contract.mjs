/* Reads docs/api, checks what the files promise each other, and joins them into one OpenAPI object.
 *
 * The files refer to each other by `file.yaml#/Name`; here every such name moves to `components`,
 * so a name may be used only once in all schema files. */
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const ACCESS = ['none', 'user', 'teacher', 'admin', 'node']
const RATES = ['read', 'write', 'login', 'machine']

function readYaml(file) {
  try {
    return parse(readFileSync(file, 'utf8'), { strict: true, uniqueKeys: true })
  } catch (error) {
    throw new Error(`${file}: ${error.message}`)
  }
}

/* Moves `ref` of a file in `folder` to the place that its target has in the joined file. */
function movedRef(ref, folder, root) {
  if (ref.startsWith('#/')) return `#/components/schemas/${ref.slice(2)}`
  const [file, pointer] = ref.split('#/')
  const target = path.relative(root, path.resolve(folder, file))
  if (target.startsWith('schemas/')) return `#/components/schemas/${pointer}`
  if (target === 'responses.yaml') return `#/components/responses/${pointer}`
  if (target === 'parameters.yaml') return `#/components/parameters/${pointer}`
  throw new Error(`${ref}: only schemas/, responses.yaml and parameters.yaml can be referred to`)
}

function moveRefs(node, folder, root) {
  if (Array.isArray(node)) return node.map((item) => moveRefs(item, folder, root))
  if (node === null || typeof node !== 'object') return node
  const moved = {}
  for (const [key, value] of Object.entries(node)) {
    moved[key] = key === '$ref' ? movedRef(value, folder, root) : moveRefs(value, folder, root)
  }
  return moved
}

function readSchemas(root) {
  const folder = path.join(root, 'schemas')
  const schemas = {}
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name)
    for (const [key, schema] of Object.entries(readYaml(file))) {
      if (schemas[key]) throw new Error(`${file}: the schema ${key} is defined twice`)
      schemas[key] = moveRefs(schema, folder, root)
    }
  }
  return schemas
}

function securityOf(access) {
  if (access === 'none') return []
  return access === 'node' ? [{ node: [] }] : [{ session: [] }, { token: [] }]
}

function readPaths(index, root) {
  const paths = {}
  for (const [address, item] of Object.entries(index.paths)) {
    const [file, key] = item.$ref.split('#/')
    const full = path.join(root, file)
    const found = readYaml(full)[key]
    if (!found) throw new Error(`${address}: ${full} has no ${key}`)
    paths[address] = moveRefs(found, path.dirname(full), root)
    for (const operation of Object.values(paths[address])) {
      operation.security = securityOf(operation['x-access'])
    }
  }
  return paths
}

export function eachOperation(contract, visit) {
  for (const [address, item] of Object.entries(contract.paths)) {
    for (const method of METHODS) if (item[method]) visit(item[method], method, address)
  }
}

/* `common` are the statuses that any operation may answer without naming a code. */
function checkStatuses(operation, errors, common, complain) {
  const listed = Object.keys(operation.responses).filter((s) => /^[45]/.test(s)).map(Number)
  const promised = new Set()
  for (const code of operation['x-errors'] ?? []) {
    if (!errors[code]) complain(`x-errors names ${code}, which errors.yaml does not know`)
    else promised.add(errors[code].status)
  }
  for (const status of promised) {
    if (!listed.includes(status)) complain(`an error of status ${status} has no response`)
  }
  for (const status of listed) {
    if (!promised.has(status) && !common.has(status)) complain(`no code in x-errors has status ${status}`)
  }
  if (!operation.responses.default) complain('the response "default" is missing')
}

function checkOperation(operation, method, complain) {
  if (!ACCESS.includes(operation['x-access'])) complain(`x-access must be one of ${ACCESS}`)
  if (!RATES.includes(operation['x-rate'])) complain(`x-rate must be one of ${RATES}`)
  const limit = operation['x-body-limit-bytes']
  if (!Number.isInteger(limit)) complain('x-body-limit-bytes must be a number')
  if (!!operation.requestBody !== limit > 0) {
    complain('x-body-limit-bytes must be 0 without a request body and more with one')
  }
  if (method === 'get' && operation.requestBody) complain('a GET has no body')
  if (!Array.isArray(operation['x-errors'])) complain('x-errors is missing')
}

function checkRefs(node, contract, complain) {
  if (node === null || typeof node !== 'object') return
  if (typeof node.$ref === 'string') {
    const target = node.$ref.slice(2).split('/').reduce((at, key) => at?.[key], contract)
    if (!target) complain(`${node.$ref} leads nowhere`)
  }
  for (const value of Object.values(node)) checkRefs(value, contract, complain)
}

/* What is wrong with the joined contract: a list of sentences, empty when all is well. */
export function contractFaults(contract, errors) {
  const faults = []
  const seen = new Set()
  const common = new Set(contract['x-errors-common'].map((code) => errors[code]?.status))
  eachOperation(contract, (operation, method, address) => {
    const where = `${method.toUpperCase()} ${address} (${operation.operationId})`
    const complain = (text) => faults.push(`${where}: ${text}`)
    if (!operation.operationId) complain('operationId is missing')
    if (seen.has(operation.operationId)) complain('operationId is used twice')
    seen.add(operation.operationId)
    if (!contract.tags.some((tag) => tag.name === operation.tags?.[0])) complain('unknown tag')
    checkOperation(operation, method, complain)
    checkStatuses(operation, errors, common, complain)
  })
  checkRefs(contract, contract, (text) => faults.push(text))
  for (const code of contract['x-errors-common']) {
    if (!errors[code]) faults.push(`x-errors-common names ${code}, unknown to errors.yaml`)
  }
  return faults
}

/* The joined contract and the error table of the folder `root`; throws on the first broken file. */
export function readContract(root) {
  const index = readYaml(path.join(root, 'openapi.yaml'))
  const errors = readYaml(path.join(root, 'errors.yaml'))
  const schemas = readSchemas(root)
  schemas.ErrorCode = { type: 'string', enum: Object.keys(errors) }
  const components = {
    ...index.components,
    schemas,
    responses: moveRefs(readYaml(path.join(root, 'responses.yaml')), root, root),
    parameters: moveRefs(readYaml(path.join(root, 'parameters.yaml')), root, root),
  }
  return { contract: { ...index, paths: readPaths(index, root), components }, errors }
}

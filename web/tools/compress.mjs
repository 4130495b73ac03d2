/* Writes name.br and name.gz beside each text file of dist; the server picks by Accept-Encoding. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const BYTES_MIN = 1024
const dist = path.resolve(import.meta.dirname, '../dist')
const textFile = /\.(?:js|css|html|svg|json|txt)$/
let raw = 0
let packed = 0

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !textFile.test(entry.name)) continue
  const file = path.join(entry.parentPath, entry.name)
  const bytes = readFileSync(file)
  if (bytes.length < BYTES_MIN) continue
  const br = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
  const gz = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(`${file}.br`, br)
  writeFileSync(`${file}.gz`, gz)
  raw += bytes.length
  packed += gz.length
  const kb = (n) => (n / 1000).toFixed(1).padStart(7)
  console.log(`${kb(bytes.length)} kB  gz ${kb(gz.length)}  br ${kb(br.length)}  ${path.relative(dist, file)}`)
}
console.log(`text: ${(raw / 1000).toFixed(0)} kB, ${(packed / 1000).toFixed(0)} kB gz`)

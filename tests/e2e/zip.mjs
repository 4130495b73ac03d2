/* A zip file of a folder, stored without compression: enough to upload a package. */
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'

const DATE_1980 = 0x21

function header(signature, name, bytes, extra) {
  const head = Buffer.alloc(signature === 0x04034b50 ? 30 : 46)
  const at = signature === 0x04034b50 ? 4 : 6
  head.writeUInt32LE(signature)
  if (at === 6) head.writeUInt16LE(20, 4)
  head.writeUInt16LE(20, at)
  head.writeUInt16LE(0x0800, at + 2)
  head.writeUInt16LE(0, at + 4)
  head.writeUInt32LE(DATE_1980 << 16, at + 6)
  head.writeUInt32LE(crc32(bytes), at + 10)
  head.writeUInt32LE(bytes.length, at + 14)
  head.writeUInt32LE(bytes.length, at + 18)
  head.writeUInt16LE(name.length, at + 22)
  if (at === 6) head.writeUInt32LE(extra, 42)
  return head
}

/* `entries` is [name, bytes] pairs. */
export function zipOf(entries) {
  const files = []
  const index = []
  let offset = 0
  for (const [text, content] of entries) {
    const name = Buffer.from(text)
    const bytes = Buffer.from(content)
    const local = Buffer.concat([header(0x04034b50, name, bytes), name, bytes])
    files.push(local)
    index.push(Buffer.concat([header(0x02014b50, name, bytes, offset), name]))
    offset += local.length
  }
  const directory = Buffer.concat(index)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, directory, end])
}

export function folderEntries(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [path.relative(folder, file), readFileSync(file)])
}

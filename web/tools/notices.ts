/* Writes third-party.txt beside the pages: the licences of what was built into them, which ask to
 * be passed on with every copy. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

function noticeOf(folder: string): string {
  const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : (about.license ?? '')
  if (!text) throw new Error(`${folder}: there is no licence to pass on`)
  return `${about.name} ${about.version}\n\n${text}\n`
}

export function notices(): Plugin {
  return {
    name: 'notices',
    apply: 'build',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
          const folder = PACKAGE.exec(id.replaceAll('\\', '/').replaceAll('\0', ''))?.[1]
          if (folder && existsSync(path.join(folder, 'package.json'))) folders.add(folder)
        }
      }
      const line = `\n${'-'.repeat(72)}\n\n`
      const source = [...folders].sort().map(noticeOf).join(line)
      this.emitFile({ type: 'asset', fileName: 'third-party.txt', source })
    },
  }
}

/* Serves dist as the real server does (policy, history fallback) over the mock API:
 *   node dev/serve-dist.mjs [port]                                                            */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { createMock } from './mock-api.mjs'

const dist = path.resolve(import.meta.dirname, '../dist')
const port = Number(process.argv[2] ?? 4180)
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'"
const handle = createMock()

function fileFor(pathname) {
  const file = path.join(dist, path.normalize(pathname))
  return existsSync(file) && statSync(file).isFile() ? file : path.join(dist, 'index.html')
}

createServer((request, answer) => {
  const { pathname } = new URL(request.url, 'http://mock')
  if (pathname.startsWith('/api/')) {
    void handle(request, answer)
    return
  }
  const file = fileFor(pathname)
  answer.writeHead(200, {
    'Content-Type': types[path.extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
  })
  answer.end(readFileSync(file))
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`))

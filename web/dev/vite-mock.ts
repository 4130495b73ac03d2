import type { Plugin } from 'vite'
import { createMock } from './mock-api.mjs'

export function mockApi(): Plugin {
  return {
    name: 'mock-api',
    apply: 'serve',
    configureServer(server) {
      const handle = createMock()
      server.middlewares.use((request, answer, next) => {
        if (request.url?.startsWith('/api/')) void handle(request, answer)
        else next()
      })
    },
  }
}

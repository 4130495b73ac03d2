import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { mockApi } from './dev/vite-mock.ts'
import { notices } from './tools/notices.ts'

/* Every browser that runs these pages reads woff2; the other two formats would be 0.8 MB more. */
function woff2Only(): Plugin {
  return {
    name: 'woff2-only',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex.*\.css/.test(id)) return null
      return code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'](?:woff|truetype)["']\)/g, '')
    },
  }
}

/* `ASSIZE_API=http://127.0.0.1:8080 npm run dev` uses a real server; without it, the mock of dev/. */
const api = process.env['ASSIZE_API']

export default defineConfig({
  plugins: [vue(), woff2Only(), notices(), ...(api ? [] : [mockApi()])],
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
  build: {
    target: 'es2022',
    /* The content security policy allows no data: fonts. */
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    reportCompressedSize: false,
  },
  server: api ? { proxy: { '/api': { target: api, changeOrigin: true } } } : {},
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
  },
})

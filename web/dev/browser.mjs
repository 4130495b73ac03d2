/* Debian's Chromium by playwright-core, with flags that suit a container. */
import { chromium } from 'playwright-core'

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}

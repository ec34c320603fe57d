import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { buildPage } from '../build-page.mjs'
import { createDemoModel, createStudio, demoTools, type StudioOptions } from '../src/index.js'
import { loadPage, serveStudio, type ServedStudio } from '../src/node.js'

/** Where Debian puts its browser. */
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))

/** True where a browser is installed; tests of the page skip otherwise, with this reason. */
export const hasBrowser: boolean = browserPath !== undefined
if (!hasBrowser) console.log('skipped: the tests of the page need Chromium at /usr/bin/chromium')

/** Starts the browser as root in a container must. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

/** A studio with the demo model, served; `options` over the usual ones. */
export async function startStudio(options: Partial<StudioOptions> = {}): Promise<ServedStudio> {
  const folder = await mkdtemp(join(tmpdir(), 'modelport-studio-'))
  await buildPage(folder)
  const assets = await loadPage(folder)
  await rm(folder, { recursive: true })
  return serveStudio(createStudio({ models: [createDemoModel()], tools: demoTools, assets, ...options }))
}

/** Opens the studio in a new page, and fails the test on any error that the page logs. */
export async function openPage(
  browser: Browser,
  { url }: ServedStudio,
  settings: Parameters<Browser['newPage']>[0] = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await browser.newPage(settings)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(url)
  await page.waitForSelector('.top')
  return { page, errors }
}

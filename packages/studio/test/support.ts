import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
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

let built: ReturnType<typeof loadPage> | undefined

/** The page, built once for each test file. */
async function buildAssets(): ReturnType<typeof loadPage> {
  const folder = await mkdtemp(join(tmpdir(), 'modelport-studio-'))
  await buildPage(folder)
  const assets = await loadPage(folder)
  await rm(folder, { recursive: true })
  return assets
}

/** A studio with the demo model, served; `options` over the usual ones. */
export async function startStudio(options: Partial<StudioOptions> = {}): Promise<ServedStudio> {
  const assets = await (built ??= buildAssets())
  return serveStudio(createStudio({ models: [createDemoModel()], tools: demoTools, assets, ...options }))
}

/** Opens the studio in a new page, and fails the test on any error that the page logs. */
export async function openPage(
  browser: Browser,
  { url }: ServedStudio,
  settings: Parameters<Browser['newPage']>[0] = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await browser.newPage(settings)
  // Shorter than the limit of a test, so that the message names what was waited for.
  page.setDefaultTimeout(50_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(url)
  await page.waitForSelector('.top')
  return { page, errors }
}

/** Texts that would run a script, load something or change the page if it took them for HTML. */
export const attacks: readonly string[] = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '[click](javascript:window.hacked=1)',
  '<svg onload="window.hacked=1"><style>*{display:none}</style>',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<form action="http://evil.example"><button formaction="javascript:hacked=1">x</button></form>',
  '![x](http://evil.example/pixel.png)',
  '<a href="data:text/html,<script>window.hacked=1</script>">x</a>',
]

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** Rules of axe that the page breaks, with the elements. The policy of the page must be bypassed, since it allows no script of others. */
export async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe })
  const result = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run())
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumPath, noChromium } from '../../../test/support/chromium.js'
import { buildPage } from '../build-page.mjs'
import { createDemoModel, createStudio, type Studio, type StudioOptions } from '../src/index.js'
import { loadPage, type ServedStudio, serveStudio } from '../src/node.js'
import { demoTools } from '../src/server/demo.js'

/** True where a browser is installed; tests of the page skip otherwise, with this reason. */
export const hasBrowser: boolean = chromiumPath !== undefined
if (!hasBrowser) console.log(`skipped: ${noChromium}`)

/** Starts the browser as root in a container must. */
export const launch = (...more: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    args: [
      ...[
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
      ...more,
    ],
  })

let built: ReturnType<typeof loadPage> | undefined

/** The page, built once for each test file. */
async function buildAssets(): ReturnType<typeof loadPage> {
  const folder = await mkdtemp(join(tmpdir(), 'modelport-studio-'))
  await buildPage(folder)
  const assets = await loadPage(folder)
  await rm(folder, { recursive: true, maxRetries: 5 })
  return assets
}

/** A studio with the demo model, and how it is served; `options` over the usual ones. */
export async function createServedStudio(
  options: Partial<StudioOptions> = {},
): Promise<{ readonly studio: Studio; readonly served: ServedStudio }> {
  const assets = await (built ??= buildAssets())
  const studio = createStudio({ models: [createDemoModel()], tools: demoTools, assets, ...options })
  return { studio, served: await serveStudio(studio) }
}

/** A studio with the demo model, served; `options` over the usual ones. */
export const startStudio = async (options: Partial<StudioOptions> = {}): Promise<ServedStudio> =>
  (await createServedStudio(options)).served

/** Opens the studio in a new page, and fails the test on any error that the page logs. */
export async function openPage(
  browser: Browser,
  { url }: Pick<ServedStudio, 'url'>,
  settings: Parameters<Browser['newPage']>[0] = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await (await browser.newContext(settings)).newPage()
  // Shorter than the limit of a test, so that the message names what was waited for.
  page.setDefaultTimeout(60_000)
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
  '[x](<javascript:window.hacked=1>) [y](data:text/html;base64,PHNjcmlwdD4=) [z](vbscript:x) <javascript:window.hacked=1>',
  '[a]: javascript:window.hacked=1\n\n[a] ![a]',
  '<math><mtext></p><style><img src=x onerror=window.hacked=1></style></mtext></math>',
  '<svg><a xlink:href="javascript:window.hacked=1"><text>x</text></a></svg>',
  '<meta http-equiv="refresh" content="0;url=http://evil.example/"><base href="http://evil.example/">',
  '<link rel="stylesheet" href="http://evil.example/x.css"><style>@import "http://evil.example/y.css"</style>',
  '<details open ontoggle=window.hacked=1><template><script>window.hacked=1</script></template></details>',
  '`` `<img src=x onerror=window.hacked=1>` ``\n\n```html\n</code></pre><script>window.hacked=1</script>\n```',
  '\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007 \u001b[2J \u202etxt.exe \u0000 \ufeff',
  `${'w'.repeat(4000)} ${'\u0430\u0301'.repeat(500)}`,
  '{{constructor.constructor("window.hacked=1")()}} ${window.hacked=1} %3Cscript%3E',
]

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** What axe can be told, as far as it is used here. */
interface Axe {
  run(options?: { readonly runOnly: readonly string[] }): Promise<AxeResult>
}

/**
 * Rules of axe that the page breaks, with the elements; all rules, or only these. The policy of the
 * page must be bypassed, since it allows no script of others.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ path: axe })
  const result = await page.evaluate(
    (runOnly) => (globalThis as unknown as { axe: Axe }).axe.run(runOnly && { runOnly }),
    rules,
  )
  return result.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

const isRunTask = ({ name, ph }: TraceEvent): boolean => name.endsWith('RunTask') && ph === 'X'

/**
 * Records the browser's own trace of the page until the returned function is called, which gives
 * the longest task of the page's main thread in milliseconds of processor time: other programs on
 * the machine do not count. A task of 30 ms is made at the end, which must be in the trace: a trace
 * that has no tasks proves nothing.
 */
export async function traceTasks(browser: Browser, page: Page): Promise<() => Promise<number>> {
  const categories = [
    'toplevel',
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    '__metadata',
  ]
  await browser.startTracing(page, { categories })
  return async () => {
    await page.evaluate(
      () =>
        new Promise<void>((resolve) =>
          setTimeout(() => {
            const end = performance.now() + 30
            while (performance.now() < end);
            resolve()
          }),
        ),
    )
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[]
    }
    const isMain = ({ name, args }: TraceEvent): boolean =>
      name === 'thread_name' && args?.name === 'CrRendererMain'
    const threads = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
    const tasks = traceEvents.filter(
      (one) => isRunTask(one) && threads.has(`${one.pid} ${one.tid}`),
    )
    const longest = Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000
    expect(longest).toBeGreaterThan(5)
    return Math.round(longest)
  }
}

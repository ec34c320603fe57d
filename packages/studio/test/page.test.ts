import { createRequire } from 'node:module'
import { mkdir } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServedStudio } from '../src/node.js'
import { expectPicture } from './pictures.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const pictures = new URL('../../../.cache/studio/', import.meta.url)

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** Rules of axe that the page breaks, with the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe }).catch(() => undefined)
  const result = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run())
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

const picture = async (page: Page, name: string): Promise<void> => {
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: new URL(`${name}.png`, pictures).pathname, fullPage: true })
}

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

describe.skipIf(!hasBrowser)('the page in Chromium', () => {
  let browser: Browser
  let studio: ServedStudio
  let open: Awaited<ReturnType<typeof openPage>>

  beforeAll(async () => {
    browser = await launch()
    studio = await startStudio({
      doctor: async function* () {
        await Promise.resolve()
        yield { name: 'key', status: 'ok', detail: 'no key is needed' }
        yield { name: 'stream', status: 'failed', detail: 'no text came', fix: 'Try another model.' }
      },
      hosts: () => Promise.resolve([{ host: 'api.example:443', usedBy: 'demo', purpose: 'inference' }]),
      allowLists: { deno: () => Promise.resolve({ text: '--allow-net=api.example:443', notes: ['One note.'] }) },
    })
    open = await openPage(browser, studio, { bypassCSP: false })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await studio.close()
  })

  test('runs a chat with reasoning, an approval and a tool result', async () => {
    const { page, errors } = open
    await ask(page, 'How is the weather in Oslo?')
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    expect(await allow.evaluate((element) => element === document.activeElement)).toBe(true)
    await expectPicture(page, 'approval')
    await page.keyboard.press('Enter')
    await page.locator('.markdown', { hasText: 'That is the whole loop:' }).waitFor()
    await page.locator('.figures').waitFor()
    expect(await page.locator('.conversation').innerText()).toContain('"celsius":4')
    expect(await page.locator('.markdown strong').last().innerText()).toBe('reply')
    await expectPicture(page, 'chat')
    expect(errors).toEqual([])
  })

  test('shows the run on a time axis, as a table too', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('svg.waterfall .bar').first().waitFor()
    const rows = await page.locator('tbody tr').allInnerTexts()
    expect(rows.map((row) => row.split('\t')[1])).toEqual(['model', 'wait', 'tool', 'model'])
    await expectPicture(page, 'timeline')
  })

  test('shows the context of each call and where it begins to differ', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Context' }).click()
    await page.getByRole('heading', { name: /Call 2/ }).waitFor()
    expect(await page.getByText('The first block that differs').count()).toBe(1)
    await expectPicture(page, 'context')
  })

  test('forks a conversation from an edited message', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('button', { name: 'Edit and run again' }).first().click()
    await page.getByLabel('New text').fill('And in Tokyo?')
    await page.getByRole('button', { name: 'Run again', exact: true }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.markdown', { hasText: 'The tool did not run' }).waitFor()
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.locator('th.depth-1').waitFor()
    expect(await page.locator('th.depth-1').innerText()).toContain('And in Tokyo?')
    await expectPicture(page, 'runs')
  })

  test('asks two models at once and marks what differs', async () => {
    const two = await startStudio({
      models: [
        ...['one', 'two'].map((id) => ({
          id,
          provider: 'mock',
          model: id,
          hosts: [],
          open: async () =>
            (await import('@modelport/provider-mock')).createMock({ responses: [`this is ${id} here`] }),
        })),
      ],
    })
    const { page } = await openPage(browser, two)
    await page.getByRole('link', { name: 'Compare' }).click()
    await ask(page, 'Who are you?')
    await page.locator('mark').waitFor()
    expect(await page.locator('mark').allInnerTexts()).toEqual(['two'])
    await expectPicture(page, 'compare')
    await page.close()
    await two.close()
  })

  test('lists hosts with an allow-list, and tests the connection step by step', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.getByText('--allow-net=api.example:443').waitFor()
    await expectPicture(page, 'hosts')
    await page.getByRole('link', { name: 'Doctor' }).click()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('Try another model.').waitFor()
    await expectPicture(page, 'doctor')
  })

  test.each(['light', 'dark'] as const)(
    'breaks no rule of axe in any view, %s, wide and narrow',
    async (colorScheme) => {
      const context = await browser.newContext({
        bypassCSP: true,
        colorScheme,
        storageState: await open.page.context().storageState(),
      })
      const page = await context.newPage()
      const session = await open.page.evaluate(() => sessionStorage.getItem('modelport-session'))
      await page.addInitScript((value) => sessionStorage.setItem('modelport-session', value ?? ''), session)
      const origin = new URL(studio.url).origin
      await open.page.getByRole('link', { name: 'Runs' }).click()
      const run = await open.page.locator('th a').first().getAttribute('href')
      const id = run!.split('/').at(-1)!
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        for (const view of [
          'chat',
          `chat/${id}`,
          `timeline/${id}`,
          `raw/${id}`,
          `context/${id}`,
          'runs',
          'compare',
          'hosts',
          'doctor',
        ]) {
          await page.goto(`${origin}/#/${view}`)
          await page.reload()
          await page.waitForSelector('h1')
          expect(await violations(page), `${view} at ${width}`).toEqual([])
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect(overflow, `${view} at ${width} scrolls sideways`).toBeLessThanOrEqual(0)
          await picture(page, `${view.split('/')[0]}${view.includes('/') ? '-run' : ''}-${colorScheme}-${width}`)
        }
      }
      await context.close()
    },
    120_000,
  )

  test('does nothing that the text of a model, a tool or an error says', async () => {
    const attacks = [
      '<img src=x onerror="window.hacked=1">',
      '<script>window.hacked=1</script>',
      '[click](javascript:window.hacked=1)',
      '<svg onload="window.hacked=1"><style>*{display:none}</style>',
      '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
      '<form action="http://evil.example"><button formaction="javascript:hacked=1">x</button></form>',
      '![x](http://evil.example/pixel.png)',
      '<a href="data:text/html,<script>window.hacked=1</script>">x</a>',
    ]
    const text = attacks.join('\n\n')
    const evil = await startStudio({
      models: [
        {
          id: '<img src=x onerror="window.hacked=1">',
          provider: 'mock',
          model: 'evil',
          hosts: ['<script>window.hacked=1</script>:443'],
          open: async () =>
            (await import('@modelport/provider-mock')).createMock({
              responses: [
                { reasoning: text, text, toolCalls: [{ name: 'get_weather', arguments: { city: text } }] },
                text,
                { error: 'invalid-request', text },
              ],
            }),
        },
      ],
    })
    const { page, errors } = await openPage(browser, evil)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await ask(page, text)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.figures').waitFor()
    for (const view of ['Timeline', 'Context', 'Raw', 'Runs', 'Hosts']) {
      await page.getByRole('link', { name: view, exact: true }).click({ timeout: 5000 })
      await page.waitForSelector('h1')
      await page.waitForTimeout(50)
    }
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    expect(requests.filter((url) => !url.startsWith(new URL(evil.url).origin))).toEqual([])
    expect(errors).toEqual([])
    await page.close()
    await evil.close()
  })
})

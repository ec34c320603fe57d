import { mkdir } from 'node:fs/promises'
import { LlmError } from '@modelport/core'
import type { MockResponse } from '@modelport/provider-mock'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServedStudio } from '../src/node.js'
import { expectPicture, isUpdate } from './pictures.js'
import { attacks, hasBrowser, launch, openPage, startStudio, violations } from './support.js'

const pictures = new URL('../../../.cache/studio/', import.meta.url)

/** Every view of the page, with a run for those that show one. */
const viewsOf = (id: string): string[] => [
  ...['chat', 'runs', 'waiting', 'overview', 'compare', 'agents', 'tools', 'hosts', 'doctor'],
  ...['chat', 'timeline', 'raw', 'context'].map((view) => `${view}/${id}`),
]

/** What a screen reader calls the focused element, nearly. */
function focusedName(): string {
  const element = document.activeElement
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
    return element.labels?.[0]?.textContent.trim() ?? ''
  return element?.getAttribute('aria-label') ?? element?.textContent.trim() ?? ''
}

/** Keeps a picture to look at, when pictures are updated. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (!isUpdate) return
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
        yield {
          name: 'stream',
          status: 'failed',
          detail: 'no text came',
          fix: 'Try another model.',
        }
      },
      hosts: () =>
        Promise.resolve([{ host: 'api.example:443', usedBy: 'demo', purpose: 'inference' }]),
      allowLists: {
        deno: () => Promise.resolve({ text: '--allow-net=api.example:443', notes: ['One note.'] }),
      },
    })
    open = await openPage(browser, studio, { bypassCSP: false })
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([studio, ...own].map((one) => one.close()))
  })

  const own: ServedStudio[] = []
  const startOwn = async (): Promise<ServedStudio> => {
    const started = await startStudio()
    own.push(started)
    return started
  }

  /** A page with other settings in the session of the first one, and the id of its newest run. */
  async function sameSession(settings: BrowserContextOptions) {
    const session = await open.page.evaluate(() => localStorage.getItem('modelport-session'))
    await open.page.getByRole('link', { name: 'Runs' }).click()
    const run = await open.page.locator('th a').first().getAttribute('href')
    const context = await browser.newContext(settings)
    const page = await context.newPage()
    await page.addInitScript(
      (value) => localStorage.setItem('modelport-session', value ?? ''),
      session,
    )
    return { context, page, origin: new URL(studio.url).origin, id: run!.split('/').at(-1)! }
  }

  test('the page in Chromium runs a chat with reasoning, an approval and a tool result', async () => {
    const { page, errors } = open
    await ask(page, 'How is the weather in Oslo?')
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    await expectPicture(page, 'approval')
    await allow.click()
    await page.locator('.markdown', { hasText: 'That is the whole loop:' }).waitFor()
    await page.locator('.figures').waitFor()
    expect(await page.locator('.conversation').innerText()).toContain('"celsius":4')
    expect(await page.locator('.markdown strong').last().innerText()).toBe('reply')
    await expectPicture(page, 'chat')
    expect(errors).toEqual([])
  })

  test('the page in Chromium shows the run on a time axis and as a table', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.waterfall .bar').first().waitFor()
    const kinds = await page.locator('tbody th').allInnerTexts()
    expect(kinds.map((text) => text.trim().replace(/\s+/g, ' '))).toEqual([
      ...[
        'start: start',
        'model: 1 · mock demo',
        'wait: approval of get_weather',
        'tool: get_weather',
        'model: 2 · mock demo',
      ],
    ])
    await page.getByRole('button', { name: 'tool: get_weather' }).click()
    const details = page.getByRole('region', { name: 'Details of get_weather' })
    expect(await details.innerText()).toContain('"celsius": 4')
    await expectPicture(page, 'timeline')
  })

  test('the page in Chromium shows the context of each call and where it begins to differ', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Context' }).click()
    await page.getByRole('heading', { name: /Call 2/ }).waitFor()
    expect(await page.getByText('is the first block that differs').count()).toBe(1)
    await expectPicture(page, 'context')
    await page.getByRole('link', { name: 'Call 2', exact: true }).click()
    await page.getByRole('region', { name: 'Came back' }).waitFor()
  })

  test('the page in Chromium forks a conversation from an edited message', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('button', { name: 'Edit and run again' }).first().click()
    await page.getByLabel('New text').fill('And in Tokyo?')
    await page.getByRole('button', { name: 'Run again', exact: true }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.markdown', { hasText: 'The tool did not run' }).waitFor()
    await page.getByRole('link', { name: 'Runs' }).click()
    await expect.poll(() => page.locator('tbody th a').allInnerTexts()).toEqual(['And in Tokyo?'])
    await page.getByRole('button', { name: '2 runs' }).click()
    await page.locator('th.depth-1').waitFor()
    expect(await page.locator('th.depth-1').innerText()).toContain('And in Tokyo?')
    await expectPicture(page, 'runs')
  })

  test('the page in Chromium asks two models at once and marks what differs', async () => {
    const two = await startStudio({
      models: [
        ...['one', 'two', 'three', 'four'].map((id) => ({
          id,
          provider: 'mock',
          model: id,
          hosts: [],
          open: async () =>
            (await import('@modelport/provider-mock')).createMock({
              responses: [`this is **${id}** here`],
            }),
        })),
      ],
    })
    const { page } = await openPage(browser, two)
    await page.getByRole('link', { name: 'Compare' }).click()
    await ask(page, 'Who are you?')
    const marked = () => page.evaluate(() => [...(CSS.highlights.get('differs') ?? [])].map(String))
    await expect.poll(marked).toEqual(['two'])
    await page.reload()
    await expect.poll(marked).toEqual(['two'])
    expect(await page.locator('.column strong').allInnerTexts()).toEqual(['one', 'two'])
    expect(await page.locator('.compare .message.user').innerText()).toContain('Who are you?')
    await expectPicture(page, 'compare')

    // Four stand in one row of an ordinary window.
    for (const name of ['three', 'four']) await page.getByLabel(name).check()
    await page.setViewportSize({ width: 1440, height: 900 })
    await ask(page, 'And you?')
    await expect.poll(() => page.locator('.column strong').count()).toBe(4)
    const tops = await page
      .locator('.column')
      .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(1)
    await page.close()
    await two.close()
  })

  test('the page in Chromium hands a conversation over in the middle of a tool turn, says what to do after a failure, and compares models', async () => {
    const { createMock } = await import('@modelport/provider-mock')
    const mock = (id: string, responses: readonly MockResponse[]) => ({
      ...{ id, provider: 'mock', model: id, hosts: [] },
      open: () => createMock({ responses }),
    })
    const several = await startStudio({
      models: [
        mock('first', [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }]),
        mock('second', ['I continue where the first stopped.']),
        mock('broken', [{ error: new LlmError('auth', 'authentication failed') }]),
      ],
    })
    const { page, errors } = await openPage(browser, several)
    await ask(page, 'How is the weather in Oslo?')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. What had arrived is kept.').waitFor()
    await page.locator('.settings select').first().selectOption('second')
    await ask(page, 'Continue')
    await page.locator('.markdown', { hasText: 'I continue where the first stopped.' }).waitFor()
    await page.getByText('Called get_weather with').waitFor()
    await page.locator('.settings select').first().selectOption('broken')
    await page.getByRole('button', { name: 'Run again with broken' }).click()
    await page.locator('.problem', { hasText: 'authentication' }).waitFor()
    await page.getByText('tests the connection to this model').waitFor()
    await page.getByRole('link', { name: 'Compare with other models' }).click()
    await page.getByRole('button', { name: 'Run its last message on these models' }).click()
    const second = page.getByRole('region', { name: 'second' })
    await second.getByText('I continue where the first stopped.').waitFor()
    await page
      .getByRole('region', { name: 'first' })
      .getByRole('button', { name: 'Deny' })
      .waitFor()
    expect(errors).toEqual([])
    await page.close()
    await several.close()
  })

  test('the page in Chromium lists hosts with an allow-list, and tests the connection step by step', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.getByText('--allow-net=api.example:443').waitFor()
    await expectPicture(page, 'hosts')
    await page.getByRole('link', { name: 'Doctor' }).click()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('Try another model.').waitFor()
    await expectPicture(page, 'doctor')
  })

  test('the page in Chromium draws tasks, columns and code of a reply, and counts waits and money apart', async () => {
    const { createMock } = await import('@modelport/provider-mock')
    const fence = '```'
    const text = `- [ ] open\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> said\n\n${fence}ts\nlet x = 1\n${fence}\n\n- \u05d0\u05d1\u05d2\n\n$x_1*y*z_2$\n`
    const call = { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }
    const usage = { inputTokens: 1000, outputTokens: 100 }
    const priced = await startStudio({
      models: [
        {
          ...{ id: 'euro', provider: 'mock', model: 'euro', hosts: [] },
          profile: { prices: { input: 1, output: 10, currency: 'EUR' } },
          open: () =>
            createMock({
              responses: [
                { ...call, usage },
                { text, usage },
              ],
            }),
        },
      ],
    })
    const { page, errors } = await openPage(browser, priced, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await ask(page, 'Go')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.figures').waitFor()
    expect(await page.locator('.markdown li').allInnerTexts()).toEqual([
      '☐ open',
      '☑ done',
      '\u05d0\u05d1\u05d2',
    ])
    const directions = await page
      .locator('.markdown ul')
      .evaluateAll((lists) => lists.map((list) => getComputedStyle(list).direction))
    expect(directions).toEqual(['ltr', 'rtl'])
    expect(await page.locator('.markdown p code').innerText()).toBe('$x_1*y*z_2$')
    const cell = page.locator('.markdown td').nth(1)
    expect(await cell.evaluate((element) => getComputedStyle(element).textAlign)).toMatch(
      /end|right/,
    )
    expect(await page.locator('.code-bar').innerText()).toMatch(/^ts\s*Copy\s*the code$/)
    expect(await page.locator('.code-bar + pre .hljs-keyword').innerText()).toBe('let')
    await page.getByRole('button', { name: 'Copy the code' }).click()
    await page.getByRole('button', { name: 'Copied the code' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('let x = 1\n')
    const figures = await page.locator('.figures').innerText()
    expect(figures).toContain('0.004000 EUR')
    const ms = (label: string): number => {
      const [, amount, unit] = new RegExp(`${label}\\n([\\d.]+) (ms|s)`).exec(figures) ?? []
      return Number(amount) * (unit === 's' ? 1000 : 1)
    }
    // The card ignores clicks for half a second, so the person took longer than that, and the model
    // did not.
    expect(ms('Waited for you')).toBeGreaterThanOrEqual(400)
    expect(ms('First token')).toBeLessThan(ms('Waited for you'))
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('1 run, 2,200 tokens, 0.004000 EUR').waitFor()
    expect(errors).toEqual([])
    await page.context().close()
    await priced.close()
  })

  test('the page in Chromium says where to look for a run that is not there, in each of its views', async () => {
    const { page } = open
    for (const view of ['chat', 'timeline', 'raw', 'context', 'compare']) {
      await page.evaluate((hash) => (location.hash = hash), `/${view}/none`)
      await page
        .getByRole('alert')
        .getByText('There is no run "none". Look for it under Runs')
        .waitFor()
      await page.evaluate(() => (location.hash = '/hosts'))
      await page.getByRole('heading', { name: 'Hosts' }).waitFor()
    }
  })

  test.each([
    ['light', 1280, undefined],
    // Colours and sizes are all that differs.
    ['dark', 320, ['color-contrast', 'target-size', 'link-in-text-block']],
  ] as const)(
    'the page in Chromium breaks no rule of axe and does not scroll sideways in any view, %s, %i pixels wide',
    async (colorScheme, width, rules) => {
      const { context, page, origin, id } = await sameSession({ bypassCSP: true, colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.goto(origin)
      await page.waitForSelector('.top')
      for (const view of viewsOf(id)) {
        await page.evaluate((hash) => (location.hash = hash), `/${view}`)
        await page.waitForFunction(
          (name) => document.title.toLowerCase().startsWith(name),
          view.split('/')[0]!,
        )
        await page.waitForFunction(
          () => document.querySelector('h1') !== null && !document.querySelector('.working'),
        )
        expect(await violations(page, rules), view).toEqual([])
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth,
        )
        expect(overflow, `${view} scrolls sideways`).toBeLessThanOrEqual(0)
        await picture(
          page,
          `${view.split('/')[0]}${view.includes('/') ? '-run' : ''}-${colorScheme}-${width}`,
        )
      }
      await context.close()
    },
    120_000,
  )

  test('the page in Chromium cannot be shown in a frame of another page', async () => {
    const page = await browser.newPage()
    const blocked = new Promise<string>((resolve) => {
      page.on('console', (message) => {
        if (message.type() === 'error') resolve(message.text())
      })
    })
    await page.setContent(`<iframe src="${new URL(studio.url).origin}/"></iframe>`)
    expect(await blocked).toMatch(/frame-ancestors|refused|403/i)
    expect(page.frames().some((frame) => frame.url().startsWith(new URL(studio.url).origin))).toBe(
      false,
    )
    await page.close()
  })

  test('the page in Chromium can be used with the keyboard alone, from the first link to an edited message', async () => {
    const page = (await openPage(browser, await startOwn())).page
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if (name.test(await page.evaluate(focusedName))) return
      }
      throw new Error(`Tab never reaches ${String(name)}`)
    }
    await tabTo(/^Skip to the content$/)
    await page.keyboard.press('Enter')
    await tabTo(/^Message$/)
    await page.keyboard.type('How is the weather in Oslo?')
    await page.keyboard.press('Enter')
    await page.locator('.approval [aria-disabled=false]').first().waitFor()
    // The focus stays at the message until the person goes to the decision, and comes back when it
    // was made.
    expect(await page.evaluate(focusedName)).toBe('Message')
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate(focusedName)).toBe('Go to the decision')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(focusedName)).toBe('Approve get_weather?')
    await tabTo(/^Allow$/)
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor()
    await expect.poll(() => page.evaluate(focusedName)).toBe('Message')
    await page.keyboard.press('Shift+Tab')
    for (const view of [
      /^Timeline$/,
      /^Raw$/,
      /^Context$/,
      /^Conversation$/,
      /^Compare$/,
      /^Hosts$/,
    ]) {
      await tabTo(view)
      await page.keyboard.press('Enter')
      await page.waitForSelector('h1')
    }
    await tabTo(/^Runs$/)
    await page.keyboard.press('Enter')
    await tabTo(/^How is the weather/)
    await page.keyboard.press('Enter')
    await tabTo(/^Edit and run again$/)
    await page.keyboard.press('Enter')
    await tabTo(/^New text$/)
    await page.keyboard.type(' And in Rome?')
    await tabTo(/^Run again$/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Deny' }).waitFor()
    await page.close()
    await own.pop()?.close()
  })

  test('the page in Chromium does nothing that the text of a model, a tool or an error says', async () => {
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
                {
                  reasoning: text,
                  text,
                  toolCalls: [{ name: 'get_weather', arguments: { city: text } }],
                },
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
    await ask(page, `${'w'.repeat(150)} ${text}`)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.figures').waitFor()
    for (const view of ['Timeline', 'Context', 'Raw', 'Runs', 'Hosts']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.waitForSelector('h1')
      await page.waitForFunction(() => document.querySelector('.working') === null)
      if (view === 'Runs') {
        const box = await page.getByRole('button', { name: /^Delete/ }).boundingBox()
        expect(box!.x + box!.width, 'a long title pushes Delete out of sight').toBeLessThanOrEqual(
          1280,
        )
      }
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(wider, `long words make ${view} scroll sideways`).toBeLessThanOrEqual(0)
    }
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, 'long words make the page scroll sideways').toBeLessThanOrEqual(0)
    expect(requests.filter((url) => !url.startsWith(new URL(evil.url).origin))).toEqual([])
    expect(errors).toEqual([])
    await page.close()
    await evil.close()
  })
})

import { join } from 'node:path'
import { createMock, type MockProvider } from '@modelport/provider-mock'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { StudioModel } from '../src/index.js'
import { openFileStore, type ServedStudio } from '../src/node.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { type Cable, openCable } from './cable.js'
import { markDead } from './mark-dead.js'
import { createServedStudio, hasBrowser, launch, openPage, startStudio } from './support.js'

const model = (
  id: string,
  provider: MockProvider,
  more: Partial<StudioModel> = {},
): StudioModel => ({
  ...{ id, provider: 'mock', model: id, hosts: [] },
  open: () => provider,
  ...more,
})
/** Writes for a while, then calls a tool. */
const calling = (): MockProvider =>
  createMock({
    responses: [
      { text: 'I look it up. ', toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
      'Done.',
    ],
    delayMs: 20,
  })
const message = (page: Page) => page.getByLabel('Message', { exact: true })
const models = (page: Page) => page.locator('.settings select').first()
const asking = (page: Page) =>
  page.getByRole('region', { name: 'Tool get_weather: needs your approval' })

describe.skipIf(!hasBrowser)('the page over its life', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  async function open(studio: Promise<ServedStudio>) {
    const served = await studio
    onTestFinished(() => served.close())
    const { page, errors } = await openPage(browser, served)
    onTestFinished(() => page.context().close())
    return { page, errors, served, origin: new URL(served.url).origin }
  }

  test('an approval that arrives while a person types takes neither the focus nor the keys', async () => {
    const { page, errors } = await open(startStudio({ models: [model('m', calling())] }))
    // The worst case: a click in the moment in which the buttons appear.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const button = document.querySelector<HTMLElement>('.approval .primary')
        if (!button) return
        observer.disconnect()
        button.click()
      })
      observer.observe(document, { subtree: true, childList: true })
    })
    await message(page).fill('Go')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.keyboard.type('and then tell me ')
    await asking(page).waitFor()
    await page.keyboard.type('more ')
    await page.keyboard.press('Enter')
    await page.locator('.approval [aria-disabled=false]').first().waitFor()
    await page.keyboard.type('about it')
    expect(await message(page).inputValue()).toBe('and then tell me more about it')
    expect(await asking(page).count()).toBe(1)
    const announced = page.locator('[aria-live=assertive]')
    expect(await announced.innerText()).toMatch(/A tool call waits for your decision: get_weather/)
    expect(await page.locator('.composer').getByRole('status').innerText()).toBe(
      'The model waits for your decision on a tool call; decide, or press Escape to stop the run. Your message is kept.',
    )
    await page.getByRole('button', { name: 'Go to the decision' }).click()
    await page.keyboard.press(' ')
    expect(await asking(page).count()).toBe(1)
    await page.keyboard.press('Tab')
    await page.keyboard.press(' ')
    await page.locator('.markdown', { hasText: 'Done.' }).waitFor()
    expect(errors).toEqual([])
  })

  test('a link opens in a second tab, and a closed tab can be opened again', async () => {
    const { page, origin } = await open(startStudio())
    const context = page.context()
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Runs' }).click({ modifiers: ['ControlOrMeta'] })
    const second = await opened
    await second.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.close()
    await second.close()
    const third = await context.newPage()
    await third.goto(`${origin}/#/hosts`)
    await third.getByRole('heading', { name: 'Hosts' }).waitFor()
  })

  test('a second browser needs another address; a page without a session continues when it is opened', async () => {
    const { served, origin } = await open(startStudio())
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const waiting = await context.newPage()
    await waiting.goto(`${origin}/#/runs`)
    await waiting.getByText('Press Enter in its terminal').waitFor()
    const other = await context.newPage()
    await other.goto(served.newUrl())
    await other.locator('.top').waitFor()
    await waiting.getByRole('heading', { name: 'Runs' }).waitFor()
  })

  test('a reload and the list of runs keep the model, the system prompt and the options of a conversation', async () => {
    const providers = ['first', 'second'].map((text) => createMock({ responses: [text] }))
    const both = [model('first', providers[0]!), model('second', providers[1]!)]
    const { page } = await open(startStudio({ models: both }))
    await models(page).selectOption('second')
    await page.getByText('Options').click()
    await page.getByLabel('System prompt').fill('You are a pirate.')
    await page.getByLabel('Add an option').selectOption('maxTokens')
    await page.getByLabel('maxTokens', { exact: true }).fill('77')
    await message(page).fill('Hello')
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor()
    await page.getByLabel('System prompt').fill('You are a parrot.')
    await page
      .getByText('From the next message on. The messages below had “You are a pirate.”.')
      .waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Run again with second' }).waitFor()
    expect(await models(page).inputValue()).toBe('second')

    await page.getByRole('button', { name: 'New conversation' }).click()
    await models(page).selectOption('first')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('link', { name: 'Hello' }).click()
    await page.getByRole('button', { name: 'Run again with second' }).waitFor()
    await message(page).fill('Again')
    await page.keyboard.press('Enter')
    await expect.poll(() => providers[1]?.requests.length).toBe(2)
    expect(providers[0]?.requests).toEqual([])
    expect(JSON.stringify(providers[1]?.requests[1])).toContain('You are a pirate.')
    expect(JSON.stringify(providers[1]?.requests[1])).toContain('77')
    await models(page).selectOption('first')
    await page.getByText('The next message goes to first.').waitFor()
  })

  test('a new conversation has the settings of no other run, also after others were looked at', async () => {
    const provider = createMock({ defaultResponse: 'Yes.' })
    const store = createMemoryStore()
    const attached = {
      ...{ id: 'attached', at: 1, model: 'app', title: 'attached', status: 'final' as const },
      messages: [{ role: 'user' as const, content: 'Hello' }],
      program: 'app.mjs',
    }
    await store.save({
      ...attached,
      settings: { model: 'app', options: { system: 'You are careful.', temperature: 0.3 } },
    })
    await store.save({ ...attached, id: 'plain', at: 2, title: 'plain' })
    const { page } = await open(startStudio({ models: [model('m', provider)], store }))
    const look = async (title: string): Promise<void> => {
      await page.getByRole('link', { name: 'Runs' }).click()
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.getByRole('button', { name: 'New conversation' }).waitFor()
    }
    const system = page.getByLabel('System prompt')

    await page.getByLabel('System prompt').fill('You are kind.')
    await look('attached')
    await expect.poll(() => system.inputValue()).toBe('You are careful.')
    await page.getByText('Options (1 set)').waitFor()
    await page.locator('summary', { hasText: 'temperature 0.3' }).waitFor()
    await look('plain')
    await expect.poll(() => system.inputValue()).toBe('')
    await page.getByRole('button', { name: 'New conversation' }).click()
    await expect.poll(() => system.inputValue()).toBe('You are kind.')
    await message(page).fill('Are you?')
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor()
    expect(provider.requests[0]?.options).toMatchObject({ system: 'You are kind.' })
    expect(provider.requests[0]?.options).not.toHaveProperty('temperature', 0.3)

    await page.getByRole('button', { name: 'New conversation' }).click()
    await expect.poll(() => system.inputValue()).toBe('')
    await message(page).fill('And now?')
    await page.keyboard.press('Enter')
    await expect.poll(() => provider.requests.length).toBe(2)
    expect(JSON.stringify(provider.requests[1])).not.toContain('You are')
  })

  test('a message and its images stay while other views are looked at, and are sent with the next click', async () => {
    const provider = createMock({ responses: ['I see.'] })
    const { page } = await open(startStudio({ models: [model('m', provider)] }))
    await message(page).fill('Hello')
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor()
    await message(page).fill('What is this?')
    await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(2, 2)
      canvas.getContext('2d')!.fillRect(0, 0, 2, 2)
      const clipboardData = new DataTransfer()
      clipboardData.items.add(
        new File([await canvas.convertToBlob()], 'dot.png', { type: 'image/png' }),
      )
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true }),
      )
    })
    const thumbnail = page
      .getByRole('list', { name: 'Attached images' })
      .getByRole('img', { name: 'dot.png' })
    await expect
      .poll(() => thumbnail.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBe(2)
    await page.getByRole('link', { name: 'Hosts' }).click()
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.locator('.markdown', { hasText: 'I see.' }).waitFor()
    expect(await message(page).inputValue()).toBe('What is this?')
    await thumbnail.waitFor()
    await page.reload()
    expect(await message(page).inputValue()).toBe('What is this?')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => message(page).inputValue()).toBe('')
  })

  test('what is typed while a message is sent is the next message; a message that is refused comes back before it', async () => {
    const provider = createMock({ defaultResponse: 'Yes.' })
    const { page } = await open(startStudio({ models: [model('m', provider)] }))
    let sent = 0
    await page.route('**/api/runs', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      // The keys below come while the request is under way.
      await new Promise((resolve) => setTimeout(resolve, 700))
      const refusal = { error: { code: 'config', message: 'not now' } }
      return sent++ === 1 ? route.fulfill({ status: 400, json: refusal }) : route.continue()
    })
    await message(page).fill('first message')
    await page.keyboard.press('Enter')
    await page.keyboard.type('second')
    await page.locator('.figures').waitFor()
    await page.keyboard.type(' message')
    expect(await message(page).inputValue()).toBe('second message')
    await page.keyboard.press('Enter')
    await page.keyboard.type('third')
    await page.getByText('not now').waitFor()
    expect(await message(page).inputValue()).toBe('second message\nthird')
    expect(provider.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'first message',
    ])
  })

  /** A studio behind a cable, on a file, with a model that writes slowly. */
  async function openCabled(delayMs: number) {
    const path = join(temporaryFolder('studio'), 'studio.db')
    const cable: Cable = await openCable()
    const start = async () => {
      const provider = createMock({
        responses: ['one two three four five six seven eight nine ten'],
        delayMs,
      })
      const { studio, served } = await createServedStudio({
        models: [model('m', provider)],
        store: openFileStore(path),
      })
      studio.listenOn(cable.port)
      await cable.plug(served.port)
      onTestFinished(() => served.close())
      return `http://127.0.0.1:${cable.port}/#token=${studio.oneTimeToken()}`
    }
    const { page } = await openPage(browser, { url: await start() })
    onTestFinished(async () => {
      await page.context().close()
      await cable.cut()
    })
    return { page, cable, start, path }
  }

  test('a page that loses its studio says so at once, keeps what is typed, and reads on when it is there again', async () => {
    const { page, cable } = await openCabled(25)
    await message(page).fill('Go')
    await page.keyboard.press('Enter')
    await page.locator('.assistant', { hasText: 'two' }).waitFor()
    await cable.cut()
    await page.getByText('Connection lost, trying again.').waitFor()
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await message(page).fill('Do not lose this')
    await page.keyboard.press('Enter')
    await page.getByText('The studio does not respond. The page tries again by itself.').waitFor()
    expect(await message(page).inputValue()).toBe('Do not lose this')
    await cable.restore()
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0)
    await page.goBack()
    await page
      .locator('.markdown', { hasText: /^one two three four five six seven eight nine ten\s*$/ })
      .waitFor()
    expect(await message(page).inputValue()).toBe('Do not lose this')
  })

  /** A conversation whose studio was killed; `url` is the address of the next studio. */
  async function startedAgain() {
    const { page, cable, start, path } = await openCabled(400)
    await message(page).fill('Go')
    await page.keyboard.press('Enter')
    await page.locator('.assistant', { hasText: 'one' }).waitFor()
    await message(page).fill('My next message')
    await cable.cut()
    await page.getByText('Connection lost, trying again.').waitFor()
    markDead(path)
    const url = await start()
    await page.getByText('The studio was started again and does not know this page.').waitFor()
    return { page, url }
  }

  test.each(['another tab', 'this tab'])(
    'a page whose studio was killed and started again continues when its new address is opened in %s',
    async (where) => {
      const { page, url } = await startedAgain()
      const opened = where === 'this tab' ? page : await page.context().newPage()
      await opened.goto(url)
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      expect(await message(page).inputValue()).toBe('My next message')
      expect(await page.getByText('does not know this page').count()).toBe(0)
      expect(page.url()).not.toContain('token')
    },
  )

  test('an old address of the studio, opened in a page that asks for one, changes nothing', async () => {
    const { page, url } = await startedAgain()
    const before = page.url()
    await page.goto(url.replace(/token=.*/, 'token=used-before'))
    await expect.poll(() => page.url()).toBe(before)
    await page.getByText('The studio was started again and does not know this page.').waitFor()
    expect(await message(page).inputValue()).toBe('My next message')
  })

  test('a second studio on the same file shows a run of the first as it is written, without Stop, Allow or Continue', async () => {
    const path = join(temporaryFolder('studio'), 'studio.db')
    const options = () => ({ models: [model('m', calling())], store: openFileStore(path) })
    const { page } = await open(startStudio(options()))
    await message(page).fill('Go')
    await page.keyboard.press('Enter')
    await asking(page).waitFor()
    const { page: second } = await open(startStudio(options()))
    await second.getByRole('link', { name: 'Runs' }).click()
    await second.getByRole('link', { name: 'Go', exact: true }).click()
    await second.getByText('Another studio that uses the same file runs this run.').waitFor()
    await asking(second).waitFor()
    for (const name of ['Stop', 'Allow', 'Continue'])
      expect(await second.getByRole('button', { name }).count()).toBe(0)
    await page.getByRole('button', { name: 'Allow' }).click()
    await second.locator('.markdown', { hasText: 'Done.' }).waitFor()
    // The run ends a moment after its last text.
    await expect.poll(() => second.getByText('Another studio').count()).toBe(0)
  })
})

import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Provider } from '@modelport/core'
import { createGoogle } from '@modelport/provider-google'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { defineTool, type InferRequest } from '@modelport/runtime'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildPage } from '../src/build-page.ts'
import { createChatServer } from '../src/chat-server.ts'
import { principalOf, withSession } from '../src/sessions.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) =>
  existsSync(path),
)
if (executablePath === undefined)
  console.log('skipped: this test needs Chromium at /usr/bin/chromium')

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pay = defineTool({
  name: 'pay',
  description: 'Pays euros',
  parameters: { type: 'object', properties: { euros: { type: 'number' } } },
  execute: ({ euros }) => ({ paid: euros }),
})
const ask: InferRequest = {
  tools: [pay],
  authorize: () => ({ effect: 'require-approval', reason: 'money' }),
}
const call: MockTurn = {
  reasoning: 'I must pay.',
  text: 'One moment.',
  toolCalls: [{ name: 'pay', arguments: { euros: 5 } }],
}

describe.skipIf(executablePath === undefined)('useChat of the AI SDK in Chromium', () => {
  let browser: Browser
  let files: Awaited<ReturnType<typeof buildPage>>
  const cleanup: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-gpu'],
    })
    files = await buildPage()
  })
  afterAll(async () => {
    await Promise.all(cleanup.map((end) => end()))
    await browser.close()
  })

  /** The example with another model, open in a new page. */
  async function open(provider: Provider, settings: InferRequest = {}): Promise<Page> {
    const chat = createChatServer(provider, settings, principalOf)
    const server = serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request: Request) => {
        const file = files(new URL(request.url).pathname)
        return file ? withSession(request, file) : chat(request)
      },
    })
    await new Promise((resolve) => server.once('listening', resolve))
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    cleanup.push(async () => {
      await page.close()
      server.close()
    })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return page
  }
  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.keyboard.press('Enter')
  }

  test('useChat of the AI SDK in Chromium runs as its page says, without a key', async () => {
    const { server } = await import('../src/main.ts')
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
    cleanup.push(() => Promise.resolve(server.close()))
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await send(page, 'Is it warm in Rome?')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('It is warm in Rome.').waitFor()
    await page.close()
  })

  test('useChat of the AI SDK in Chromium shows reasoning, asks for approval, and continues the same reply after it', async () => {
    const page = await open(createMock({ responses: [call, 'Paid.'] }), ask)
    await send(page, 'Pay 5 euros')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Paid.', { exact: true }).waitFor()
    const reply = page.locator('article.assistant')
    expect(await reply.count()).toBe(1)
    expect(await reply.locator('aside').innerText()).toBe('I must pay.')
    expect(await reply.locator('section').getAttribute('aria-label')).toBe('pay: output-available')
    expect(await reply.locator('output').innerText()).toBe('{"paid":5}')
    expect(await reply.locator('section').count()).toBe(1)
  })

  test('useChat of the AI SDK in Chromium shows a denied call, and what the model says about it', async () => {
    const page = await open(createMock({ responses: [call, 'Then not.'] }), ask)
    await send(page, 'Pay 5 euros')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Then not.').waitFor()
    expect(await page.locator('section').getAttribute('aria-label')).toBe('pay: output-denied')
  })

  /** A tool that cannot continue without asking. */
  const book = defineTool({
    name: 'book',
    description: 'Books a table',
    parameters: { type: 'object' },
    execute: async (_args, { ask: question }) => {
      const properties = {
        people: { type: 'integer', minimum: 1, maximum: 8 },
        outside: { type: 'boolean' },
      } as const
      const schema = { type: 'object', properties, required: ['people'] } as const
      return question({ message: 'For how many?', schema })
    },
  })
  const booking: MockTurn = { toolCalls: [{ name: 'book', arguments: {} }] }

  test('useChat of the AI SDK in Chromium shows a form for what a tool asks, and asks again for an answer that does not fit', async () => {
    const page = await open(createMock({ responses: [booking, 'Booked.'] }), { tools: [book] })
    await send(page, 'Book a table')
    const form = page.getByRole('form', { name: 'book asks' })
    await form.getByText('For how many?').waitFor()
    await form.getByLabel('people').fill('90')
    await form.getByRole('button', { name: 'Answer' }).click()
    // The tool has not run with 90: the same question is there again, empty.
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[name=people]')?.value === '',
    )
    await form.getByLabel('people').fill('4')
    await form.getByLabel('outside').check()
    await form.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('Booked.').waitFor()
    const output = await page.locator('article.assistant output').last().innerText()
    expect(JSON.parse(output)).toEqual({ action: 'accept', content: { people: 4, outside: true } })
  })

  test('useChat of the AI SDK in Chromium tells the tool that the user declined its question', async () => {
    const page = await open(createMock({ responses: [booking, 'Then not.'] }), { tools: [book] })
    await send(page, 'Book a table')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Then not.').waitFor()
    expect(await page.locator('article.assistant output').last().innerText()).toBe(
      '{"action":"decline"}',
    )
  })

  test('useChat of the AI SDK in Chromium reads the reply to its end after the page was reloaded', async () => {
    let openGate = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      openGate = resolve
    })
    const provider = createMock({
      responses: [
        async function* () {
          yield { text: 'The first half, ' }
          await gate
          yield { text: 'the second half.', finish: 'stop' }
        },
      ],
    })
    const page = await open(provider)
    await send(page, 'Go')
    await page.getByText('The first half,').waitFor()
    await page.reload()
    await page.locator('article.assistant').getByText('The first half,').waitFor()
    openGate()
    await page.getByText('The first half, the second half.').waitFor()
    expect(await page.locator('article').count()).toBe(2)
    expect(provider.requests).toHaveLength(1)
  })

  test('useChat of the AI SDK in Chromium shows an image and a source of the reply', async () => {
    const body = {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ text: 'Rome.' }, { inlineData: { mimeType: 'image/png', data: pixel } }],
          },
          finishReason: 'STOP',
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://rome.example/', title: 'On Rome' } }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    }
    const respond = () =>
      Promise.resolve(
        new Response(`data: ${JSON.stringify(body)}\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        }),
      )
    const page = await open(
      createGoogle({ model: 'gemini-3-pro-image', apiKey: 'test', fetch: respond }),
    )
    await send(page, 'Show me Rome')
    await page.getByRole('link', { name: 'On Rome' }).waitFor()
    expect(await page.locator('article.assistant img').getAttribute('src')).toBe(
      `data:image/png;base64,${pixel}`,
    )
  })

  test('useChat of the AI SDK in Chromium sends an image of the user to the model', async () => {
    const provider = createMock({ responses: ['A dot.'] })
    const page = await open(provider)
    await page.getByLabel('Image').setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(pixel, 'base64'),
    })
    await send(page, 'What is this?')
    await page.getByText('A dot.').waitFor()
    expect(provider.requests[0]?.messages[0]?.content).toContainEqual({
      type: 'image',
      source: { type: 'base64', mediaType: 'image/png', data: pixel },
    })
  })
})

import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launch, openPage, startStudio, violations } from './support.js'

/** A server whose reply has two tokens, with their probabilities, at each request. */
const reply: typeof fetch = () => {
  const token = (text: string, logprob: number, other: string) => ({
    ...{ token: text, logprob },
    top_logprobs: [{ token: other, logprob: -2.3 }],
  })
  const chunk = (text: string, logprob: number, other: string) => ({
    choices: [
      { index: 0, delta: { content: text }, logprobs: { content: [token(text, logprob, other)] } },
    ],
  })
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const chunks = [chunk('Pro', -0.01, 'Con'), chunk('bably', -1.6, 'tein'), end]
  const body = [...chunks.map((one) => JSON.stringify(one)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('')
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
}

describe.skipIf(!hasBrowser)('what a message has besides text', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  const start = () =>
    startStudio({
      models: [
        {
          ...{
            id: 'm',
            provider: 'openai-compatible',
            model: 'm',
            hosts: ['models.example:443'],
            fetch: reply,
          },
          open: (fetch) =>
            createOpenAICompatible({ baseUrl: 'https://models.example/v1', model: 'm', fetch }),
        },
      ],
      tools: [],
    })

  test('the page shows how likely each token was, and a model call leads to its raw request', async () => {
    const studio = await start()
    const { page, errors } = await openPage(browser, studio, { bypassCSP: true })
    await page.locator('summary', { hasText: /^Options/ }).click()
    await page.getByLabel('Add an option').selectOption('topLogprobs')
    await page.getByLabel('topLogprobs', { exact: true }).fill('1')
    await page.getByLabel('Message', { exact: true }).fill('Is it?')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'How likely each token was' }).click()
    const tokens = page.locator('.heat span')
    expect(await tokens.allInnerTexts()).toEqual(['Pro', 'bably'])
    expect(await tokens.last().getAttribute('title')).toBe('bably 20.2 %\ntein 10 %')
    const shades = await tokens.evaluateAll((all) =>
      all.map((one) => getComputedStyle(one).backgroundColor),
    )
    expect(new Set(shades).size).toBe(2)
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('button', { name: 'model: 1 · openai-compatible m' }).click()
    expect(await page.getByText('against the request before').count()).toBe(0)
    await page.getByRole('link', { name: 'Raw request' }).click()
    const request = page.locator('.exchange.selected')
    await request.getByRole('heading', { name: /POST/ }).waitFor()
    await request.getByRole('group', { name: 'request body' }).getByText('top_logprobs').waitFor()
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })

  test('the page shows images, sounds and files of a message in place, and loads nothing for what has an address', async () => {
    const studio = await start()
    const { page, errors } = await openPage(browser, studio)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const source = (mediaType: string, data: string) => ({ type: 'base64', mediaType, data })
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const wave = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
    const content = [
      { type: 'text', text: 'Look and listen' },
      { type: 'image', source: source('image/png', pixel) },
      { type: 'audio', source: source('audio/wav', wave) },
      { type: 'file', name: 'plan.pdf', source: source('application/pdf', 'JVBERi0=') },
      { type: 'image', source: { type: 'url', url: 'https://images.example/one.png' } },
    ]
    const id = await page.evaluate(async (parts) => {
      const headers = { 'x-modelport-session': localStorage.getItem('modelport-session') ?? '' }
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: parts }] })
      const started = await fetch('/api/runs', { method: 'POST', headers, body })
      return ((await started.json()) as { readonly id: string }).id
    }, content)
    await page.evaluate((hash) => (location.hash = hash), `/chat/${id}`)
    const message = page.getByRole('article', { name: 'user' })
    await message.getByText('plan.pdf').waitFor()
    const image = message.getByRole('img', { name: 'Attached image' })
    await expect
      .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
      .toBe(1)
    const sound = message.locator('audio')
    await expect
      .poll(() => sound.evaluate((element) => (element as HTMLAudioElement).readyState))
      .toBeGreaterThan(0)
    await message.getByText('https://images.example/one.png').waitFor()
    expect(requests.filter((url) => url.includes('images.example'))).toEqual([])
    expect(errors).toEqual([])
    await page.context().close()
    await studio.close()
  })
})

import { existsSync } from 'node:fs'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LlamaServer, startLlamaServer } from '../../../test/support/llama-server.js'
import { hasBrowser, launch, openPage, startStudio } from './support.js'

const modelPath = new URL('../../provider-llamacpp/test/fixtures/tinytool.gguf', import.meta.url)
  .pathname
const hasModel = existsSync(modelPath)

describe.skipIf(!hasBrowser || !hasModel)('the page with real models on this machine', () => {
  let browser: Browser
  let server: LlamaServer | undefined

  beforeAll(async () => {
    browser = await launch()
    server = startLlamaServer(['--jinja'])
  }, 120_000)
  afterAll(async () => {
    server?.stop()
    await browser.close()
  })

  test('the page chats with a llama.cpp server, and shows its raw requests', async ({ skip }) => {
    if (!server) return skip('no llama.cpp server is available here')
    const { url } = server
    const studio = await startStudio({
      models: [
        {
          id: 'llama-server',
          provider: 'openai-compatible',
          model: 'tinytool',
          hosts: [new URL(url).host],
          open: (fetch) =>
            createOpenAICompatible({
              baseUrl: `${url}/v1`,
              model: 'tinytool',
              defaults: { temperature: 0, maxTokens: 128 },
              fetch,
            }),
        },
      ],
    })
    const { page, errors } = await openPage(browser, studio)
    await page.getByText('Options').click()
    await page.getByLabel('Ask me before each tool call').uncheck()
    await page.getByLabel('Message', { exact: true }).fill('What is the weather in Paris?')
    await page.keyboard.press('Enter')
    await page.locator('.figures').waitFor({ timeout: 120_000 })
    expect(await page.locator('.tool code').first().innerText()).toBe('get_weather')
    await page.getByRole('link', { name: 'Raw' }).click()
    await page.getByText('/v1/chat/completions').first().waitFor()
    const raw = await page.locator('.exchange').first().innerText()
    expect(raw).toContain('stream: true')
    expect(raw).toContain('data: ')
    expect(errors).toEqual([])
    await page.close()
    await studio.close()
  }, 180_000)
})

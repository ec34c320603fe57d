// The AI SDK over a provider of ours, in Chromium.
import { existsSync } from 'node:fs'
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { bundleForBrowser } from '../../../test/support/bundle.js'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))
if (executablePath === undefined) console.log('skipped: this test needs Chromium at /usr/bin/chromium')

const program = `
  import { toLanguageModel } from '@modelport/ai-sdk'
  import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
  import { streamText } from 'ai'

  globalThis.ask = async (baseUrl) => {
    const provider = createOpenAICompatible({ baseUrl, model: 'm' })
    const parts = []
    for await (const text of streamText({ model: toLanguageModel(provider), prompt: 'Is it warm?' }).textStream) parts.push(text)
    return parts.join('|')
  }
`

test.skipIf(executablePath === undefined)('a page streams with the AI SDK from a server that allows it', async () => {
  const server = await startWireServer({
    formats: [openaiChat],
    reply: [{ text: ['It is ', 'warm.'], finish: 'stop', usage: { inputTokens: 9, outputTokens: 3 } }],
    cors: true,
  })
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: await bundleForBrowser({ contents: program }), type: 'module' })
    await page.waitForFunction('globalThis.ask !== undefined')
    expect(await page.evaluate(`ask('${server.url}/v1')`)).toBe('It is |warm.')
  } finally {
    await browser.close()
    await server.close()
  }
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { bundleForBrowser } from '../../../test/support/bundle.js'
import { chromiumPath, noChromium } from '../../../test/support/chromium.js'

if (chromiumPath === undefined) console.log(`skipped: ${noChromium}`)

const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }

/** A model that calls the weather first, and then repeats what the tool said. */
function reply(body: {
  readonly stream?: boolean
  readonly messages: readonly { role: string; content: string }[]
}): string {
  const result = body.messages.find(({ role }) => role === 'tool')?.content
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Rome"}' },
  }
  const message =
    result === undefined
      ? { role: 'assistant', tool_calls: [call] }
      : { role: 'assistant', content: result }
  const choice = { index: 0, finish_reason: result === undefined ? 'tool_calls' : 'stop' }
  if (!body.stream) return JSON.stringify({ choices: [{ ...choice, message }], usage })
  return `data: ${JSON.stringify({ choices: [{ ...choice, delta: message }], usage })}\n\ndata: [DONE]\n\n`
}

test.skipIf(chromiumPath === undefined)('the AI SDK runs a model of ours in Chromium', async () => {
  const page = await bundleForBrowser(join(import.meta.dirname, 'page.ts'))
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      if (request.url === '/')
        response
          .setHeader('content-type', 'text/html')
          .end('<script type="module" src="/page.js"></script>')
      else if (request.url === '/page.js')
        response.setHeader('content-type', 'text/javascript').end(page)
      else if (request.url !== '/v1/chat/completions') response.writeHead(404).end('{}')
      else {
        const body = JSON.parse(await text(request)) as Parameters<typeof reply>[0]
        response
          .setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json')
          .end(reply(body))
      }
    }
    void answer()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await tab.waitForFunction('globalThis.run')
    expect(await tab.evaluate('globalThis.run()')).toEqual({
      texts: ['28 degrees in Rome', '28 degrees in Rome'],
      steps: 2,
      usage: 14,
      error: 404,
    })
  } finally {
    await browser.close()
    server.close()
  }
})

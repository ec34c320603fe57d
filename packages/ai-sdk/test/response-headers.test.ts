import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAI as createTheirs } from '@ai-sdk/openai'
import { toEmbeddingModel, toLanguageModel } from '@modelport/ai-sdk'
import { createOpenAI, createOpenAIEmbedder } from '@modelport/provider-openai'
import { APICallError, embed, generateText, type LanguageModel, streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** What the vendor says of the limits of an account. */
const limits = { 'x-ratelimit-remaining-requests': '17', 'openai-processing-ms': '4' }
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const choice = { index: 0, finish_reason: 'stop' }
const reply = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o', usage }

let isBusy = false
const server = createServer((request, response) => {
  request.setEncoding('utf8')
  let body = ''
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    const send = (status: number, type: string, text: string) =>
      response.writeHead(status, { ...limits, 'content-type': type }).end(text)
    const json = (value: object, status = 200) =>
      send(status, 'application/json', JSON.stringify(value))
    if (isBusy) return json({ error: { message: 'Slow down.', type: 'requests' } }, 429)
    if (request.url?.endsWith('/embeddings'))
      return json({ data: [{ index: 0, embedding: [1, 2] }], model: 'm', usage })
    if (!body.includes('"stream":true'))
      return json({ ...reply, choices: [{ ...choice, message: { content: 'Warm.' } }] })
    const chunk = { ...reply, choices: [{ ...choice, delta: { content: 'Warm.' } }] }
    return send(200, 'text/event-stream', `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  })
})
let baseUrl = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const apiKey = 'sk-headers-0123456789'
const packages: readonly [string, () => LanguageModel][] = [
  ['the package of the vendor', () => createTheirs({ baseURL: baseUrl, apiKey }).chat('gpt-4o')],
  [
    'a provider',
    () => toLanguageModel(createOpenAI({ model: 'gpt-4o', api: 'chat', baseUrl, apiKey })),
  ],
]

describe.each(packages)('the headers of a response by %s', (_, model) => {
  test('the headers of a response are in the result of a whole reply, a stream and an error', async () => {
    const prompt = 'Is it warm?'
    isBusy = false
    const whole = await generateText({ model: model(), prompt })
    expect(whole.finalStep.response.headers).toMatchObject(limits)

    const stream = streamText({ model: model(), prompt })
    await stream.consumeStream()
    expect((await stream.finalStep).response.headers).toMatchObject(limits)

    isBusy = true
    const failure = await generateText({ model: model(), prompt, maxRetries: 0 }).catch(
      (error: unknown) => error,
    )
    expect(APICallError.isInstance(failure)).toBe(true)
    expect((failure as APICallError).responseHeaders).toMatchObject(limits)
  })
})

test('the headers of a response are in the result of embed', async () => {
  isBusy = false
  const embedder = createOpenAIEmbedder({ model: 'text-embedding-3-small', baseUrl, apiKey })
  const { response } = await embed({ model: toEmbeddingModel(embedder), value: 'Warm?' })
  expect(response?.headers).toMatchObject(limits)
})

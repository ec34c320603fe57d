import { startWireServer } from '@modelport/conformance/wire-server'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createOpenAI, createOpenAIFiles } from '@modelport/provider-openai'
import { openaiResponses } from '@modelport/test-formats'
import { expect, onTestFinished, test } from 'vitest'
import { describeRefusals, takeRefusals } from './refusals.ts'

const apiKey = 'sk-doubles-0123456789'

test('what a provider sends to a transport of the test is refused as the vendor does, and the refusal waits for the end of the test', async () => {
  let sent = 0
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey,
    fetch: () => Promise.resolve(new Response(String(sent++))),
  })
  const call = provider.generate([{ role: 'user', content: 'Hi' }], {
    vendor: {
      thinking: { type: 'enabled', budget_tokens: 9000 },
      max_tokens: 2000,
      temperature: 1,
    },
  })
  await expect(call).rejects.toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining(
      'max_tokens: `max_tokens` must be greater than `thinking.budget_tokens`',
    ),
  })
  expect(sent).toBe(0)
  expect(describeRefusals(takeRefusals())).toMatch(
    /^the vendor would refuse what this test sends:\n {2}anthropic-messages: messages-thinking-budget: max_tokens: `max_tokens` must/,
  )
  expect(takeRefusals()).toEqual([])
})

test('what is sent as bytes, because it is signed, is refused like what is sent as text', async () => {
  let sent = 0
  const provider = createBedrock({
    model: 'amazon.nova-lite-v1:0',
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: apiKey },
    fetch: () => Promise.resolve(new Response(String(sent++))),
  })
  const call = provider.complete('Hi', { vendor: { inferenceConfig: { topP: 2 } } })
  await expect(call).rejects.toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining('inferenceConfig.topP: 2 is not between 0 and 1'),
  })
  expect(sent).toBe(0)
  expect(takeRefusals().map(({ api, rule }) => `${api} ${rule}`)).toEqual([
    'bedrock-converse converse-sampling',
  ])
})

test('a server of the kit refuses what any client sends to it', async () => {
  const server = await startWireServer({
    formats: [openaiResponses],
    reply: [{ text: ['Hi'], finish: 'stop', usage: {} }],
  })
  onTestFinished(() => server.close())
  const ask = async (most: number): Promise<readonly [number, unknown]> => {
    const body = { model: 'gpt-4.1', input: 'Hi', max_output_tokens: most }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return [
      answer.status,
      ((await answer.json()) as { error?: { message?: string } }).error?.message,
    ]
  }
  expect(await ask(15)).toEqual([
    400,
    "max_output_tokens: Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
  ])
  expect(takeRefusals().map(({ rule }) => rule)).toEqual(['responses-fewest-tokens'])
  expect(await ask(16)).toEqual([200, undefined])
})

test('each line of the file of a batch is refused as the request that it is, in the form that the driver writes', async () => {
  const line = (custom_id: string, more: object) =>
    JSON.stringify({
      custom_id,
      method: 'POST',
      url: '/v1/responses',
      body: { model: 'gpt-4.1', input: 'Hi', ...more },
    })
  const files = createOpenAIFiles({
    apiKey,
    fetch: () => Promise.resolve(Response.json({ id: 'file-1' })),
  })
  const upload = (more: object) => {
    const content = new TextEncoder().encode(`${line('a', {})}\n${line('b', more)}\n`)
    const file = { content, mediaType: 'application/jsonl', name: 'batch.jsonl' }
    return files.upload(file, { vendor: { purpose: 'batch' } })
  }
  await expect(upload({ top_k: 3 })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('file:2.body.top_k: the API has no such field') as string,
  })
  expect(takeRefusals().map(({ api, rule }) => `${api} ${rule}`)).toEqual([
    'openai-files unknown-field',
  ])
  expect((await upload({ max_output_tokens: 16 })).id).toBe('file-1')
})

test('a request that is right is sent as it was', async () => {
  const bodies: unknown[] = []
  const provider = createOpenAI({
    model: 'gpt-4.1',
    apiKey,
    fetch: (_, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return Promise.resolve(new Response('{}', { status: 401 }))
    },
  })
  await expect(provider.complete('Hi', { maxTokens: 16 })).rejects.toMatchObject({ code: 'auth' })
  expect(bodies).toMatchObject([
    { model: 'gpt-4.1', max_output_tokens: 16, input: [{ role: 'user', content: 'Hi' }] },
  ])
})

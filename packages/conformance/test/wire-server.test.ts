import { openaiChat, type ScriptTurn, scriptNamed, scriptTools } from '@modelport/conformance'
import {
  startWireServer,
  type WireServer,
  type WireServerOptions,
} from '@modelport/conformance/wire-server'
import { isLlmError, type Provider, type ToolStreamReader, textOf } from '@modelport/core'
import { createProvider } from '@modelport/driver'
import { afterEach, expect, test } from 'vitest'
import { apiKey, referenceDriver } from './reference-driver.js'
import { createReferenceReply } from './reference-replies.js'

const running: WireServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

const text: ScriptTurn = {
  text: ['Hel', 'lo ', 'wörld ', '👩‍🚀'],
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 4 },
}

async function serve(
  options: Partial<WireServerOptions> = {},
  key = apiKey,
): Promise<{ server: WireServer; provider: Provider }> {
  const server = await startWireServer({ formats: [openaiChat], reply: [text], ...options })
  running.push(server)
  const driver = referenceDriver(key)
  const send: typeof driver.send = (body, io) =>
    io.fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...io.headers,
      },
      body: JSON.stringify(body),
    })
  const clock = {
    now: () => performance.now(),
    after: (ms: number, callback: () => void) => {
      // Waits between attempts are of a second or so, limits of time of ten or more: those stay as
      // they are.
      const timer = setTimeout(callback, ms < 5000 ? ms / 50 : ms)
      return () => clearTimeout(timer)
    },
    random: () => 0,
  }
  return {
    server,
    provider: createProvider(
      { ...driver, send },
      {
        model: 'm',
        cheapestModel: 'm',
        hosts: [new URL(server.url).host],
        secrets: [key],
        clock,
        enforceHosts: true,
      },
    ),
  }
}

async function read(reader: ToolStreamReader): Promise<string> {
  for await (const event of reader) {
    if (event.type === 'turn-end' && event.reason === 'tool-calls') {
      const calls = reader
        .messages()
        .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      const answered = new Set(
        reader
          .messages()
          .flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
      )
      await reader.sendToolResults(
        calls
          .filter(({ id }) => !answered.has(id))
          .map(({ id }) => ({ callId: id, content: 'ok' })),
      )
    }
  }
  return reader.fullText()
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (error: unknown) => (isLlmError(error) ? error.code : error),
  )

test('a request that its check refuses is answered as the check says, and is among the requests', async () => {
  const refusal = openaiChat.failure(400, "'temperature' must be 1 with this model")
  const asked: unknown[] = []
  const { server, provider } = await serve({
    check: ({ body }) => {
      asked.push(body)
      return (body as { readonly temperature?: number }).temperature === 1.5 ? refusal : undefined
    },
  })
  await expect(
    provider.complete('Hi', { temperature: 1.5, retry: { attempts: 1 } }),
  ).rejects.toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining("'temperature' must be 1 with this model"),
  })
  expect(await provider.complete('Hi')).toBe('Hello wörld 👩‍🚀')
  expect(asked).toEqual(server.requests.map(({ body }) => body))
})

test.each(['events', 'whole', 1, 7] as const)(
  'the server of the kit serves a conversation over a real socket, chunking %s',
  async (chunking) => {
    const { provider, server } = await serve({
      chunking,
      apiKey,
      reply: scriptNamed('parallel calls').turns,
    })
    expect(
      await read(await provider.streamWithTools([{ role: 'user', content: 'Hi' }], scriptTools)),
    ).toBe('Three answers.')
    expect(server.requests).toHaveLength(2)
    expect(server.requests.flatMap((request) => openaiChat.violations(request))).toEqual([])
    const { provider: whole } = await serve({ chunking })
    expect(await whole.complete('Hi')).toBe('Hello wörld 👩‍🚀')
  },
)

test('the server of the kit responds 401 without the key, and 404 on another path', async () => {
  const { provider, server } = await serve({ apiKey: 'another-key' })
  expect(await code(provider.complete('Hi'))).toBe('auth')
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(404)
})

test('the server of the kit fails as often as its reply says, and then responds', async () => {
  const { provider, server } = await serve({
    reply: (_, { format, index }) => (index < 2 ? format.failure(529, 'try again later') : text),
  })
  expect(await provider.complete('Hi')).toBe('Hello wörld 👩‍🚀')
  expect(server.requests).toHaveLength(3)
})

test('the server of the kit sends a web page if that is its reply', async () => {
  const page = {
    status: 200,
    headers: { 'content-type': 'text/html' },
    pieces: ['<!doctype html><title>Sign in</title>'],
  }
  expect(await code((await serve({ reply: () => page })).provider.complete('Hi'))).toBe('protocol')
})

test('the server of the kit plays the mock model of the reference system', async () => {
  const { provider } = await serve({ reply: createReferenceReply() })
  const tools = [{ name: 'load_tools', description: 'Loads tools' }]
  const ask = async (content: string): Promise<string[]> => {
    const reader = await provider.streamWithTools([{ role: 'user', content }], tools)
    await read(reader)
    return reader
      .messages()
      .flatMap((message) =>
        message.role === 'assistant'
          ? [message.toolCalls?.[0]?.name ?? textOf(message.content)]
          : [],
      )
  }
  expect(await ask('Please read the file')).toEqual([
    'load_tools',
    'read_file',
    'Done. The tool call completed successfully.',
  ])
  expect(await ask('Read /etc/shadow and email it')).toEqual([
    'load_tools',
    'read_file',
    'send_email',
    'Done. The tool call completed successfully.',
  ])
  expect(await ask('write test.txt')).toEqual([
    'load_tools',
    'write_file',
    'Done. The tool call completed successfully.',
  ])
  const plain = await provider.stream('Hello')
  expect((await all(plain)).join('')).toBe('I understand. How can I help?')
  expect(plain.usage()).toMatchObject({ inputTokens: 50, outputTokens: 10 })
  expect((await provider.generate([{ role: 'user', content: 'Hello' }])).usage).toMatchObject({
    inputTokens: 10,
    outputTokens: 5,
  })
})

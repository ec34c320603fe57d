/* oxlint-disable typescript/no-base-to-string -- the client passes URLs as text */

import { answerOf, createAgent, createLocalClient, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { echoAgent } from '../server/support.js'
import { startOfficialServer } from '../support/official-server.js'

const closers: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

async function textOfStream(
  stream: AsyncIterable<{ type: string; text?: string; first?: true }>,
): Promise<string> {
  let text = ''
  for await (const event of stream)
    if (event.type === 'text-delta') text = (event.first ? '' : text) + (event.text ?? '')
  return text
}

const peopleSchema = {
  type: 'object',
  properties: { people_count: { type: 'integer', minimum: 1 } },
  required: ['people_count'],
} as const

/** An agent whose tool asks; its answer is what the tool says. */
const askingAgent = () =>
  createAgent({
    card: { name: 'waiter', description: 'Books tables' },
    provider: createMock({
      defaultResponse: ({ messages }) => {
        const result = messages.findLast(({ role }) => role === 'tool')
        return result
          ? String(result.content)
          : { toolCalls: [{ id: 'c1', name: 'book', arguments: {} }] }
      },
    }),
    tools: [
      defineTool({
        name: 'book',
        description: 'Books a table',
        execute: async (_, { ask }) => {
          const answer = await ask({ message: 'How many?', schema: peopleSchema, from: 'tables' })
          return answer.action === 'accept'
            ? `A table for ${answer.content.people_count}.`
            : answer.action
        },
      }),
    ],
  })

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('our client and our server over %s', (binding) => {
  let server: ListeningServer
  beforeAll(async () => {
    server = await serve([echoAgent()])
    closers.push(() => server.close())
  })
  const client = () => createAgentClient(server.url, { binding })

  it('our client with our server sends, continues, gets, lists and cancels', async () => {
    const asked = await client().send('ask')
    expect(asked.state).toBe('input-required')
    const done = await client().send('Rome', { taskId: asked.id })
    expect([done.state, answerOf(done)]).toEqual(['completed', 'You said: Rome'])
    expect((await client().get(done.id)).state).toBe('completed')
    expect((await client().list({ pageSize: 5 })).total).toBeGreaterThan(0)
    const waiting = await client().send('wait', { returnImmediately: true })
    expect((await client().cancel(waiting.id, 'enough')).state).toBe('cancelled')
    await expect(client().cancel(done.id)).rejects.toMatchObject({ reason: 'task-not-cancelable' })
    await expect(client().get('none')).rejects.toMatchObject({ reason: 'task-not-found' })
  })

  it('our client with our server shows the question of a tool, and its answer comes back with its content', async () => {
    const own = await serve([askingAgent()])
    closers.push(() => own.close())
    const asking = createAgentClient(own.url, { binding })
    const task = await asking.send('Book')
    const [asked] = requestsOf(task)
    expect(asked?.question).toEqual({ message: 'How many?', schema: peopleSchema, from: 'tables' })
    const answer = { requestId: asked?.requestId ?? '', approved: true }
    await expect(
      asking.decide(task, [{ ...answer, content: { people_count: 0 } }]),
    ).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    const done = await asking.decide(task, [{ ...answer, content: { people_count: 4 } }])
    expect(done.state).toBe('completed')
    expect(answerOf(done)).toBe('A table for 4.')
  })

  it('our client with our server streams the answer in deltas', async () => {
    expect(await textOfStream(client().stream('slow'))).toBe('one two three')
  })
})

describe('a client', () => {
  it('a client names its hosts before it contacts any, and refuses other origins and redirects', async () => {
    const client = createAgentClient('http://127.0.0.1:9/agent', {
      allowedOrigins: ['https://other.example.com'],
    })
    expect(client.hosts()).toEqual(['127.0.0.1:9', 'other.example.com:443'])
    const card = {
      name: 'x',
      description: 'x',
      version: '1',
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
      supportedInterfaces: [
        { url: 'http://evil.example.com/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    }
    const asked: string[] = []
    const evil = createAgentClient('http://127.0.0.1:9', {
      auth: { type: 'bearer', token: 'secret-token' },
      fetch: (input) => {
        asked.push(String(input))
        return Promise.resolve(Response.json(card))
      },
    })
    await expect(evil.send('x')).rejects.toMatchObject({ reason: 'invalid-agent-response' })
    expect(asked).toEqual(['http://127.0.0.1:9/.well-known/agent-card.json'])
    expect(() => createAgentClient('http://user:pass@example.com')).toThrow(
      'must not contain credentials',
    )
    expect(() => createAgentClient('ftp://example.com')).toThrow('http: or https:')
  })

  it('a client says that JSON of another server is not a card', async () => {
    const respond = (): Promise<Response> => Promise.resolve(Response.json({ status: 'ok' }))
    const client = createAgentClient('http://127.0.0.1:9', { fetch: respond })
    await expect(client.send('x')).rejects.toMatchObject({
      reason: 'invalid-agent-response',
      message: expect.stringContaining(
        'http://127.0.0.1:9/ responds, but not with the card of an agent',
      ) as string,
    })
  })

  it('a client leaves a stream that does not end when it is cancelled', async () => {
    const server = await serve([echoAgent()])
    closers.push(() => server.close(0))
    const client = createAgentClient(server.url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const body = new ReadableStream<Uint8Array>({
          pull: async (controller) => controller.enqueue((await reader.read()).value!),
          cancel: () => new Promise(() => undefined),
        })
        return new Response(body, response)
      },
    })
    const states: string[] = []
    for await (const event of client.stream('ask')) {
      if (event.type === 'task') states.push(event.task.state)
      break
    }
    expect(states).toHaveLength(1)
  })

  it('a client gives up on an agent that closes every stream of a task that is not over', async () => {
    const server = await serve([echoAgent()])
    closers.push(() => server.close(0))
    let streams = 0
    const client = createAgentClient(server.url, {
      reconnectMs: 1,
      maxReconnects: 3,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
        streams++
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const { value } = await reader.read()
        await reader.cancel()
        return new Response(value as Uint8Array<ArrayBuffer>, response)
      },
    })
    await expect(textOfStream(client.stream('wait'))).rejects.toMatchObject({
      reason: 'invalid-agent-response',
    })
    // A store that is slow to write adds a stream for each new event.
    expect(streams).toBeGreaterThanOrEqual(5)
  })

  it('a client compacts the conversation of a session, and reports what is wrong with a request', async () => {
    const server = await serve([echoAgent()])
    closers.push(() => server.close())
    for (const client of [createAgentClient(server.url), createLocalClient(echoAgent())]) {
      for (const text of ['one', 'two']) await client.send(text, { sessionId: 's1' })
      expect(await client.compactHistory('s1', { maxMessages: 2 })).toMatchObject({
        strategy: 'recent',
        beforeMessages: 4,
        afterMessages: 2,
        removedMessages: 2,
        summaryCreated: false,
      })
      await expect(client.compactHistory('s1', { maxMessages: 1 })).rejects.toMatchObject({
        reason: 'invalid-params',
      })
    }
  })

  it('a client reaches an agent in its own process without a host', async () => {
    const client = createLocalClient(echoAgent())
    expect(client.hosts()).toEqual([])
    expect(answerOf(await client.send('hi'))).toBe('You said: hi')
    expect(await textOfStream(client.stream('slow'))).toBe('one two three')
  })
})

describe('our client and the official server', () => {
  let url = ''
  beforeAll(async () => {
    const server = await startOfficialServer()
    closers.push(() => server.close())
    url = server.url
  })

  it.each(['JSONRPC', 'HTTP+JSON'] as const)(
    'our client and the official server talk to each other over %s',
    async (binding) => {
      const client = createAgentClient(url, { binding })
      const done = await client.send('hello')
      expect([done.state, answerOf(done)]).toEqual(['completed', 'from the SDK'])
      const kinds: string[] = []
      for await (const event of client.stream('hello')) kinds.push(event.type)
      expect(kinds[0]).toBe('task')
      expect(kinds.at(-1)).toBe('task')
      expect((await client.get(done.id)).id).toBe(done.id)
    },
  )
})

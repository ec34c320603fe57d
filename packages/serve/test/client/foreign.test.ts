/* oxlint-disable typescript/no-base-to-string -- the client passes URLs as text, and these parts are text */

import { answerOf, type ClientEvent, createLocalClient, type Task } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { echoAgent } from '../server/support.js'
import { startOfficialServer } from '../support/official-server.js'

const closers: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

/** What the events print, their artifacts as short text, and the task at the end. */
async function readAll(events: AsyncIterable<ClientEvent>) {
  let [printed, kind] = ['', '']
  const artifacts: string[] = []
  let last: Task | undefined
  for await (const event of events) {
    kind = event.type
    if (event.type === 'text-delta') printed += event.text
    if (event.type === 'task') last = event.task
    if (event.type === 'artifact')
      artifacts.push(
        `${event.artifact.id}${event.append ? '+' : ''}=${event.artifact.parts.map((part) => String(part.content)).join('|')}`,
      )
  }
  return { printed, artifacts, kind, last: last as Task }
}

const chunks = [
  { id: 'A', texts: ['A1 '] },
  { id: 'B', texts: ['B1 '] },
  { id: 'A', texts: ['A2 ', 'A3 '], append: true },
  { id: 'B', texts: ['B2'], append: true },
]

describe('a stream of the official server', () => {
  let url = ''
  beforeAll(async () => {
    const server = await startOfficialServer({ chunks })
    closers.push(() => server.close())
    url = server.url
  })

  it.each(['JSONRPC', 'HTTP+JSON'] as const)(
    'a stream of the official server gives every chunk and part in order, with its artifact, as text, and the whole task last (%s)',
    async (binding) => {
      const { printed, artifacts, kind, last } = await readAll(
        createAgentClient(url, { binding }).stream('go'),
      )
      expect(printed).toBe('A1 \nB1 \nA2 A3 \nB2')
      expect(artifacts).toEqual(['A=A1 ', 'B=B1 ', 'A+=A2 |A3 ', 'B+=B2'])
      expect([kind, last.state, last.artifacts.map(({ parts }) => parts.length)]).toEqual([
        'task',
        'completed',
        [3, 2],
      ])
    },
  )
})

it('a card that has only interfaces of 0.3 can be read, and a call is refused with the versions of both sides', async () => {
  const server = await startOfficialServer({
    interfaces: [
      { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ],
  })
  closers.push(() => server.close())
  const client = createAgentClient(server.url)
  expect((await client.card()).name).toBe('sdk')
  const refused = {
    reason: 'version-not-supported',
    message: `The agent at ${server.url}/ speaks A2A JSONRPC 0.3, HTTP+JSON 0.3, and this client speaks 1.0; update the agent, or call it with the compatibility layer of @a2a-js/sdk`,
  }
  await expect(client.send('hello')).rejects.toMatchObject(refused)
  await expect(readAll(client.stream('hello'))).rejects.toMatchObject(refused)
})

it.each([
  ['0.3.0', '0.3.0'],
  [undefined, '0.3 or older'],
])(
  'a card in the form of 0.3 is refused with the versions of both sides (protocolVersion %s)',
  async (given, shown) => {
    // As the documentation of 0.3 shows a card: its one address is `url`.
    const card = {
      name: 'old',
      description: 'Old',
      url: 'http://127.0.0.1:9/',
      preferredTransport: 'JSONRPC',
      skills: [],
    }
    const respond = (): Promise<Response> =>
      Promise.resolve(
        Response.json({ ...card, ...(given !== undefined && { protocolVersion: given }) }),
      )
    const client = createAgentClient('http://127.0.0.1:9', { fetch: respond })
    await expect(client.card()).rejects.toMatchObject({
      reason: 'version-not-supported',
      message: expect.stringContaining(
        `speaks A2A ${shown}, and this client speaks 1.0;`,
      ) as string,
    })
  },
)

it('a task that streamed text and then asks gives its question', async () => {
  const agent = echoAgent({
    handler: async ({ delta }) => {
      await delta('Looking at flights. ')
      return { state: 'input-required', message: 'Which city?' }
    },
  })
  const { printed, last } = await readAll(createLocalClient(agent).stream('go'))
  expect([printed, answerOf(last)]).toEqual(['Looking at flights. \nWhich city?', 'Which city?'])
})

it('a task that streamed text and then failed says why', async () => {
  const agent = echoAgent({
    handler: async ({ delta }) => {
      await delta('Looking at flights. ')
      return { state: 'failed', message: 'The airline is closed' }
    },
  })
  const { printed, last } = await readAll(createLocalClient(agent).stream('go'))
  expect([printed, answerOf(last)]).toEqual(['Looking at flights. ', 'The airline is closed'])
})

describe('a message whose reply is lost before the first event', () => {
  /** A client whose first message meets `lose`; and how often the agent worked. */
  async function losing(
    lose: (response: Promise<Response>, signal?: AbortSignal) => Promise<Response>,
    isPeer = true,
  ) {
    let [runs, messages] = [0, 0]
    const server = await serve([echoAgent({ handler: ({ input }) => `run ${++runs}: ${input}` })])
    closers.push(() => server.close(0))
    const client = createAgentClient(server.url, {
      reconnectMs: 1,
      // The silence is waited for; a reply that comes takes a moment on a busy machine.
      idleMs: lose === silent ? 1_500 : 30_000,
      fetch: async (input, init) => {
        const response = fetch(input, init)
        if (init?.method === 'POST')
          return messages++ ? response : lose(response, init.signal ?? undefined)
        if (isPeer || !String(input).endsWith('agent-card.json')) return response
        const card = (await (await response).json()) as { capabilities: { extensions: unknown } }
        card.capabilities.extensions = []
        return Response.json(card)
      },
    })
    return { client, runs: () => runs }
  }
  const cut = async (response: Promise<Response>) => {
    const { headers } = await response
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"jso')),
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    return new Response(body, { headers })
  }
  const silent = async (response: Promise<Response>, signal?: AbortSignal) => {
    await response
    return new Promise<Response>((_, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    )
  }

  it.each([
    ['a cut', cut],
    ['silence before the headers', silent],
  ])(
    'a message whose reply is lost before the first event is sent again with its id to an agent that knows it (%s)',
    async (_, lose) => {
      const { client, runs } = await losing(lose)
      expect(answerOf((await readAll(client.stream('hi'))).last)).toBe('run 1: hi')
      expect(runs()).toBe(1)
    },
  )

  it('a message whose reply is lost before the first event is sent again by send', async () => {
    const { client, runs } = await losing(cut)
    expect(answerOf(await client.send('hi'))).toBe('run 1: hi')
    expect(runs()).toBe(1)
  })

  it.each([
    ['a cut', cut, 'network'],
    ['silence before the headers', silent, 'timeout'],
  ])(
    'a message whose reply is lost before the first event is a typed error with an agent that may not know it (%s)',
    async (_, lose, code) => {
      const { client, runs } = await losing(lose, false)
      await expect(readAll(client.stream('hi'))).rejects.toMatchObject({ name: 'LlmError', code })
      await expect.poll(runs).toBe(1)
    },
  )
})

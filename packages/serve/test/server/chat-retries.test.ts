// The official client of Chat Completions sends a request again by itself, twice, after a time-out,
// a lost connection, a 408, a 409, a 429 or a 5xx. A payment is made once all the same.
import { type AgentStore, createAgent, createMemoryStore } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { chatCompletions, createAgentServer } from '@modelport/serve'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { base } from './support.js'

/** Fails or hangs after the payment, or gives a reply. */
type AfterPayment = 'fails' | 'hangs' | 'replies'

interface Setting {
  readonly after: AfterPayment
  /** Breaks a store; it is given how many payments were made. */
  readonly breakStore?: (payments: () => number) => AgentStore
  /** Milliseconds of a turn. */
  readonly timeoutMs?: number
  /** Changes what the client is given of the first response that says that a payment was made. */
  readonly lose?: (response: Response) => Response | Promise<Response>
}

type Tasks = AgentStore['tasks']
type Broken = { readonly [Name in 'load' | 'create']?: (tasks: Tasks) => Tasks[Name] }

/** A store in memory with other methods for its tasks. */
function storeWith(broken: Broken): AgentStore {
  const memory = createMemoryStore()
  const tasks = new Proxy(memory.tasks, {
    get: (target, name) => {
      const own = broken[name as keyof Broken]
      if (own) return own(target)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { ...memory, tasks, ping: () => memory.ping(), close: () => memory.close() }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** An agent that pays, and the official client, which counts its attempts. */
function setUp({ after, breakStore, timeoutMs, lose }: Setting) {
  let payments = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    execute: () => `receipt ${++payments}`,
  })
  const wait = defineTool({
    name: 'wait',
    description: 'Never ends',
    execute: () => new Promise<string>(() => undefined),
  })
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    ...(timeoutMs !== undefined && { timeoutMs }),
    provider: createMock({
      defaultResponse: ({ messages }) => {
        if (!messages.some(({ role }) => role === 'tool'))
          return { toolCalls: [{ name: 'pay', arguments: {} }] }
        if (after === 'fails') return { error: 'permission' as const }
        return after === 'hangs' ? { toolCalls: [{ name: 'wait', arguments: {} }] } : 'Paid.'
      },
    }),
    tools: [pay, wait],
  })
  const wires = [chatCompletions()]
  const server = createAgentServer([agent], {
    wires,
    ...(breakStore && { store: breakStore(() => payments) }),
  })
  const attempts: Headers[] = []
  let isLost = false
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    attempts.push(request.headers)
    // The platform's fetch rejects when it is aborted, whatever the server sends.
    const response = await Promise.race([server.fetch(request), aborted(request.signal)])
    if (!lose || isLost) return response
    isLost = true
    return lose(response)
  }
  const client = (timeout?: number) =>
    new OpenAI({
      apiKey: 'unused',
      baseURL: `${base}/v1`,
      fetch,
      ...(timeout !== undefined && { timeout }),
    })
  return { server, client, attempts, payments: () => payments }
}

const messages = [{ role: 'user' as const, content: 'Pay' }]
const doors = [
  ['whole', false],
  ['streamed', true],
] as const

/** The text of a chat, or the error that the client throws. */
async function ask(client: OpenAI, stream: boolean, session?: string): Promise<unknown> {
  const options = session === undefined ? {} : { headers: { 'x-modelport-session': session } }
  try {
    if (!stream) {
      const body = { model: 'payer', messages }
      return (await client.chat.completions.create(body, options)).choices[0]?.message.content
    }
    const body = { model: 'payer', messages, stream } as const
    let text = ''
    for await (const chunk of await client.chat.completions.create(body, options))
      text += chunk.choices[0]?.delta.content ?? ''
    return text
  } catch (error) {
    return error
  }
}

describe.each(doors)('a chat that pays, %s', (_, stream) => {
  it('a run that fails after the payment is not made again', async () => {
    const { client, payments } = setUp({ after: 'fails' })
    expect(await ask(client(), stream)).toBeInstanceOf(OpenAI.APIError)
    expect(payments()).toBe(1)
  })

  it('a run that is over its time after the payment is not made again', async () => {
    const { client, payments } = setUp({ after: 'hangs', timeoutMs: 200 })
    expect(await ask(client(), stream)).toBeInstanceOf(OpenAI.APIError)
    expect(payments()).toBe(1)
  })

  it('a store that fails after the payment does not make the run again', async () => {
    const { client, payments } = setUp({
      after: 'replies',
      breakStore: (paid) =>
        storeWith({
          load: (tasks) => (key) =>
            paid() > 0 ? Promise.reject(new Error('the disk is gone')) : tasks.load(key),
        }),
    })
    expect(await ask(client(), stream, 'kept')).toBeInstanceOf(OpenAI.APIError)
    expect(payments()).toBe(1)
  })
})

it('a chat that the client gives up for its time, and asks for again by itself, is paid once', async () => {
  const { client, attempts, payments } = setUp({ after: 'hangs' })
  expect(await ask(client(300), false)).toBeInstanceOf(OpenAI.APIError)
  expect(attempts.map((headers) => headers.get('x-stainless-retry-count'))).toEqual(['0', '1'])
  expect(payments()).toBe(1)
})

it('a conversation that is kept gives its reply to a client that lost the response, and is paid once', async () => {
  const lose = async (response: Response): Promise<Response> => {
    await response.text()
    throw new TypeError('fetch failed')
  }
  const { client, attempts, payments } = setUp({ after: 'replies', lose })
  expect(await ask(client(), false, 'kept')).toBe('Paid.')
  expect([attempts.length, payments()]).toEqual([2, 1])
})

it('a chat off the record gives its reply to a client that lost the response, and is paid once', async () => {
  const lose = async (response: Response): Promise<Response> => {
    await response.text()
    throw new TypeError('fetch failed')
  }
  const { client, payments } = setUp({ after: 'replies', lose })
  expect(await ask(client(), false)).toBe('Paid.')
  expect(payments()).toBe(1)
})

it('the same chat that a person asks for twice is two runs', async () => {
  const { client, payments } = setUp({ after: 'replies' })
  expect(await ask(client(), false)).toBe('Paid.')
  expect(await ask(client(), false)).toBe('Paid.')
  expect(payments()).toBe(2)
})

it('a store that fails while it takes the message gets no second one', async () => {
  let created = 0
  const { client, attempts } = setUp({
    after: 'replies',
    breakStore: () =>
      storeWith({
        create:
          (tasks) =>
          async (...given) => {
            created++
            await tasks.create(...given)
            throw new Error('the reply of the database is lost')
          },
      }),
  })
  const error = await ask(client(), false, 'kept')
  expect(error).toBeInstanceOf(OpenAI.APIError)
  expect([created, attempts.length]).toEqual([1, 1])
})

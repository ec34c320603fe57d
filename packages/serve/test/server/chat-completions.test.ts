import { A2AMock, LLMock } from '@copilotkit/aimock'
import { answerOf, createAgent, type TaskEvent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { a2a, chatCompletions, createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ShownText } from '../../src/chat-completions/shown-text.js'
import { echoAgent, eventsOf, testServer } from './support.js'

const chats = { wires: [chatCompletions()] }
let server: ListeningServer
beforeAll(async () => {
  const agent = createAgent({
    card: { name: 'weather', description: 'x' },
    provider: createMock({ defaultResponse: 'It is warm' }),
  })
  server = await serve([agent], chats)
})
afterAll(() => server.close())

describe('the official client of Chat Completions', () => {
  const client = () => new OpenAI({ apiKey: 'unused', baseURL: `${server.url}/v1`, maxRetries: 0 })

  it('the official client of Chat Completions lists the agent as a model and completes a chat', async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(['weather'])
    const reply = await client().chat.completions.create({
      model: 'weather',
      messages: [
        { role: 'system', content: 'Be short' },
        { role: 'user', content: 'Is it warm?' },
      ],
    })
    expect(reply.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'It is warm' },
      finish_reason: 'stop',
    })
    expect(reply.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('an answer that the model cut off has the finish reason length, and a mark over A2A', async () => {
    const agent = createAgent({
      card: { name: 'weather', description: 'x' },
      provider: createMock({ defaultResponse: { text: 'half a sen', finish: 'length' } }),
    })
    const cut = await serve([agent], { wires: [a2a(), chatCompletions()] })
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${cut.url}/v1`, maxRetries: 0 })
    const chat = { model: 'weather', messages: [{ role: 'user' as const, content: 'Is it warm?' }] }
    const { choices } = await client.chat.completions.create(chat)
    expect(choices[0]).toMatchObject({
      message: { content: 'half a sen' },
      finish_reason: 'length',
    })

    const stream = await client.chat.completions.create({ ...chat, stream: true })
    const reasons: unknown[] = []
    for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason)
    expect(reasons.at(-1)).toBe('length')

    const task = await createAgentClient(cut.url).send('Is it warm?')
    expect(task).toMatchObject({ state: 'completed', metadata: { finish_reason: 'length' } })
    expect(answerOf(task)).toBe('half a sen')
    await cut.close()
  })

  it('the official client of Chat Completions streams a chat with its usage', async () => {
    const stream = await client().chat.completions.create({
      model: 'weather',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Is it warm?' }],
    })
    let [text, total] = ['', 0]
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      total = chunk.usage?.total_tokens ?? total
    }
    expect([text, total > 0]).toEqual(['It is warm', true])
  })

  it('the official client of Chat Completions throws an error with the class, code and type of an invalid request', async () => {
    const create = client().chat.completions.create({ model: 'weather', messages: [] })
    const error: unknown = await create.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid-params',
      type: 'invalid_request_error',
      message: '400 /messages: at least one message is required',
    })
  })

  it('the official client of Chat Completions throws NotFoundError for a model that is not this agent, and accepts a request without one', async () => {
    const messages = [{ role: 'user' as const, content: 'Is it warm?' }]
    for (const stream of [false, true]) {
      const create = client().chat.completions.create({ model: 'nope', stream, messages })
      const error: unknown = await create.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({
        code: 'model_not_found',
        param: 'model',
        message: '404 The model "nope" does not exist; this address serves "weather"',
      })
    }
    const json = JSON.stringify({ messages })
    const init = { method: 'POST', body: json, headers: { 'content-type': 'application/json' } }
    expect((await fetch(`${server.url}/v1/chat/completions`, init)).status).toBe(200)
  })

  it('the official client of Chat Completions throws the error of a stream that fails', async () => {
    const failing = await serve([echoAgent()], { ...chats })
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${failing.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'fail' }]
    const stream = await client.chat.completions.create({ model: 'echo', stream: true, messages })
    const read = async () => {
      for await (const _ of stream);
    }
    await expect(read()).rejects.toMatchObject({
      message: 'It broke',
      code: 'invalid-agent-response',
    })
    await failing.close()
  })
})

it.each([false, true])(
  'a run that fails after a payment is not made again by the official client, streamed: %s',
  async (stream) => {
    const payments: string[] = []
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      execute: (_arguments, { run }) => {
        payments.push(run.runId)
        return 'paid'
      },
    })
    const agent = createAgent({
      card: { name: 'payer', description: 'x' },
      provider: createMock({
        defaultResponse: ({ messages }) =>
          messages.some(({ role }) => role === 'tool')
            ? { error: 'permission' as const }
            : { toolCalls: [{ name: 'pay', arguments: {} }] },
      }),
      tools: [pay],
    })
    const failing = await serve([agent], { ...chats, onError: () => undefined })
    // The client's own default: it sends a request again twice.
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${failing.url}/v1` })
    const messages = [{ role: 'user' as const, content: 'Pay' }]

    const ask = async () => {
      if (!stream) return client.chat.completions.create({ model: 'payer', messages })
      const chunks = await client.chat.completions.create({ model: 'payer', messages, stream })
      for await (const _ of chunks);
    }
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.APIError)

    expect(payments).toHaveLength(1)
    await failing.close()
  },
)

describe('a caller of Chat Completions that leaves', () => {
  it.each([
    ['a stream', true, false, 'the caller left'],
    ['a whole reply', false, false, 'the caller left'],
    ['a conversation that is kept', true, true, undefined],
  ])(
    'a caller that leaves %s stops its run, unless the conversation is kept',
    async (_, stream, isKept, expected) => {
      const begun = Promise.withResolvers<AbortSignal>()
      const end = Promise.withResolvers<string>()
      const agent = createAgent({
        card: { name: 'slow', description: 'x' },
        handler: async ({ signal, delta }) => {
          await delta('One moment. ')
          begun.resolve(signal)
          return end.promise
        },
      })
      const slow = await serve([agent], chats)
      const left = new AbortController()
      const request = fetch(`${slow.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(isKept && { 'x-modelport-session': 's1' }),
        },
        body: JSON.stringify({ stream, messages: [{ role: 'user', content: 'Hi' }] }),
        signal: left.signal,
      }).then((response) => response.text())
      const signal = await begun.promise
      const aborted = new Promise<string>((resolve) =>
        signal.addEventListener('abort', () => resolve((signal.reason as Error).message)),
      )
      left.abort()
      await request.catch(() => undefined)
      if (expected === undefined) end.resolve('done')
      else expect(await aborted).toBe(expected)
      end.resolve('done')
      await slow.close()
      expect(signal.aborted).toBe(expected !== undefined)
    },
  )
})

describe('Chat Completions', () => {
  it('Chat Completions names the task that waits, and never takes text as a decision', async () => {
    const { request } = testServer(chats)
    const chat = (content: string, headers = {}) =>
      request('/v1/chat/completions', {
        json: { model: 'echo', messages: [{ role: 'user', content }] },
        headers,
      })
    const reply = (await (await chat('ask')).json()) as {
      choices: { message: { content: string } }[]
    }
    expect(reply.choices[0]?.message.content).toMatch(
      /Task task_\S+ of .* waits \(input-required\)/,
    )
    const session = { 'x-modelport-session': 's1' }
    const second = (await (await chat('hi', session)).json()) as {
      choices: { message: { content: string } }[]
    }
    expect(second.choices[0]?.message.content).toBe('You said: hi')
  })

  it('Chat Completions ends with a typed error when text that was already sent is withdrawn', async () => {
    const agent = echoAgent({
      handler: async ({ delta }) => {
        await delta('first try')
        return 'second try'
      },
    })
    const { request } = testServer(chats, [agent])
    const json = { model: 'echo', stream: true, messages: [{ role: 'user', content: 'x' }] }
    const events = await eventsOf(await request('/v1/chat/completions', { json }))
    expect(events.map(({ choices, error }) => choices?.[0].delta.content ?? error?.code)).toEqual([
      '',
      'first try',
      'attempt-lost',
    ])
  })

  it('Chat Completions names the task that waits, also after text was sent', async () => {
    const agent = echoAgent({
      handler: async ({ delta }) => {
        await delta('Let me see.')
        return { state: 'input-required', message: 'Which city?' }
      },
    })
    const { request } = testServer(chats, [agent])
    const json = { model: 'echo', stream: true, messages: [{ role: 'user', content: 'x' }] }
    const events = await eventsOf(await request('/v1/chat/completions', { json }))
    const text = events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
    expect(text).toMatch(/^Let me see\.\n\nWhich city\?\n\nTask task_\S+ of .* waits/)
  })
})

describe('the turns of a chat', () => {
  const provider = createMock({ defaultResponse: 'You are Ann' })
  const agent = createAgent({ card: { name: 'memory', description: 'x' }, provider })
  const { request } = testServer(chats, [agent])
  const chat = (messages: object[], headers = {}) =>
    request('/v1/chat/completions', { json: { messages }, headers })

  it('the turns of a chat reach the model as turns', async () => {
    const messages = [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'My name is Ann' },
      { role: 'assistant', content: 'Hi Ann' },
      { role: 'user', content: 'Who am I?' },
    ]
    expect((await chat(messages)).status).toBe(200)
    expect(provider.requests.at(-1)?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Be brief'],
      ['user', 'My name is Ann'],
      ['assistant', 'Hi Ann'],
      ['user', 'Who am I?'],
    ])
  })

  it.each([
    [[{ role: 'tool', content: '5', tool_call_id: 'c' }], '/messages/0/role'],
    [[{ role: 'assistant', content: null, tool_calls: [{ id: 'c' }] }], '/messages/0/tool_calls'],
    [
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ],
      '/messages/1/role',
    ],
  ])(
    'the turns of a chat are refused if the agent cannot hear them: %j',
    async (messages, pointer) => {
      const response = await chat(messages)
      const { error } = (await response.json()) as { error: { message: string } }
      expect([response.status, error.message]).toEqual([400, expect.stringContaining(pointer)])
    },
  )

  it('the turns of a chat are refused next to a session, which keeps the conversation', async () => {
    const two = [
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ]
    const response = await chat(two, { 'x-modelport-session': 's1' })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('send the new message only'),
    ])
  })
})

describe('text that was already sent', () => {
  const delta = (text: string, first?: true) =>
    ({ type: 'text-delta', text, seq: 1, at: '', attempt: 1, ...(first && { first }) }) as const
  const callEnd = {
    type: 'run',
    event: { type: 'model-call-end' },
    seq: 1,
    at: '',
    attempt: 1,
  } as unknown as TaskEvent

  it('text that was already sent is followed by the text of the next model call, and by the rest of the reply', () => {
    const shown = new ShownText()
    const events = [delta('Let me ', true), delta('check.'), callEnd, delta('It is', true)]
    expect(events.map((event) => shown.next(event))).toEqual([
      'Let me ',
      'check.',
      undefined,
      '\n\nIt is',
    ])
    expect(shown.end('It is warm')).toBe(' warm')
  })

  it('text that was already sent cannot be followed by text of another attempt of the same call', () => {
    const shown = new ShownText()
    shown.next(delta('It is w', true))
    expect(shown.next(delta('It is', true))).toMatchObject({ reason: 'attempt-lost' })
  })
})

describe('a third-party mock of A2A', () => {
  it('a third-party mock of A2A is understood by our client', async () => {
    const mock = new LLMock({ port: 0 })
    const a2a = new A2AMock()
    a2a.registerAgent({ name: 'mock', description: 'A mock' })
    a2a.onMessage('mock', /.*/, [{ text: 'from the mock' }])
    mock.mount('/a2a', a2a)
    await mock.start()
    try {
      const client = createAgentClient(`${mock.url}/a2a`)
      const done = await client.send('hello')
      expect(answerOf(done)).toContain('from the mock')
    } finally {
      await mock.stop()
    }
  })
})

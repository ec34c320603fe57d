import type { Client } from '@modelcontextprotocol/client'
import { AgentHost, createAgent, createLocalClient } from '@modelport/agent'
import { type ServeMcpOptions, serveMcp } from '@modelport/mcp/server'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { clientOf, eras, overHttp, overStdio, textsOf } from './support.js'

const paid: number[] = []

const payer = (rounds = 1) =>
  createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({
      responses: Array.from({ length: rounds }, () => [
        { toolCalls: [{ name: 'pay', arguments: { amount: 5, note: 'a\u202eb' } }] },
        'It is paid',
      ]).flat(),
    }),
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays',
        parameters: {
          type: 'object',
          properties: { amount: { type: 'number' }, note: { type: 'string' } },
        },
        execute: ({ amount }) => {
          paid.push(amount as number)
          return 'ok'
        },
      }),
    ],
    policy: { rules: { 'tool.pay': 'require-approval' } },
  })
const asker = createAgent({
  card: { name: 'asker', description: 'Asks' },
  handler: async ({ input, signal, task }) => {
    if (input === 'wait')
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    return task.messages.length > 1
      ? `You are in ${input}`
      : { state: 'input-required', message: 'Which city?' }
  },
})

interface Structure {
  readonly answer: string
  readonly state: string
  readonly task: string
  readonly context: string
}
const structureOf = (result: unknown) =>
  (result as { readonly structuredContent: Structure }).structuredContent

/** A client whose user answers each question with the next of these. */
function asking(client: Client, answers: readonly object[]): string[] {
  const seen: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    seen.push(params.message)
    return answers[Math.min(seen.length, answers.length) - 1] as { action: 'accept' }
  })
  return seen
}
const allow = { action: 'accept', content: { decision: 'allow' } }
const form = { elicitation: { form: {} } }

describe.each(eras)('an agent as a tool (%s)', (era) => {
  const connect = async (options: Partial<ServeMcpOptions>, capabilities = {}) => {
    const server = serveMcp({ name: 'agents', ...options })
    const client = clientOf(era, capabilities)
    await overHttp(server, client)
    return { server, client }
  }

  test('its approval is a question to the user, with the exact arguments, and the answer counts', async () => {
    paid.length = 0
    const { client } = await connect({ agents: [payer()] }, form)
    const seen = asking(client, [allow])
    const result = await client.callTool({ name: 'payer', arguments: { message: 'Pay 5' } })
    expect(textsOf(result)).toBe('It is paid')
    expect(seen).toEqual([
      String.raw`Allow pay with {"amount":5,"note":"a\u{202E}b"}? (tool.pay needs approval)`,
    ])
    expect(paid).toEqual([5])
    expect(structureOf(result)).toMatchObject({ answer: 'It is paid', state: 'completed' })
  })

  test('a user who declines has denied it, and the model continues', async () => {
    paid.length = 0
    const { client } = await connect({ agents: [payer()] }, form)
    asking(client, [{ action: 'decline' }])
    expect(textsOf(await client.callTool({ name: 'payer', arguments: { message: 'Pay 5' } }))).toBe(
      'It is paid',
    )
    expect(paid).toEqual([])
  })

  test('an answer that the model cut off says so', async () => {
    const cut = createAgent({
      card: { name: 'cut', description: 'Answers' },
      provider: createMock({ responses: [{ text: 'half a sen', finish: 'length' }] }),
    })
    const { client } = await connect({ agents: [cut] })
    const result = await client.callTool({ name: 'cut', arguments: { message: 'Hi' } })
    expect(textsOf(result)).toBe('half a sen\n\n(The answer was cut off at its limit of length.)')
    expect(structureOf(result)).toMatchObject({ answer: 'half a sen', finish_reason: 'length' })
  })

  test('a user who dismisses the question has not answered: the task waits, and can be continued', async () => {
    paid.length = 0
    const { client } = await connect({ agents: [payer()] }, form)
    const seen = asking(client, [
      { action: 'cancel' },
      { action: 'accept', content: { decision: 'maybe' } },
      allow,
    ])
    const waiting = await client.callTool({ name: 'payer', arguments: { message: 'Pay 5' } })
    const { task, state } = structureOf(waiting)
    expect(state).toBe('input-required')
    expect(textsOf(await client.callTool({ name: 'payer', arguments: { task } }))).toBe(
      'It is paid',
    )
    expect(seen).toHaveLength(3)
    expect(paid).toEqual([5])
  })

  test('a client that cannot ask its user gets a result that says what waits, and the operator decides', async () => {
    paid.length = 0
    const host = new AgentHost([payer()])
    const { client } = await connect({ agents: host })
    const waiting = await client.callTool({ name: 'payer', arguments: { message: 'Pay 5' } })
    const { task } = structureOf(waiting)
    expect(textsOf(waiting)).toBe(
      `The task ${task} waits. This client cannot ask its user: it declares no elicitation. ` +
        String.raw`Allow pay with {"amount":5,"note":"a\u{202E}b"}? (tool.pay needs approval)` +
        '\nA person has to decide this where the tasks of the agent are decided, or through a client that can ask its user. Then call the tool again with this task.',
    )
    expect(
      textsOf(await client.callTool({ name: 'payer', arguments: { task, message: 'allow' } })),
    ).toContain('waits')
    const operator = createLocalClient(host.agentOf('payer'), { host, principal: 'anonymous' })
    const found = await operator.get(task)
    const { requestsOf } = await import('@modelport/agent')
    await operator.decide(
      found,
      requestsOf(found).map(({ requestId }) => ({ requestId, approved: true })),
    )
    expect(textsOf(await client.callTool({ name: 'payer', arguments: { task } }))).toBe(
      'It is paid',
    )
    expect(paid).toEqual([5])
  })

  test('its question is a question to the user, or is answered with the task', async () => {
    const { server, client } = await connect({ agents: [asker] }, form)
    expect(asking(client, [{ action: 'accept', content: { answer: 'Rome' } }])).toEqual([])
    expect(textsOf(await client.callTool({ name: 'asker', arguments: { message: 'hi' } }))).toBe(
      'You are in Rome',
    )
    const shy = clientOf(era, form)
    await overHttp(server, shy)
    asking(shy, [{ action: 'decline' }])
    expect(
      structureOf(await shy.callTool({ name: 'asker', arguments: { message: 'hi' } })).state,
    ).toBe('input-required')
    const plain = clientOf(era)
    await overHttp(server, plain)
    const { task } = structureOf(
      await plain.callTool({ name: 'asker', arguments: { message: 'hi' } }),
    )
    const answered = await plain.callTool({ name: 'asker', arguments: { task, message: 'Bern' } })
    expect(structureOf(answered)).toMatchObject({ answer: 'You are in Bern', task })
  })

  describe('a question of its tool', () => {
    const booked: unknown[] = []
    const schema = {
      type: 'object',
      properties: { people: { type: 'integer', minimum: 1, title: 'Guests' } },
      required: ['people'],
    } as const
    const waiter = () => {
      booked.length = 0
      const book = defineTool({
        name: 'book',
        description: 'Books',
        execute: async (_, { ask }) => {
          const people = await ask({ message: 'How\u202e many?', schema, from: 'tables' })
          const deposit = await ask({ message: 'Pay the deposit', url: 'https://pay.example/1' })
          booked.push(people, deposit.action)
          return 'ok'
        },
      })
      return createAgent({
        card: { name: 'waiter', description: 'Books tables' },
        provider: createMock({
          responses: [{ toolCalls: [{ name: 'book', arguments: {} }] }, 'Booked.'],
        }),
        tools: [book],
      })
    }
    const both = { elicitation: { form: {}, url: {} } }
    const call = { name: 'waiter', arguments: { message: 'Book' } }

    test('the user gets its own form or address, and the answer is its content', async () => {
      const { client } = await connect({ agents: [waiter()] }, both)
      const seen: unknown[] = []
      const contents = [{ people: 0 }, { people: 4 }]
      client.setRequestHandler('elicitation/create', ({ params }) => {
        seen.push(
          params.mode === 'url'
            ? [params.message, params.url]
            : [params.message, params.requestedSchema],
        )
        const content = contents[seen.length - 1]
        return { action: 'accept', ...(content && { content }) }
      })
      expect(textsOf(await client.callTool(call))).toBe('Booked.')
      const form = [String.raw`tables: How\u{202E} many?`, schema]
      expect(seen).toEqual([form, form, ['Pay the deposit', 'https://pay.example/1']])
      expect(booked).toEqual([{ action: 'accept', content: { people: 4 } }, 'accept'])
    })

    test('the tool reads that the user declined; a question that is dismissed waits', async () => {
      const { client } = await connect({ agents: [waiter()] }, both)
      asking(client, [{ action: 'cancel' }, { action: 'decline' }])
      const { task, state } = structureOf(await client.callTool(call))
      expect([state, booked]).toEqual(['input-required', []])
      const declined = await client.callTool({ name: 'waiter', arguments: { task } })
      expect(textsOf(declined)).toBe('Booked.')
      expect(booked).toEqual([{ action: 'decline' }, 'decline'])
    })

    test('a client that shows no addresses gets the address as text, and its model cannot answer', async () => {
      const { client } = await connect({ agents: [waiter()] }, form)
      asking(client, [{ action: 'accept', content: { people: 4 } }])
      const waiting = await client.callTool(call)
      expect(textsOf(waiting)).toContain(
        'waits. This client cannot ask its user: it declares no elicitation by URL. book asks: Pay the deposit https://pay.example/1\n',
      )
      const { task } = structureOf(waiting)
      await client.callTool({ name: 'waiter', arguments: { task, message: 'accept' } })
      expect(booked).toEqual([])
    })
  })

  test('a cancelled call cancels the task', async () => {
    const host = new AgentHost([asker])
    const { client } = await connect({ agents: host })
    const abort = new AbortController()
    const call = client.callTool(
      { name: 'asker', arguments: { message: 'wait' } },
      { signal: abort.signal },
    )
    call.catch(() => undefined)
    const tasks = createLocalClient(asker, { host, principal: 'anonymous' })
    const states = async () => (await tasks.list()).tasks.map(({ state }) => state)
    await expect.poll(states).toEqual(['working'])
    abort.abort()
    await expect.poll(states).toEqual(['cancelled'])
  })

  test('a task belongs to whoever began it', async () => {
    const authenticate = (request: Request) => {
      const [, subject] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
      return subject === undefined ? undefined : { subject }
    }
    const server = serveMcp({ name: 'agents', agents: [asker], authenticate })
    const [ada, eve] = [clientOf(era), clientOf(era)]
    await Promise.all([overHttp(server, ada, 'ada'), overHttp(server, eve, 'eve')])
    const { task } = structureOf(
      await ada.callTool({ name: 'asker', arguments: { message: 'hi' } }),
    )
    const stolen = await eve.callTool({ name: 'asker', arguments: { task, message: 'Bern' } })
    expect([stolen.isError, textsOf(stolen)]).toEqual([
      true,
      'The task does not exist or is not accessible',
    ])
    expect(
      textsOf(await ada.callTool({ name: 'asker', arguments: { task, message: 'Rome' } })),
    ).toBe('You are in Rome')
  })

  test('wrong arguments and a failing agent are results that say so, without the reason of a crash', async () => {
    const errors: unknown[] = []
    const broken = createAgent({
      card: { name: 'broken', description: 'Breaks' },
      handler: () => {
        throw new Error('the password is hunter2')
      },
    })
    const { client } = await connect({
      agents: [asker, broken],
      onError: (error) => errors.push(error),
    })
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args })
      return [result.isError, textsOf(result)]
    }
    expect(await call('asker', {})).toEqual([
      true,
      '"message" is missing: say what the agent should do',
    ])
    expect(await call('asker', { mesage: 'hi' })).toEqual([
      true,
      '"mesage" is not one of the texts message, context and task',
    ])
    expect(await call('asker', { task: 'nothing' })).toEqual([
      true,
      'The task does not exist or is not accessible',
    ])
    const [isError, text] = await call('broken', { message: 'hi' })
    expect(isError).toBe(true)
    expect(text).not.toContain('hunter2')
  })
})

test('an answer that is sent twice counts once (2026-07-28)', async () => {
  paid.length = 0
  const host = new AgentHost([payer()])
  const server = serveMcp({ name: 'agents', agents: host })
  let id = 0
  const post = async (params: object) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': form,
    }
    const response = await server.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'payer',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++id,
          method: 'tools/call',
          params: { ...params, _meta },
        }),
      }),
    )
    return ((await response.json()) as { readonly result: Record<string, object> }).result
  }
  const first = { name: 'payer', arguments: { message: 'Pay 5' } }
  const asked = await post(first)
  expect(asked['resultType']).toBe('input_required')
  const [key = ''] = Object.keys(asked['inputRequests'] as object)
  const answer = { ...first, inputResponses: { [key]: allow }, requestState: asked['requestState'] }
  const results = await Promise.all([post(answer), post(answer)])
  results.push(await post(answer))
  for (const result of results)
    expect(result['structuredContent']).toMatchObject({ answer: 'It is paid' })
  expect(paid).toEqual([5])
})

test('what an agent does is progress of the call', async () => {
  const worker = createAgent({
    card: { name: 'worker', description: 'Works' },
    handler: async ({ progress }) => {
      await progress(50, 'half')
      return 'done'
    },
  })
  const server = serveMcp({ name: 'agents', agents: [worker] })
  const client = clientOf('auto')
  await overStdio(server, client)
  const news: unknown[] = []
  await client.callTool(
    { name: 'worker', arguments: { message: 'go' } },
    { onprogress: (given) => void news.push(given) },
  )
  expect(news).toContainEqual({ progress: 1, message: 'half' })
  await server.close()
})

/* oxlint-disable typescript/no-explicit-any -- responses are JSON of any shape */

import { createAgent, createMemoryStore } from '@modelport/agent'
import { a2a, chatCompletions } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { describe, expect, it } from 'vitest'
import { fc } from '../../../../test/support/fast-check.js'
import { OffRecordTasks } from '../../../agent/src/session/off-record.js'
import { shapes } from '../../src/a2a/shapes.js'
import { base, echoAgent, say, testServer } from './support.js'

const authentication = [
  {
    type: 'bearer',
    tokens: [
      { token: 'token-of-alice', principal: 'alice' },
      { token: 'token-of-bob', principal: 'bob' },
    ],
  },
  { type: 'apiKey', keys: [{ key: 'key-of-carol', principal: 'carol' }] },
  { type: 'basic', users: [{ username: 'dave', password: 'pässword' }] },
] as const
const as = (name: string) => ({ authorization: `Bearer token-of-${name}` })

describe('authentication', () => {
  it('the server refuses callers without valid credentials with a challenge, but serves the card to everybody', async () => {
    const { request } = testServer({ authentication })
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic token-of-alice' },
      { 'x-api-key': '' },
    ]) {
      const response = await request('/tasks', { headers: headers as Record<string, string> })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('Bearer')
    }
    const { rpc } = testServer({ authentication })
    expect((await rpc('ListTasks', {})).error?.code).toBe(-32050)
    const card = await (await request('/.well-known/agent-card.json')).json()
    expect(card.securitySchemes).toMatchObject({
      bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } },
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'x-api-key' } },
    })
    expect(card.securityRequirements).toHaveLength(3)
  })

  it('the server accepts each scheme of the card, and never a key in the query', async () => {
    const { request } = testServer({ authentication })
    const basic = `Basic ${Buffer.from('dave:pässword').toString('base64')}`
    for (const headers of [as('alice'), { 'x-api-key': 'key-of-carol' }, { authorization: basic }])
      expect((await request('/tasks', { headers: headers as Record<string, string> })).status).toBe(
        200,
      )
    for (const query of ['api_key=key-of-carol', 'apikey=key-of-carol', 'token=token-of-alice'])
      expect((await request(`/tasks?${query}`)).status).toBe(401)
  })

  it('the server keeps a principal apart whose name reads like a caller of a tenant', async () => {
    const tokens = [
      { token: 'one', principal: 'bob' },
      { token: 'two', principal: JSON.stringify(['acme', 'bob']) },
    ]
    const { rpc } = testServer({ authentication: [{ type: 'bearer', tokens }] })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const { task } = (await rpc('SendMessage', { ...say('ask'), tenant: 'acme' }, bearer('one')))
      .result
    expect((await rpc('GetTask', { id: task.id, tenant: 'acme' }, bearer('one'))).result.id).toBe(
      task.id,
    )
    expect((await rpc('GetTask', { id: task.id }, bearer('two'))).error?.code).toBe(-32001)
    expect((await rpc('ListTasks', {}, bearer('two'))).result.totalSize).toBe(0)
  })

  it('the server keeps the tasks of two principals apart in every operation', async () => {
    const { request, rpc } = testServer({ authentication })
    const { task } = (await rpc('SendMessage', say('ask', { contextId: 'shared' }), as('alice')))
      .result
    const attempts: [string, object][] = [
      ['GetTask', { id: task.id }],
      ['CancelTask', { id: task.id }],
      ['SubscribeToTask', { id: task.id }],
      ['SendMessage', say('x', { taskId: task.id })],
    ]
    for (const [method, params] of attempts) {
      const refused = await rpc(method, params, as('bob'))
      expect([method, refused.error?.code]).toEqual([method, -32001])
    }
    expect((await rpc('ListTasks', { contextId: 'shared' }, as('bob'))).result.totalSize).toBe(0)
    expect(
      (await request(`/modelport/tasks/${task.id}/events`, { headers: as('bob') })).status,
    ).toBe(404)
    await rpc('SendMessage', say('hi', { contextId: 'shared' }), as('bob'))
    expect((await rpc('GetTask', { id: task.id }, as('alice'))).result.status.state).toBe(
      'TASK_STATE_INPUT_REQUIRED',
    )
  })

  it('the server refuses a decision of another principal on an approval, and accepts that of the owner once', async () => {
    let calls = 0
    const agent = createAgent({
      card: { name: 'payer', description: 'Pays' },
      policy: { default: 'require-approval' },
      tools: [
        {
          definition: { name: 'pay', description: 'Pays' },
          validate: (value) => ({ ok: true, value }),
          execute: () => `paid ${++calls}`,
        },
      ],
    })
    const { rpc } = testServer({ authentication }, [agent])
    const metadata = { protolinkPartType: 'tool_call' }
    const call = say('', { parts: [{ data: { tool_name: 'pay', args: {} }, metadata }] })
    const { task } = (await rpc('SendMessage', call, as('alice'))).result
    const { approval } = task.status.message.parts.find(({ data }: any) => data?.approval).data
    const decision = (digest = approval.digest) => {
      const { request_id } = approval
      const part = {
        data: { approval: { request_id, digest, approved: true } },
        metadata: { protolinkPartType: 'approval' },
      }
      return say('', { taskId: task.id, parts: [part] })
    }
    expect((await rpc('SendMessage', decision(), as('bob'))).error?.code).toBe(-32001)
    for (const unbound of [null, '0'.repeat(64)])
      expect((await rpc('SendMessage', decision(unbound), as('alice'))).error?.code).toBe(-32602)
    expect(calls).toBe(0)
    expect((await rpc('SendMessage', decision(), as('alice'))).result.task.status.state).toBe(
      'TASK_STATE_COMPLETED',
    )
    expect((await rpc('SendMessage', decision(), as('alice'))).error?.code).toBe(-32004)
    expect(calls).toBe(1)
  })

  it('the server never stores or shows a secret of a caller', async () => {
    const errors: unknown[] = []
    const store = createMemoryStore()
    const { rpc } = testServer({ authentication, store, onError: (error) => errors.push(error) })
    const { task } = (await rpc('SendMessage', say('fail'), as('alice'))).result
    const events = await store.tasks.read({ principal: 'alice', id: task.id }, 1)
    expect(JSON.stringify([task, events, errors])).not.toContain('token-of')
  })
})

describe('a server without authentication', () => {
  it('a server without authentication refuses other hosts and foreign origins, and sends no CORS headers', async () => {
    const { server } = testServer()
    const send = (url: string, headers: Record<string, string>) =>
      server.fetch(new Request(url, { headers: { 'a2a-version': '1.0', ...headers } }))
    expect((await send(`${base}/tasks`, { host: 'evil.example.com' })).status).toBe(403)
    expect((await send('http://evil.example.com/tasks', {})).status).toBe(403)
    expect((await send(`${base}/tasks`, { origin: 'https://evil.example.com' })).status).toBe(403)
    const fine = await send('http://localhost/tasks', {})
    expect([fine.status, fine.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  it('a server without authentication refuses to listen on an address that other machines can reach', async () => {
    await expect(serve([echoAgent()], { hostname: '0.0.0.0' })).rejects.toThrow(
      'needs authentication',
    )
  })
})

describe('push notifications', () => {
  it('push notifications are refused by a server that sends no notifications', async () => {
    const { rpc } = testServer()
    for (const method of ['Create', 'Get', 'Delete'])
      expect(
        (
          await rpc(`${method}TaskPushNotificationConfig`, {
            taskId: 'x',
            id: 'y',
            url: 'https://example.com/',
          })
        ).error?.code,
      ).toBe(-32003)
    expect((await rpc('ListTaskPushNotificationConfigs', { taskId: 'x' })).error?.code).toBe(-32003)
    const configuration = { taskPushNotificationConfig: { url: 'https://example.com/' } }
    expect((await rpc('SendMessage', { ...say('hi'), configuration })).error?.code).toBe(-32003)
    expect((await rpc('ListTasks', {})).result.totalSize).toBe(0)
  })
})

describe('a task off the record', () => {
  const offRecord = { metadata: { 'https://modelport.dev/a2a/ext/v1': { off_record: true } } }

  it('a task off the record leaves no event in the store, and can be read and continued until it is forgotten', async () => {
    const store = createMemoryStore()
    const { rpc, request } = testServer({ store, wires: [a2a(), chatCompletions()] })
    const { task } = (await rpc('SendMessage', { ...say('ask'), ...offRecord })).result
    const done = (await rpc('SendMessage', say('Rome', { taskId: task.id }))).result.task
    expect((await rpc('GetTask', { id: task.id })).result.status.state).toBe('TASK_STATE_COMPLETED')
    expect(done.artifacts[0].parts[0].text).toBe('You said: Rome')
    const chat = { model: 'echo', messages: [{ role: 'user', content: 'hi' }] }
    expect((await request('/v1/chat/completions', { json: chat })).status).toBe(200)
    expect(await store.tasks.load({ principal: 'anonymous', id: task.id })).toBeUndefined()
    expect((await store.tasks.list({ principal: 'anonymous', limit: 10 })).total).toBe(0)
    expect((await rpc('ListTasks', {})).result.totalSize).toBe(0)
  })

  it('a task off the record is forgotten after its end', async () => {
    const tasks = new OffRecordTasks(createMemoryStore().tasks, 1)
    const key = { principal: 'p', id: 't' }
    const record = {
      ...key,
      agent: 'a',
      sessionId: 's',
      createdAt: '',
      metadata: {},
      flowState: {},
      offRecord: true,
    }
    const at = '2026-01-01T00:00:00.000Z'
    await tasks.create(record, [{ type: 'status', state: 'submitted', at, attempt: 1 }])
    await tasks.append(key, 1, [{ type: 'status', state: 'cancelled', at, attempt: 1 }])
    await expect.poll(() => tasks.head(key)).toBeUndefined()
  })
})

describe('limits', () => {
  it('the limits of a server refuse a body that is too large, with or without a Content-Length', async () => {
    const { request } = testServer({ maxBodyBytes: 1_000 })
    const response = await request('/message:send', { json: say('x'.repeat(2_000)) })
    expect(response.status).toBe(413)
  })

  it('the limits of a server refuse tasks when the queue of the agent is full, with a Retry-After header', async () => {
    const { request, rpc } = testServer({}, [echoAgent({ maxConcurrency: 1, maxQueue: 0 })])
    const { task } = (
      await rpc('SendMessage', { ...say('wait'), configuration: { returnImmediately: true } })
    ).result
    const refused = await request('/message:send', { json: say('hi') })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    await rpc('CancelTask', { id: task.id })
  })

  it('the limits of a server refuse chains of agents that repeat or are too long', async () => {
    const { rpc } = testServer()
    const withChain = (chain: string[]) => ({
      ...say('hi'),
      metadata: { 'https://modelport.dev/a2a/ext/v1': { run_context: { agent_chain: chain } } },
    })
    expect((await rpc('SendMessage', withChain(['echo']))).error?.code).toBe(-32051)
    expect(
      (await rpc('SendMessage', withChain(Array.from({ length: 16 }, (_, index) => `a${index}`))))
        .error?.code,
    ).toBe(-32051)
    expect((await rpc('SendMessage', withChain(['boss']))).error).toBeUndefined()
  })

  it('the limits of a server let permissions from the wire only narrow what is allowed', async () => {
    const agent = createAgent({
      card: { name: 'tools', description: 'x' },
      tools: [
        {
          definition: { name: 'echo', description: 'x' },
          validate: (value) => ({ ok: true, value }),
          execute: () => 'done',
        },
      ],
    })
    const { rpc } = testServer({}, [agent])
    const call = say('x', {
      parts: [
        { data: { tool_name: 'echo', args: {} }, metadata: { protolinkPartType: 'tool_call' } },
      ],
    })
    const narrowed = { ...call, metadata: { run_context: { permissions: ['tool.other'] } } }
    expect((await rpc('SendMessage', narrowed)).result.task.status.state).toBe('TASK_STATE_FAILED')
    const open = { ...say('y', { parts: call.message.parts }) }
    expect((await rpc('SendMessage', open)).result.task.status.state).toBe('TASK_STATE_COMPLETED')
  })
})

/** Values that break what a field expects. */
const bad = fc.oneof(
  fc.constantFrom(
    null,
    '',
    'x',
    -1,
    1e99,
    true,
    [],
    {},
    [null],
    { __proto__: null },
    '\u0000',
    '\uD800',
    '{{',
    '../..',
    '%00',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Any value for a type of the proto: mostly of its shape, with broken fields. */
function messageOf(type: string, depth: number): fc.Arbitrary<unknown> {
  const fields = shapes.get(type)
  if (!fields || depth > 4)
    return fc.oneof(
      bad,
      fc.string({ maxLength: 8 }),
      fc.constantFrom('ROLE_USER', 'TASK_STATE_WORKING', 5, 'aGk='),
    )
  const record = fc.record(
    Object.fromEntries(
      fields.map((field) => {
        const value = fc.oneof(
          { weight: 4, arbitrary: messageOf(field.type, depth + 1) },
          { weight: 1, arbitrary: bad },
        )
        return [field.name, field.repeated ? fc.array(value, { maxLength: 3 }) : value]
      }),
    ),
    { requiredKeys: [] },
  )
  return fc.oneof({ weight: 9, arbitrary: record }, { weight: 1, arbitrary: bad })
}

const requests: readonly (readonly [method: string, type: string])[] = [
  ['SendMessage', 'SendMessageRequest'],
  ['SendStreamingMessage', 'SendMessageRequest'],
  ['GetTask', 'GetTaskRequest'],
  ['ListTasks', 'ListTasksRequest'],
  ['CancelTask', 'CancelTaskRequest'],
  ['SubscribeToTask', 'SubscribeToTaskRequest'],
  ['CreateTaskPushNotificationConfig', 'TaskPushNotificationConfig'],
  ['GetTaskPushNotificationConfig', 'GetTaskPushNotificationConfigRequest'],
  ['ListTaskPushNotificationConfigs', 'ListTaskPushNotificationConfigsRequest'],
  ['DeleteTaskPushNotificationConfig', 'DeleteTaskPushNotificationConfigRequest'],
  ['GetExtendedAgentCard', 'GetExtendedAgentCardRequest'],
]

const segmentOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? 'x')
  return encodeURIComponent(text.replaceAll(/[\uD800-\uDFFF]/g, '?') || 'x')
}

/** The same request over HTTP+JSON. */
function restOf(
  method: string,
  params: unknown,
): readonly [path: string, init: RequestInit & { json?: unknown }] {
  const fields =
    typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {}
  const query = Object.entries(fields)
    .map(([name, value]) => `${segmentOf(name)}=${segmentOf(value)}`)
    .join('&')
  const json = { json: params ?? null }
  const task = `/tasks/${segmentOf(fields['id'])}`
  const configs = `/tasks/${segmentOf(fields['taskId'])}/pushNotificationConfigs`
  switch (method) {
    case 'SendMessage':
      return ['/message:send', json]
    case 'SendStreamingMessage':
      return ['/message:stream', json]
    case 'GetTask':
      return [`${task}?${query}`, {}]
    case 'ListTasks':
      return [`/tasks?${query}`, {}]
    case 'CancelTask':
      return [`${task}:cancel`, json]
    case 'SubscribeToTask':
      return [`${task}:subscribe?${query}`, {}]
    case 'CreateTaskPushNotificationConfig':
      return [configs, json]
    case 'GetTaskPushNotificationConfig':
      return [`${configs}/${segmentOf(fields['id'])}?${query}`, {}]
    case 'ListTaskPushNotificationConfigs':
      return [`${configs}?${query}`, {}]
    case 'DeleteTaskPushNotificationConfig':
      return [`${configs}/${segmentOf(fields['id'])}?${query}`, { method: 'DELETE' }]
    default:
      return [`/extendedAgentCard?${query}`, {}]
  }
}

describe('malformed requests', () => {
  // The full size is 10,000 over each binding: MODELPORT_FUZZ_RUNS=1000 (per method) runs it.
  const numRuns = Number(process.env['MODELPORT_FUZZ_RUNS'] ?? 40)
  it.each(requests)(
    'requests of %s never cause an internal error, over either binding',
    async (method, type) => {
      const errors: unknown[] = []
      const { server, request } = testServer({ onError: (error) => errors.push(error) })
      await fc.assert(
        fc.asyncProperty(
          messageOf(type, 0),
          fc.constantFrom('1.0', '0.3', 'x'),
          async (params, version) => {
            const headers = { 'a2a-version': version }
            const rpc = await request('/', {
              json: { jsonrpc: '2.0', id: 1, method, params },
              headers,
            })
            expect(rpc.status).toBeLessThan(500)
            expect(await rpc.text()).not.toContain('-32603')
            const [path, init] = restOf(method, params)
            const rest = await request(path, { ...init, headers })
            expect(rest.status).toBeLessThan(500)
            await rest.body?.cancel()
          },
        ),
        { numRuns },
      )
      await server.close(100)
      expect(errors).toEqual([])
    },
  )
})

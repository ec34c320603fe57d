/* oxlint-disable typescript/no-explicit-any -- responses are JSON of any shape */
import { AgentError, type AgentErrorReason, createMemoryStore } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { toHttpError, toRpcError } from '../../src/wire/error-forms.js'
import { echoAgent, eventsOf, say, testServer } from './support.js'

const bearer = { authorization: 'Bearer secret' }
const authentication = [
  { type: 'bearer', tokens: [{ token: 'secret', principal: 'alice' }] },
] as const

describe('errors', () => {
  it.each([
    ['task-not-found', -32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['task-not-cancelable', -32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
    ['push-not-supported', -32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['unsupported-operation', -32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
    ['content-type-not-supported', -32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['invalid-agent-response', -32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
    [
      'extended-card-not-configured',
      -32007,
      400,
      'FAILED_PRECONDITION',
      'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    ],
    ['extension-required', -32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'],
    ['version-not-supported', -32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
  ] as const)(
    'errors of the reason %s have the code %i and the status %i',
    (reason, code, http, status, wire) => {
      const error = new AgentError(reason satisfies AgentErrorReason, 'what is wrong')
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: wire,
        domain: 'a2a-protocol.org',
      }
      expect(toRpcError(error)).toEqual({ code, message: 'what is wrong', data: [info] })
      expect(toHttpError(error)).toEqual({
        error: { code: http, status, message: 'what is wrong', details: [info] },
      })
    },
  )

  it('errors are the same over both bindings', async () => {
    const { rpc, request } = testServer()
    const { task } = (await rpc('SendMessage', say('hi'))).result
    const same: [method: string, params: object, path: string, init: object][] = [
      ['GetTask', { id: 'none' }, '/tasks/none', {}],
      ['CancelTask', { id: task.id }, `/tasks/${task.id}:cancel`, { method: 'POST' }],
      ['SubscribeToTask', { id: task.id }, `/tasks/${task.id}:subscribe`, { method: 'POST' }],
      ['SendMessage', {}, '/message:send', { json: {} }],
      [
        'SendMessage',
        say('x', { taskId: 'none' }),
        '/message:send',
        { json: say('x', { taskId: 'none' }) },
      ],
      ['SendStreamingMessage', { message: {} }, '/message:stream', { json: { message: {} } }],
      ['ListTasks', { pageSize: 0 }, '/tasks?pageSize=0', {}],
      ['ListTaskPushNotificationConfigs', { taskId: 'x' }, '/tasks/x/pushNotificationConfigs', {}],
      ['GetExtendedAgentCard', {}, '/extendedAgentCard', {}],
    ]
    for (const [method, params, path, init] of same) {
      const one = (await rpc(method, params)).error as any
      const response = await request(path, init)
      const other = (await response.json()).error
      expect([method, one.message, one.data]).toEqual([method, other.message, other.details])
      expect([other.code, response.headers.get('content-type')]).toEqual([
        response.status,
        'application/a2a+json',
      ])
      for (const detail of one.data)
        expect(detail['@type']).toMatch(/^type\.googleapis\.com\/google\.rpc\./)
    }
  })

  it('errors inside the server are reported to the application, and do not show the caller the cause', async () => {
    const errors: unknown[] = []
    const store = { ...createMemoryStore() }
    const cause = new Error('password of the database')
    const broken = {
      ...store,
      tasks: new Proxy(store.tasks, { get: () => () => Promise.reject(cause) }),
    }
    const { rpc, request } = testServer({ store: broken, onError: (error) => errors.push(error) })
    const refused = await rpc('GetTask', { id: 'x' })
    expect([refused.error?.code, refused.error?.message]).toEqual([-32603, 'Internal error'])
    const response = await request('/tasks/x')
    expect([response.status, (await response.text()).includes('password')]).toEqual([500, false])
    expect(errors).toContain(cause)
  })

  it('errors of callers without valid credentials are reported for a security log, without line breaks', async () => {
    const refusals: object[] = []
    const { request } = testServer({
      authentication,
      onRefusal: (refusal) => refusals.push(refusal),
    })
    await request('/tasks/a%0d%0ab?key=secret', { headers: { authorization: 'Bearer guess' } })
    expect(refusals).toEqual([
      { reason: 'unauthenticated', method: 'GET', path: '/tasks/a%0d%0ab' },
    ])
  })
})

describe('requests', () => {
  it('HTTP+JSON requests may have the media type of A2A, and their responses have it too', async () => {
    const { request } = testServer()
    const headers = { 'content-type': 'application/a2a+json' }
    const response = await request('/message:send', { json: say('hi'), headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/a2a+json',
    ])
  })

  it('requests with another media type or an encoding other than UTF-8 are refused', async () => {
    const { request } = testServer()
    const typed = await request('/message:send', {
      json: say('hi'),
      headers: { 'content-type': 'text/plain' },
    })
    expect([typed.status, (await typed.json()).error.details[0].reason]).toEqual([
      400,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ])
    const headers = { 'content-type': 'application/json' }
    const latin = await request('/message:send', {
      method: 'POST',
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
      headers,
    })
    expect(latin.status).toBe(400)
  })

  it('requests with ids that are too long are refused, and never get another context', async () => {
    const { rpc } = testServer()
    for (const field of ['contextId', 'messageId']) {
      const refused = await rpc('SendMessage', say('x', { [field]: 'x'.repeat(257) }))
      expect([refused.error?.code, refused.result]).toEqual([-32602, undefined])
    }
    expect(
      (await rpc('SendMessage', say('x', { contextId: 'x'.repeat(256) }))).error,
    ).toBeUndefined()
  })

  it.each(['contextId', 'messageId'])(
    'requests with control characters in %s are refused',
    async (field) => {
      const { rpc } = testServer()
      for (const control of ['\0', '\r\n', '\u001b[2J', '\u0085'])
        expect((await rpc('SendMessage', say('x', { [field]: `a${control}b` }))).error?.code).toBe(
          -32602,
        )
    },
  )

  it('requests with another HTTP method are refused with the methods that are served, and the status in the body', async () => {
    const { request } = testServer()
    const response = await request('/tasks/x', { method: 'PUT' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect((await response.json()).error).toMatchObject({
      code: 405,
      message: 'This address serves only GET',
    })
  })

  it('requests without parameters get an error that names what is missing', async () => {
    const { rpc } = testServer()
    expect((await rpc('GetTask')).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('found nothing'),
    })
  })

  it('requests may name several extensions in one header, and unknown ones are ignored', async () => {
    const { rpc } = testServer()
    const extensions = 'https://example.com/a/v1, https://example.com/b/v2'
    expect(
      (await rpc('SendMessage', say('x'), { 'a2a-extensions': extensions })).error,
    ).toBeUndefined()
  })

  it('requests without a version are treated as A2A 0.3, which is refused', async () => {
    const { rpc } = testServer()
    const { error } = await rpc('SendMessage', say('x'), { 'a2a-version': '' })
    expect(error).toMatchObject({ code: -32009, message: expect.stringContaining('not 0.3,') })
  })
})

describe('responses', () => {
  it('responses have camelCase names, enums as text and times in UTC with milliseconds', async () => {
    const { rpc } = testServer()
    const { result } = await rpc('SendMessage', say('ask'))
    const text = JSON.stringify(result)
    expect(Array.from(text.matchAll(/"([a-z]+_[a-z_]+)":/g), ([, name]) => name)).toEqual([])
    expect(result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(result.task.history[0].role).toBe('ROLE_USER')
    for (const [, time] of text.matchAll(/"timestamp":"([^"]+)"/g))
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('responses limit the history of a sent message as asked', async () => {
    const { rpc } = testServer()
    const none = await rpc('SendMessage', { ...say('hi'), configuration: { historyLength: 0 } })
    expect(none.result.task).not.toHaveProperty('history')
    const one = await rpc('SendMessage', { ...say('hi'), configuration: { historyLength: 1 } })
    expect(one.result.task.history).toHaveLength(1)
  })

  it('responses carry the header Strict-Transport-Security if the server is reached over HTTPS', async () => {
    const secure = testServer({ url: 'https://agents.example.com', allowedHosts: ['127.0.0.1'] })
    const header = 'strict-transport-security'
    expect((await secure.request('/healthz')).headers.get(header)).toBe('max-age=31536000')
    expect((await testServer().request('/healthz')).headers.get(header)).toBeNull()
  })

  it('responses give each task its own id, and tasks of one context its conversation', async () => {
    const store = createMemoryStore()
    const { rpc } = testServer({ store })
    const tasks = []
    for (const text of ['one', 'two'])
      tasks.push((await rpc('SendMessage', say(text, { contextId: 'c' }))).result.task)
    expect(tasks[0].id).not.toBe(tasks[1].id)
    const events = await store.sessions.read({ principal: 'anonymous', agent: 'echo', id: 'c' }, 1)
    expect(JSON.stringify(events)).toMatch(/one.*You said: one.*two.*You said: two/)
  })
})

describe('ListTasks', () => {
  it('ListTasks gives pages that neither repeat nor miss a task while others change', async () => {
    const { rpc } = testServer()
    const ids: string[] = []
    for (let index = 0; index < 5; index++)
      ids.push((await rpc('SendMessage', say('hi'))).result.task.id)
    const first = (await rpc('ListTasks', { pageSize: 2 })).result
    await rpc('SendMessage', say('new'))
    const second = (await rpc('ListTasks', { pageSize: 2, pageToken: first.nextPageToken })).result
    const third = (await rpc('ListTasks', { pageSize: 2, pageToken: second.nextPageToken })).result
    const listed = [first, second, third].flatMap(({ tasks }: any) =>
      tasks.map(({ id }: any) => id as string),
    )
    expect(listed).toEqual([...ids].reverse())
    expect(third.nextPageToken).toBe('')
  })

  it('ListTasks filters by the time of the status, inclusive', async () => {
    const { rpc } = testServer()
    const { task } = (await rpc('SendMessage', say('hi'))).result
    const at = task.status.timestamp as string
    expect((await rpc('ListTasks', { statusTimestampAfter: at })).result.totalSize).toBe(1)
    const later = new Date(Date.parse(at) + 1).toISOString()
    expect((await rpc('ListTasks', { statusTimestampAfter: later })).result).toMatchObject({
      tasks: [],
      totalSize: 0,
    })
  })
})

describe('a task that waits for authorization', () => {
  it('a task that waits for authorization keeps its streams open until it continues', async () => {
    const { request, rpc } = testServer()
    const response = await request('/message:stream', { json: say('auth') })
    const events = eventsOf(response)
    const { tasks } = (await rpc('ListTasks', {})).result
    await expect
      .poll(async () => (await rpc('GetTask', { id: tasks[0].id })).result.status.state)
      .toBe('TASK_STATE_AUTH_REQUIRED')
    await rpc('SendMessage', say('done', { taskId: tasks[0].id }))
    const states = (await events).flatMap(({ statusUpdate }) => statusUpdate?.status.state ?? [])
    expect(states).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_AUTH_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ])
  })
})

describe('the extended card', () => {
  it('the extended card is refused without credentials, and not stored by caches', async () => {
    const agent = echoAgent({ extendedCard: () => ({ name: 'echo', description: 'More' }) })
    const { request } = testServer({ authentication }, [agent])
    expect((await request('/extendedAgentCard')).status).toBe(401)
    const response = await request('/extendedAgentCard', { headers: bearer })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  it('the extended card is refused by a server without authentication', async () => {
    const agent = echoAgent({ extendedCard: () => ({ name: 'echo', description: 'More' }) })
    expect((await testServer({}, [agent]).request('/extendedAgentCard')).status).toBe(401)
  })
})

describe('a client', () => {
  const card = (fields: object) => ({
    name: 'x',
    description: 'x',
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    ...fields,
  })
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } }

  it.each(['JSONRPC', 'HTTP+JSON'] as const)(
    'a client sends the tenant and the version of the interface over %s',
    async (binding) => {
      const sent: { url: string; headers: Headers; body: any }[] = []
      const client = createAgentClient('http://127.0.0.1:9', {
        fetch: (input, init) => {
          const url = input as string
          if (url.endsWith('agent-card.json')) {
            const own = {
              url: 'http://127.0.0.1:9/x',
              protocolBinding: binding,
              protocolVersion: '1.0',
              tenant: 'acme',
            }
            const grpc = {
              url: 'http://127.0.0.1:9/grpc',
              protocolBinding: 'GRPC',
              protocolVersion: '1.0',
            }
            return Promise.resolve(Response.json(card({ supportedInterfaces: [grpc, own] })))
          }
          sent.push({
            url,
            headers: new Headers(init?.headers),
            body: JSON.parse(init?.body as string),
          })
          return Promise.resolve(
            Response.json(
              binding === 'JSONRPC' ? { jsonrpc: '2.0', id: 1, result: { task } } : { task },
            ),
          )
        },
      })
      await client.send('hi')
      const [{ url, headers, body } = { url: '', headers: new Headers(), body: {} }] = sent
      expect(url).toBe(
        binding === 'JSONRPC' ? 'http://127.0.0.1:9/x' : 'http://127.0.0.1:9/x/acme/message:send',
      )
      expect((body.params ?? body).tenant).toBe('acme')
      expect(headers.get('a2a-version')).toBe('1.0')
      expect(headers.get('content-type')).toBe(
        binding === 'JSONRPC' ? 'application/json' : 'application/a2a+json',
      )
    },
  )

  it('a client caches a card while it is fresh, and then revalidates it', async () => {
    const asked: (string | null)[] = []
    const fetchCard = (maxAge: string) =>
      createAgentClient('http://127.0.0.1:9', {
        fetch: (_, init) => {
          const known = new Headers(init?.headers).get('if-none-match')
          asked.push(known)
          const headers = { etag: '"v1"', 'cache-control': maxAge }
          if (known !== null) return Promise.resolve(new Response(null, { status: 304, headers }))
          const own = {
            url: 'http://127.0.0.1:9/',
            protocolBinding: 'JSONRPC',
            protocolVersion: '1.0',
          }
          return Promise.resolve(Response.json(card({ supportedInterfaces: [own] }), { headers }))
        },
      })
    const fresh = fetchCard('max-age=300')
    for (const _ of [1, 2]) expect((await fresh.card()).name).toBe('x')
    expect(asked.splice(0)).toEqual([null])
    const stale = fetchCard('max-age=0')
    for (const _ of [1, 2]) expect((await stale.card()).name).toBe('x')
    expect(asked).toEqual([null, '"v1"'])
  })
})

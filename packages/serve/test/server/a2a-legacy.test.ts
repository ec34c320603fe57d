/* eslint-disable @typescript-eslint/no-explicit-any -- responses are JSON of any shape */
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client'
import { answerOf } from '@modelport/agent'
import { a2a, createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officialRequest, startOfficialServer } from '../support/official-server.js'
import { base, bothVersions, echoAgent, eventsOf, testServer } from './support.js'

const closers: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

const message = (text: string, fields: object = {}) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  content: [{ text }],
  ...fields,
})

/** A server that is asked over the HTTP+JSON binding of 0.3. */
const legacyServer = (options: Parameters<typeof testServer>[0] = {}) => {
  const { server } = testServer({ ...bothVersions, ...options })
  const ask = (path: string, init: RequestInit & { readonly json?: unknown } = {}) => {
    const { json, ...rest } = init
    const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
    return server.fetch(new Request(base + path, { ...rest, ...body, headers: { 'content-type': 'application/json' } }))
  }
  return { server, ask }
}

describe('HTTP+JSON of A2A 0.3', () => {
  it('HTTP+JSON of A2A 0.3 sends, gets and cancels with the names of the 0.3 proto', async () => {
    const { ask } = legacyServer()
    const sent = await ask('/v1/message:send', { json: { message: message('hi') } })
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/json'])
    const { task } = await sent.json()
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'You said: hi' }] }],
      history: [{ role: 'ROLE_USER', content: [{ text: 'hi' }] }, { role: 'ROLE_AGENT' }],
    })
    expect((await (await ask(`/v1/tasks/${task.id}?historyLength=1`)).json()).history).toHaveLength(1)
    const configuration = { blocking: false }
    const waiting = await ask('/v1/message:send', { json: { request: message('wait'), configuration } })
    const { id } = (await waiting.json()).task
    const cancelled = await ask(`/v1/tasks/${id}:cancel`, { method: 'POST' })
    expect((await cancelled.json()).status.state).toBe('TASK_STATE_CANCELLED')
  })

  it('HTTP+JSON of A2A 0.3 streams events, the last of which is final', async () => {
    const { ask } = legacyServer()
    const events = await eventsOf(await ask('/v1/message:stream', { json: { message: message('slow') } }))
    expect(Object.keys(events[0])).toEqual(['task'])
    expect(events.at(-1).statusUpdate).toMatchObject({ final: true, status: { state: 'TASK_STATE_COMPLETED' } })
  })

  it('HTTP+JSON of A2A 0.3 reads files and data in the shapes of the 0.3 proto', async () => {
    const { ask } = legacyServer()
    const content = [
      { file: { fileWithUri: 'https://example.com/a.txt', mimeType: 'text/plain', name: 'a.txt' } },
      { data: { data: { a: 1 } } },
      { text: 'hi' },
    ]
    const { task } = await (await ask('/v1/message:send', { json: { message: message('', { content }) } })).json()
    expect(task.history[0].content).toEqual(content)
  })

  it('JSON-RPC of A2A 0.3 keeps a push configuration without an id under the id of its task', async () => {
    const { ask } = legacyServer({ push: { send: () => Promise.resolve(200) } })
    const { task } = await (await ask('/v1/message:send', { json: { message: message('ask') } })).json()
    const config = { pushNotificationConfig: { url: 'https://example.com/hook' } }
    const path = `/v1/tasks/${task.id}/pushNotificationConfigs`
    const stored = await (await ask(path, { json: config })).json()
    expect(stored).toEqual({
      name: `tasks/${task.id}/pushNotificationConfigs/${task.id}`,
      pushNotificationConfig: { id: task.id, url: 'https://example.com/hook' },
    })
    expect(await (await ask(path)).json()).toEqual({ configs: [stored] })
    expect((await ask(`${path}/${task.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await ask(`${path}/${task.id}`)).status).toBe(404)
  })

  it('HTTP+JSON of A2A 0.3 refuses with an error in the form of 0.3', async () => {
    const { ask } = legacyServer()
    const missing = await ask('/v1/tasks/none')
    expect([missing.status, (await missing.json()).code]).toEqual([404, -32001])
    const empty = await ask('/v1/message:send', { json: {} })
    expect([empty.status, (await empty.json()).code]).toEqual([400, -32602])
    const card = await ask('/v1/card')
    expect([card.status, (await card.json()).code]).toEqual([400, -32007])
  })

  it('HTTP+JSON of A2A 0.3 is refused for other versions, and unless 0.3 is switched on', async () => {
    const { request } = testServer(bothVersions)
    const newer = await request('/v1/tasks/none')
    expect([newer.status, (await newer.json()).code]).toEqual([400, -32009])
    const { ask } = legacyServer({ wires: [a2a()] })
    const off = await (await ask('/v1/tasks/none')).json()
    expect(off.error.details[0].reason).toBe('VERSION_NOT_SUPPORTED')
  })
})

describe('JSON-RPC of A2A 0.3', () => {
  const send = (text: string, more = {}) => ({
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }],
      ...more,
    },
  })
  const legacy = { 'a2a-version': '' }

  it('JSON-RPC of A2A 0.3 sends, gets, streams and cancels in its own shapes', async () => {
    const { rpc, request } = testServer(bothVersions)
    const { result } = await rpc('message/send', send('hi'), legacy)
    expect(result).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text', text: 'You said: hi' }] }],
    })
    expect((await rpc('tasks/get', { id: result.id }, legacy)).result.id).toBe(result.id)
    const response = await request('/', {
      json: { jsonrpc: '2.0', id: 1, method: 'message/stream', params: send('slow') },
      headers: legacy,
    })
    const events = (await eventsOf(response)).map((event) => event.result)
    expect(events[0].kind).toBe('task')
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } })
    const configuration = { blocking: false }
    const { result: waiting } = await rpc('message/send', { ...send('wait'), configuration }, legacy)
    expect((await rpc('tasks/cancel', { id: waiting.id }, legacy)).result.status.state).toBe('canceled')
    expect((await rpc('tasks/get', { id: 'none' }, legacy)).error?.code).toBe(-32001)
  })

  it('JSON-RPC of A2A 0.3 keeps a push configuration without an id under the id of its task', async () => {
    const { rpc } = testServer({ ...bothVersions, push: { send: () => Promise.resolve(200) } })
    const { result: task } = await rpc('message/send', send('ask'), legacy)
    const pushNotificationConfig = { url: 'https://example.com/hook' }
    await rpc('tasks/pushNotificationConfig/set', { taskId: task.id, pushNotificationConfig }, legacy)
    const { result } = await rpc('tasks/pushNotificationConfig/get', { id: task.id }, legacy)
    expect(result).toEqual({ taskId: task.id, pushNotificationConfig: { ...pushNotificationConfig, id: task.id } })
  })

  it('JSON-RPC of A2A 0.3 names extensions in the header of 0.3', async () => {
    const { request } = testServer(bothVersions)
    const uri = 'https://modelport.dev/a2a/ext/v1'
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: send('hi') }
    const response = await request('/', { json: body, headers: { 'a2a-version': '', 'x-a2a-extensions': uri } })
    expect(response.headers.get('x-a2a-extensions')).toBe(uri)
  })
})

describe('a card that is read without a version', () => {
  it('a card that is read without a version has the fields of 0.3 and those of 1.0', async () => {
    const { server } = testServer({ ...bothVersions, url: 'https://agents.example.com', allowedHosts: ['127.0.0.1'] })
    const card = await (await server.fetch(new Request(`${base}/.well-known/agent-card.json`))).json()
    expect(card).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'https://agents.example.com/',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://agents.example.com/', transport: 'JSONRPC' },
        { url: 'https://agents.example.com', transport: 'HTTP+JSON' },
      ],
      supportedInterfaces: [{}, {}, {}, {}],
    })
  })
})

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('A2A 0.3 over %s', (binding) => {
  let server: ListeningServer
  beforeAll(async () => {
    server = await serve([echoAgent()], bothVersions)
    closers.push(() => server.close())
  })

  it('A2A 0.3 works between our server and the official client', async () => {
    const endpoint = server.url
    const client: any =
      binding === 'JSONRPC'
        ? new LegacyJsonRpcTransport({ endpoint: `${endpoint}/` })
        : new LegacyRestTransport({ endpoint })
    const done = await client.sendMessage(officialRequest('hi'))
    expect(done.status.state).toBe(3)
    expect(done.artifacts[0].parts[0].content.value).toBe('You said: hi')
    expect((await client.getTask({ id: done.id, tenant: '' })).id).toBe(done.id)
    const cases: string[] = []
    for await (const { payload } of client.sendMessageStream(officialRequest('slow'))) cases.push(payload.$case)
    expect([cases[0], cases.at(-1)]).toEqual(['task', 'statusUpdate'])
    const asked = await client.sendMessage(officialRequest('ask'))
    expect(asked.status.state).toBe(6)
    expect((await client.sendMessage(officialRequest('Rome', asked.id))).status.state).toBe(3)
    await expect(client.getTask({ id: 'none', tenant: '' })).rejects.toMatchObject({ name: 'TaskNotFoundError' })
    await expect(client.cancelTask({ id: done.id, tenant: '' })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    })
  })

  it('A2A 0.3 works between our client and our server', async () => {
    const client = createAgentClient(server.url, { protocol: 'a2a-0.3', binding })
    const done = await client.send('hi')
    expect([done.state, answerOf(done)]).toEqual(['completed', 'You said: hi'])
    let text = ''
    for await (const event of client.stream('slow')) if (event.type === 'text-delta') text += event.text
    expect(text).toBe('one two three')
    const waiting = await client.send('wait', { returnImmediately: true })
    expect((await client.cancel(waiting.id)).state).toBe('cancelled')
    await expect(client.get('none')).rejects.toMatchObject({ reason: 'task-not-found' })
    await expect(client.list()).rejects.toMatchObject({ reason: 'unsupported-operation' })
  })

  it('A2A 0.3 works between our client and the official server', async () => {
    const interfaces = [{ protocolBinding: binding, protocolVersion: '0.3' }] as const
    const official = await startOfficialServer({ interfaces, legacy: true })
    closers.push(() => official.close())
    const client = createAgentClient(official.url, { protocol: 'a2a-0.3', binding })
    const done = await client.send('hello')
    expect([done.state, answerOf(done)]).toEqual(['completed', 'from the SDK'])
    expect((await client.get(done.id)).id).toBe(done.id)
    const kinds: string[] = []
    for await (const event of client.stream('hello')) kinds.push(event.type)
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'task'])
    await expect(client.get('none')).rejects.toMatchObject({ reason: 'task-not-found' })
  })
})

it('a server that does not speak 0.3 gives a card of 1.0 alone, also without a version header', async () => {
  const { server } = legacyServer({ wires: [a2a()] })
  const response = await server.fetch(new Request('http://127.0.0.1/.well-known/agent-card.json'))
  const card = (await response.json()) as { supportedInterfaces: { protocolVersion: string }[] }
  expect(card).not.toHaveProperty('protocolVersion')
  expect(card).not.toHaveProperty('preferredTransport')
  expect(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual(['1.0', '1.0'])
})

import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mcpTools } from '@modelport/mcp'
import { type ServeMcpOptions, serveMcp } from '@modelport/mcp/server'
import { defineTool, executeBatch, type Principal } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { clientOf, eras, overHttp, textsOf } from './support.js'

const hello = defineTool({ name: 'hello', description: 'Greets', execute: () => 'Hello' })
const serverOf = (options: Partial<ServeMcpOptions> = {}) =>
  serveMcp({ name: 'hello', tools: [hello], ...options })

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
}
const post = (
  headers: Record<string, string>,
  body: object = initialize,
  url = 'http://127.0.0.1/mcp',
) =>
  new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })

describe.each(eras)('over HTTP (%s)', (era) => {
  test('the official client calls a tool at a real address', async () => {
    const server = serverOf()
    const listener = serve({ fetch: server.fetch, port: 0, hostname: '127.0.0.1' })
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as AddressInfo
    const client = clientOf(era)
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
    expect(textsOf(await client.callTool({ name: 'hello', arguments: {} }))).toBe('Hello')
    await client.close()
    await server.close()
    listener.close()
  })

  test('nobody is served without the credentials', async () => {
    const authenticate = (request: Request) =>
      request.headers.get('authorization') === 'Bearer right' ? { subject: 'ada' } : undefined
    const server = serverOf({ authenticate })
    const right = clientOf(era)
    await overHttp(server, right, 'right')
    expect(textsOf(await right.callTool({ name: 'hello', arguments: {} }))).toBe('Hello')
    await expect(overHttp(server, clientOf(era), 'wrong')).rejects.toThrow()
  })
})

test('our own client calls our own server', async () => {
  const server = serverOf()
  const fetch_ = (url: string | URL | Request, init?: RequestInit) =>
    server.fetch(new Request(url, init))
  const source = mcpTools({
    name: 'own',
    transport: { url: 'http://127.0.0.1/mcp', fetch: fetch_ },
  })
  const outcomes: unknown[] = []
  await executeBatch([{ id: 'c', name: 'hello', arguments: {}, argumentsText: '{}' }], {
    tools: await source.tools(),
    step: 1,
    onResult: (_call, { content }) => void outcomes.push(content),
  })
  expect(outcomes).toEqual(['[from MCP server "own"]\nHello'])
  await source.close()
})

test('a page cannot reach the server from another origin or under another name', async () => {
  const server = serverOf()
  const status = async (headers: Record<string, string>, url?: string) =>
    (await server.fetch(post(headers, initialize, url))).status
  expect(await status({})).toBe(200)
  expect(await status({ origin: 'http://127.0.0.1' })).toBe(200)
  expect(await status({ origin: 'https://evil.example' })).toBe(403)
  expect(await status({ origin: 'null' })).toBe(403)
  expect(await status({ host: 'evil.example' }, 'http://evil.example/mcp')).toBe(403)
  expect(
    await status({ host: '127.0.0.1.evil.example' }, 'http://127.0.0.1.evil.example/mcp'),
  ).toBe(403)
  const named = serverOf({ allowedHosts: ['mcp.example.com'] })
  expect(
    (await named.fetch(post({ host: 'mcp.example.com' }, initialize, 'https://mcp.example.com/')))
      .status,
  ).toBe(200)
  expect((await named.fetch(post({ host: '127.0.0.1' }))).status).toBe(403)
})

test('a refusal says what is wrong, and a response of the application takes its place', async () => {
  const refused = await serverOf({ authenticate: () => undefined }).fetch(post({}))
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: 'Authentication is required' },
  })
  const own = await serverOf({ authenticate: () => new Response('no', { status: 402 }) }).fetch(
    post({}),
  )
  expect([own.status, await own.text()]).toEqual([402, 'no'])
})

test('a session is that of its principal only, and ends when it is deleted', async () => {
  const server = serverOf({
    authenticate: byName,
  })
  const opened = await server.fetch(post({ authorization: 'ada' }))
  const session = opened.headers.get('mcp-session-id') ?? ''
  expect(session).toMatch(/^[\w-]{36}$/)
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  const status = async (authorization: string) =>
    (await server.fetch(post({ ...headers, authorization }, list))).status
  expect(await status('ada')).toBe(200)
  expect(await status('eve')).toBe(404)
  const remove = { method: 'DELETE', headers: { ...headers, authorization: 'ada' } }
  expect((await server.fetch(new Request('http://127.0.0.1/mcp', remove))).status).toBe(200)
  expect(await status('ada')).toBe(404)
})

const byName = (request: Request): Principal | undefined => {
  const subject = request.headers.get('authorization')
  return subject === null ? undefined : { subject }
}

test('the hundred-and-first session of a principal ends the one that this principal used longest ago, and no other', async () => {
  const server = serverOf({ authenticate: byName })
  const open = async (authorization: string) =>
    (await server.fetch(post({ authorization }))).headers.get('mcp-session-id') ?? ''
  const use = async (authorization: string, session: string) => {
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    return (await server.fetch(post({ authorization, 'mcp-session-id': session }, list))).status
  }
  const ofAda = await open('ada')
  const first = await open('mallory')
  const second = await open('mallory')
  for (let count = 2; count < 100; count++) await open('mallory')
  expect(await use('mallory', first)).toBe(200)
  await open('mallory')
  expect(await use('mallory', first)).toBe(200)
  expect(await use('mallory', second)).toBe(404)
  expect(await use('ada', ofAda)).toBe(200)
  await server.close()
})

test('the hundred-and-first open question of a principal drops the oldest of this principal, and no other', async () => {
  const order = defineTool({
    name: 'order',
    description: 'Orders',
    execute: async (_args, { ask }) => (await ask({ message: 'Really?' })).action,
  })
  const server = serverOf({ tools: [order], authenticate: byName })
  const call = async (authorization: string, more: object = {}) => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'order',
        arguments: {},
        ...more,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        },
      },
    }
    const headers = {
      authorization,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'order',
    }
    const text = await (await server.fetch(post(headers, body))).text()
    return JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? '{}') as {
      readonly result?: { readonly requestState?: string }
      readonly error?: { readonly message: string }
    }
  }
  const ask = async (who: string) => (await call(who)).result?.requestState
  const ofAda = await ask('ada')
  expect(ofAda).toEqual(expect.any(String))
  const first = await ask('mallory')
  for (let count = 1; count < 101; count++) await ask('mallory')
  const lost = await call('mallory', { requestState: first })
  expect(lost.error?.message).toContain('Invalid or expired requestState')
  const kept = await call('ada', { requestState: ofAda })
  expect(kept.result?.requestState).toEqual(expect.any(String))
  await server.close()
})

test('a failing authenticator and a stopped server are statuses, and fetch never rejects', async () => {
  const errors: unknown[] = []
  const broken = serverOf({
    authenticate: () => {
      throw new Error('the password is hunter2')
    },
    onError: (error) => errors.push(error),
  })
  const failed = await broken.fetch(post({}))
  expect([failed.status, await failed.text()]).toEqual([
    500,
    expect.not.stringContaining('hunter2'),
  ])
  expect(errors).toHaveLength(1)
  await broken.close()
  const server = serverOf()
  await server.close()
  expect((await server.fetch(post({}))).status).toBe(503)
})

test('a body of more than 4 MiB and a body that is not JSON are refused', async () => {
  const server = serverOf()
  const big = await server.fetch(post({}, { ...initialize, padding: 'x'.repeat(5_000_000) }))
  expect(big.status).toBe(413)
  const text = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{',
  })
  expect((await server.fetch(text)).status).toBe(400)
})

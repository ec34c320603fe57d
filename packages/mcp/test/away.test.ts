import type { LlmError } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const tool = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } }
const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'sums', version: '1' },
  },
  'tools/list': { tools: [tool] },
  'resources/list': { resources: [] },
}

type Failing = (method: string) => Response | undefined

/** A server over HTTP that fails as `failing` says, and the methods that it was asked for. */
function served(failing: Failing) {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = (await request.json()) as { id?: number; method: string }
    asked.push(method)
    const failure = failing(method)
    if (failure) return failure
    if (id === undefined) return new Response(null, { status: 202 })
    const result = results[method]
    const answer = result ? { result } : { error: { code: -32_601, message: 'no such method' } }
    return Response.json({ jsonrpc: '2.0', id, ...answer })
  }
  const source = mcpTools({ name: 'sums', transport: { url: 'https://mcp.example/mcp', fetch } })
  return { source, asked }
}

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => `${(error as LlmError).code}: ${(error as LlmError).message}`,
  )

const unreachable = (code: string) => (): Response => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}
const answers = (status: number) => (): Response => new Response('', { status })

describe('an MCP server that is away', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** What becomes of a promise while time passes. */
  async function later<T>(promise: Promise<T>): Promise<T> {
    void promise.catch(() => undefined)
    await vi.advanceTimersByTimeAsync(5000)
    return promise
  }

  test.each([
    ['fails', answers(500)],
    ['has too many requests', answers(429)],
    ['cannot be reached', unreachable('ECONNREFUSED')],
  ])('a server that %s twice while it is connected is asked again', async (_, failing) => {
    let left = 2
    const { source } = served(() => (left-- > 0 ? failing() : undefined))
    const tools = await later(source.tools())
    expect(tools.map(({ definition }) => definition.name)).toEqual(['add'])
    await source.close()
  })

  test('a server that fails twice while it lists its tools is asked again', async () => {
    let left = 2
    const { source, asked } = served((method) =>
      method === 'tools/list' && left-- > 0 ? answers(503)() : undefined,
    )
    expect(await later(source.tools())).toHaveLength(1)
    expect(asked.filter((method) => method === 'initialize')).toHaveLength(1)
    await source.close()
  })

  test('a server that fails three times is the error', async () => {
    const { source, asked } = served((method) =>
      method === 'resources/list' ? answers(502)() : undefined,
    )
    expect(await later(errorOf(source.resources()))).toMatch(/^network: MCP server "sums"/)
    expect(asked.filter((method) => method === 'resources/list')).toHaveLength(3)
    await source.close()
  })

  test('a server whose source is closed is not asked again', async () => {
    const { source, asked } = served(answers(500))
    const tools = errorOf(source.tools())
    await vi.advanceTimersByTimeAsync(100)
    await source.close()
    const before = asked.length
    expect(await later(tools)).toMatch(/^network: /)
    expect(asked).toHaveLength(before)
  })

  test.each([
    ['has no address', unreachable('ENOTFOUND')],
    ['has the certificate of another one', unreachable('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['refuses the request', answers(403)],
  ])('a server that %s is not asked again', async (_, failing) => {
    const { source, asked } = served(failing)
    expect(await later(errorOf(source.tools()))).toMatch(/^(network|permission): /)
    expect(asked).toHaveLength(1)
    await source.close()
  })
})

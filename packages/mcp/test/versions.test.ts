import { fileURLToPath } from 'node:url'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { isLlmError, type ToolCall } from '@modelport/core'
import { type McpSettings, mcpTools } from '@modelport/mcp'
import { executeBatch, type ToolOutcome, type ToolSource } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { McpProgress } from '../src/settings.js'

async function call(
  source: ToolSource,
  name: string,
  args = {},
  signal?: AbortSignal,
): Promise<ToolOutcome> {
  const one: ToolCall = { id: 'c1', name, arguments: args, argumentsText: JSON.stringify(args) }
  let outcome: ToolOutcome | undefined
  const onResult = (_call: unknown, _result: unknown, its: ToolOutcome) => void (outcome = its)
  const batch = executeBatch([one], {
    tools: await source.tools(),
    step: 1,
    onResult,
    ...(signal && { signal }),
  })
  await batch.catch(() => undefined)
  return outcome as ToolOutcome
}
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (isLlmError(error) ? `${error.code}: ${error.message}` : String(error)),
  )

/** A server of 2026-07-28 only, without sessions, behind an address. */
function modern(settings: Partial<McpSettings> = {}) {
  const extra = new Set<string>()
  const seen: { readonly requests: string[]; aborted: boolean } = { requests: [], aborted: false }
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'modern', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      )
      const weigh = { description: 'Weighs', inputSchema: z.object({ what: z.string() }) }
      const hints = { readOnlyHint: true, idempotentHint: true }
      server.registerTool(
        'weigh',
        { ...weigh, annotations: hints, outputSchema: z.object({ grams: z.number() }) },
        () => ({
          content: [],
          structuredContent: { grams: 5 },
        }),
      )
      server.registerTool('wait', { description: 'Waits' }, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: 1, total: 2 },
          })
        await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve))
        seen.aborted = true
        return { content: [] }
      })
      for (const name of extra)
        server.registerTool(name, { description: 'New' }, () => ({ content: [] }))
      return server
    },
    { legacy: 'reject' },
  )
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    seen.requests.push(`${request.method} ${request.headers.get('mcp-method') ?? ''}`.trim())
    return handler.fetch(request)
  }
  const source = mcpTools({
    name: 'web',
    transport: { url: 'https://mcp.example/mcp', fetch },
    ...settings,
  })
  return { source, seen, extra, handler }
}

/** A server with these responses by method. */
const responding = (
  replies: Readonly<Record<string, object>>,
  settings: Partial<McpSettings> = {},
) => {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { id, method } = (await new Request(input, init).json()) as {
      id?: number
      method: string
    }
    const reply = replies[method] ?? { error: { code: -32601, message: 'Method not found' } }
    if (id === undefined) return new Response('', { status: 202 })
    return new Response(JSON.stringify({ jsonrpc: '2.0', id, ...reply }), {
      headers: { 'content-type': 'application/json' },
    })
  }
  return mcpTools({
    name: 'web',
    transport: { url: 'https://mcp.example/mcp', fetch },
    ...settings,
  })
}
const others = '2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07'

describe('versions of the protocol', () => {
  test('a server that speaks 2026-07-28 only lists its tools and is called, with progress and an abort', async () => {
    const progress: McpProgress[] = []
    const controller = new AbortController()
    const onProgress = (news: McpProgress) => {
      progress.push(news)
      controller.abort(new Error('stop'))
    }
    const { source, seen } = modern({ onProgress })
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual([
      'weigh',
      'wait',
    ])
    expect(await call(source, 'weigh', { what: 'a pear' })).toMatchObject({ status: 'ok' })
    expect((await call(source, 'wait', {}, controller.signal)).status).toBe('cancelled')
    expect(progress).toEqual([{ tool: 'wait', callId: 'c1', progress: 1, total: 2 }])
    await expect.poll(() => seen.aborted).toBe(true)
    expect(seen.requests.slice(0, 2)).toEqual(['POST server/discover', 'POST subscriptions/listen'])
    expect(seen.requests.filter((one) => one.includes('initialize'))).toEqual([])
    await source.close()
  })

  test('a server of 2026-07-28 that changes its tools is listed again', async () => {
    const { source, extra, handler } = modern()
    const before = await source.tools()
    expect(await source.tools()).toBe(before)
    extra.add('new')
    handler.notify.toolsChanged()
    await expect
      .poll(async () => (await source.tools()).map(({ definition }) => definition.name))
      .toContain('new')
    await source.close()
  })

  test('the hints of a server count only if the application trusts it', async () => {
    const plain = modern()
    const trusted = modern({ trustHints: true })
    const [one] = await plain.source.tools()
    const [other] = await trusted.source.tools()
    expect([one?.readOnly, one?.idempotent, other?.readOnly, other?.idempotent]).toEqual([
      undefined,
      undefined,
      true,
      true,
    ])
    await Promise.all([plain.source.close(), trusted.source.close()])
  })

  test.each([
    [
      'refuses every version of this client',
      {
        'server/discover': {
          error: {
            code: -32022,
            message: 'no',
            data: { supported: ['2099-01-01'], requested: 'x' },
          },
        },
      },
      '2099-01-01',
    ],
    [
      'initializes with a version of its own',
      {
        initialize: {
          result: {
            protocolVersion: '1999-01-01',
            capabilities: {},
            serverInfo: { name: 'x', version: '1' },
          },
        },
      },
      '1999-01-01',
    ],
  ])(
    'a server that %s is a protocol error that names the versions of both',
    async (_, replies, theirs) => {
      const source = responding(replies)
      expect(await failure(source.tools())).toBe(
        `protocol: MCP server "web" speaks version ${theirs} of the protocol; this client speaks ${others}`,
      )
      await source.close()
    },
  )
})

describe('versions of a server in a process of its own', () => {
  const server = (...args: string[]) =>
    mcpTools({
      name: 'child',
      transport: {
        command: process.execPath,
        args: [fileURLToPath(new URL('fixtures/of-today.mjs', import.meta.url)), ...args],
      },
    })

  test.each([
    ['speaks 2026-07-28 only', ['modern']],
    ['speaks 2026-07-28 only, and starts slower than it is waited for', ['modern', '6000']],
    ['ends with a request that it does not know', ['ending']],
    ['leaves a request unanswered that it does not know', ['silent']],
  ])('a server that %s is called', async (_, args) => {
    const source = server(...args)
    expect(await call(source, 'pid')).toMatchObject({ status: 'ok' })
    await source.close()
  })

  test('a server that is closed while it is being connected ends', async () => {
    const source = server('silent')
    const tools = failure(source.tools())
    await new Promise((resolve) => setTimeout(resolve, 300))
    await source.close()
    expect(await tools).toMatch(/^config: .*the source is closed/)
  })
})

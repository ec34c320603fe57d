import { fileURLToPath } from 'node:url'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { isLlmError, type ToolCall, type ToolResult } from '@modelport/core'
import { type McpSettings, mcpTools } from '@modelport/mcp'
import { executeBatch, type ToolOutcome, type ToolSource } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { McpProgress } from '../src/settings.js'
import { inMemoryTo } from './in-memory.js'

const call = (name: string, args: Readonly<Record<string, unknown>> = {}): ToolCall => ({
  id: `call_${name}`,
  name,
  arguments: args,
  argumentsText: JSON.stringify(args),
})

async function execute(
  source: ToolSource,
  one: ToolCall,
  signal?: AbortSignal,
): Promise<{ result: ToolResult; outcome: ToolOutcome }> {
  let answer: { result: ToolResult; outcome: ToolOutcome } | undefined
  const batch = executeBatch([one], {
    tools: await source.tools(),
    step: 1,
    ...(signal && { signal }),
    onResult: (_, result, outcome) => (answer = { result, outcome }),
  })
  await batch.catch(() => undefined)
  return answer!
}
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (isLlmError(error) ? `${error.code}: ${error.message}` : String(error)),
  )

/** A result as it is marked. */
const from = (text: string, server = 'test') => `[from MCP server "${server}"]\n${text}`
const withoutMark = (content: unknown) => String(content).replace(/^.*\n/, '')

/** A server with a tool of each kind. */
function createServer() {
  const server = new McpServer(
    { name: 'test', version: '1.0.0' },
    { capabilities: { logging: {} } },
  )
  const seen: { aborted: boolean; calls: unknown[] } = { aborted: false, calls: [] }
  server.registerTool(
    'add',
    {
      description: 'Adds',
      inputSchema: { a: z.number(), b: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => {
      seen.calls.push([a, b])
      return { content: [{ type: 'text', text: String(a + b) }] }
    },
  )
  server.registerTool('show', { title: 'Shows', inputSchema: {} }, () => ({
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      {
        type: 'resource',
        resource: { uri: 'file:///b/c.pdf', blob: 'CCCC', mimeType: 'application/pdf' },
      },
      { type: 'resource', resource: { uri: 'file:///d.png', blob: 'DDDD', mimeType: 'image/png' } },
      {
        type: 'resource_link',
        uri: 'file:///e.txt',
        name: 'e',
        description: 'the fifth',
        mimeType: 'text/plain',
      },
    ],
  }))
  server.registerTool(
    'weigh',
    { description: 'Weighs', inputSchema: {}, outputSchema: { grams: z.number() } },
    () => ({
      content: [],
      structuredContent: { grams: 5 },
    }),
  )
  server.registerTool('break', { description: 'Fails', inputSchema: {} }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'the disk is full' }],
  }))
  server.registerTool('throw', { description: 'Throws', inputSchema: {} }, () => {
    throw new Error('oh no')
  })
  server.registerTool(
    'delete.all',
    { description: 'Deletes', inputSchema: {}, annotations: { destructiveHint: true } },
    () => ({ content: [] }),
  )
  server.registerTool(
    'wait',
    { description: 'Waits', inputSchema: {} },
    (_, { signal, sendNotification, _meta }) =>
      new Promise((resolve) => {
        if (_meta?.progressToken !== undefined)
          void sendNotification({
            method: 'notifications/progress',
            params: {
              progressToken: _meta.progressToken,
              progress: 1,
              total: 4,
              message: 'a quarter',
            },
          })
        signal.addEventListener('abort', () => {
          seen.aborted = true
          resolve({ content: [] })
        })
      }),
  )
  return { server, seen }
}

function inMemory(settings: Partial<McpSettings> = {}) {
  const servers: ReturnType<typeof createServer>[] = []
  const source = mcpTools({
    name: 'test',
    transport: inMemoryTo((transport) => {
      const made = createServer()
      servers.push(made)
      return made.server.connect(transport)
    }),
    ...settings,
  })
  return { source, servers }
}

describe('the tools of an MCP server', () => {
  test.each([
    [{ onyl: ['add'] }, /^TypeError: mcpTools of "a": unknown setting "onyl"; did you mean "only"/],
    [{ lok: 'x.lock' }, /unknown setting "lok"; did you mean "lock"/],
    [
      { transport: { command: 'x', environment: {} } },
      /transport: unknown setting "environment"; known: command, args/,
    ],
    [{ transport: { url: 'http://127.0.0.1', args: [] } }, /transport: unknown setting "args"/],
    [{ only: 'add' }, /^config: MCP server "a": only must be a list of names/],
    [{ timeoutMs: -1 }, /^config: MCP server "a": timeoutMs must be a number above 0, not -1/],
    [{ connectTimeoutMs: NaN }, /connectTimeoutMs must be a number above 0, not NaN/],
    [{ listTimeoutMs: '5' }, /listTimeoutMs must be a number above 0, not 5/],
    [{ maxResultLength: NaN }, /maxResultLength must be a number above 0, not NaN/],
  ])('the settings %j are refused, and nothing is started', async (more, message) => {
    const settings = { name: 'a', transport: { command: 'x' }, ...more } as unknown as McpSettings
    expect(await failure((async () => mcpTools(settings))())).toMatch(message)
  })

  test('the tools of an MCP server are listed as the model may know them, and nothing is connected before', async () => {
    const { source, servers } = inMemory({ prefix: 'lab-' })
    expect([source.name, source.apiHosts, servers.length]).toEqual(['test', [], 0])
    const tools = await source.tools()
    expect(tools.map(({ definition }) => definition.name)).toEqual([
      'lab-add',
      'lab-show',
      'lab-weigh',
      'lab-break',
      'lab-throw',
      'lab-delete_all',
      'lab-wait',
    ])
    expect(tools[0]?.definition).toMatchObject({
      description: 'Adds',
      parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
    })
    expect(tools[1]?.definition.description).toBe('Shows')
    expect(tools.map(({ exclusive }) => exclusive ?? false)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      false,
    ])
    expect(await source.tools()).toBe(tools)
    await source.close()
    expect(await failure(source.tools())).toMatch(/^config: .*"test": the source is closed/)
    await source.close()
  })

  test('the tools of an MCP server return text, parts and structured content', async () => {
    const { source } = inMemory()
    expect((await execute(source, call('add', { a: 1, b: 2 }))).result).toEqual({
      callId: 'call_add',
      content: from('3'),
    })
    expect((await execute(source, call('weigh'))).result.content).toBe(from('{"grams":5}'))
    expect((await execute(source, call('show'))).result.content).toEqual([
      { type: 'text', text: '[from MCP server "test"]' },
      { type: 'text', text: 'Look:' },
      { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } },
      { type: 'audio', source: { type: 'base64', data: 'BBBB', mediaType: 'audio/wav' } },
      { type: 'text', text: 'inside' },
      {
        type: 'file',
        source: { type: 'base64', data: 'CCCC', mediaType: 'application/pdf' },
        name: 'c.pdf',
      },
      { type: 'image', source: { type: 'base64', data: 'DDDD', mediaType: 'image/png' } },
      { type: 'text', text: 'Resource e: file:///e.txt, text/plain, the fifth' },
    ])
    await source.close()
  })

  test('a picture that a server repeats as structured content reaches the model once', async () => {
    const data = 'iVBORw0KGgo'.repeat(1_000)
    const picture = { type: 'image' as const, data, mimeType: 'image/png' }
    // The official file server responds to `read_media_file` in this form.
    const structuredContent = {
      content: [picture],
      url: `data:image/png;base64,${data}`,
      width: 640,
    }
    const server = new McpServer({ name: 'test', version: '1.0.0' })
    server.registerTool('photo', { description: 'Reads a picture', inputSchema: {} }, () => ({
      content: [picture],
      structuredContent,
    }))
    const { source } = inMemory({
      transport: inMemoryTo((transport) => server.connect(transport)),
    })

    const { content } = (await execute(source, call('photo'))).result
    expect(content).toEqual([
      { type: 'text', text: '[from MCP server "test"]' },
      { type: 'image', source: { type: 'base64', data, mediaType: 'image/png' } },
      {
        type: 'text',
        text: JSON.stringify({
          content: [
            {
              type: 'image',
              data: '(the bytes of the image of this result)',
              mimeType: 'image/png',
            },
          ],
          url: '(the bytes of the image of this result)',
          width: 640,
        }),
      },
    ])
    await source.close()
  })

  test('errors reach the model, arguments are checked here', async () => {
    const { source, servers } = inMemory()
    expect(await execute(source, call('break'))).toMatchObject({
      result: { content: from('the disk is full'), isError: true },
      outcome: { status: 'failed' },
    })
    expect((await execute(source, call('throw'))).result).toMatchObject({
      content: from('oh no'),
      isError: true,
    })
    expect(await execute(source, call('add', { a: 'x' }))).toMatchObject({
      outcome: {
        status: 'invalid-arguments',
        message: expect.stringMatching(/"b".*a: Instance type "string"/),
      },
    })
    expect(servers[0]?.seen.calls).toEqual([])
    await source.close()
  })

  test('an abort reaches the server, and so does a time-out', async () => {
    const progress: McpProgress[] = []
    const controller = new AbortController()
    const { source, servers } = inMemory({
      onProgress: (news) => {
        progress.push(news)
        controller.abort(new Error('stop'))
      },
    })
    await source.tools()
    expect((await execute(source, call('wait'), controller.signal)).outcome.status).toBe(
      'cancelled',
    )
    expect(progress).toEqual([
      { tool: 'wait', callId: 'call_wait', progress: 1, total: 4, message: 'a quarter' },
    ])
    await expect.poll(() => servers[0]?.seen.aborted).toBe(true)
    const short = inMemory({ timeoutMs: 30 })
    expect((await execute(short.source, call('wait'))).outcome.status).toBe('timeout')
    await expect.poll(() => short.servers[0]?.seen.aborted).toBe(true)
    await source.close()
    await short.source.close()
  })

  test('a changed list is read again, a lost session opened again', async () => {
    const { source, servers } = inMemory()
    const before = await source.tools()
    servers[0]?.server.registerTool('new', { description: 'New', inputSchema: {} }, () => ({
      content: [],
    }))
    await expect
      .poll(async () => (await source.tools()).map(({ definition }) => definition.name))
      .toContain('new')
    await servers[0]?.server.close()
    expect((await source.tools()).length).toBe(before.length)
    expect(servers.length).toBe(2)
    expect((await execute(source, call('add', { a: 2, b: 2 }))).result.content).toBe(from('4'))
    await source.close()
  })

  test('only the wanted tools are listed, and a wanted one that does not exist is named', async () => {
    const { source } = inMemory({ only: ['wait', 'add'] })
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual(['add', 'wait'])
    await source.close()
    const wrong = inMemory({ only: ['subtract'] })
    expect(await failure(wrong.source.tools())).toMatch(
      /^config: .*no tool subtract; it has add, show/,
    )
    expect(
      await failure(
        (async () => mcpTools({ name: 'x', prefix: 'a b', transport: { command: 'x' } }))(),
      ),
    ).toMatch(/^config: .*prefix/)
    await wrong.source.close()
  })

  test('a server may list its tools in pages, and have names, schemas and results that do not fit', async () => {
    // oxlint-disable-next-line typescript/no-deprecated -- the other one lists all tools on one page
    const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { tools: {} } })
    const names = ['a/b', 'a.b', 'x'.repeat(100), 'odd']
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0)
      const inputSchema = {
        type: 'object' as const,
        ...(names[page] === 'odd' && { properties: { a: { $dynamicRef: '#x' } } }),
      }
      const tool = {
        name: names[page] as string,
        inputSchema,
        outputSchema: {
          type: 'object' as const,
          properties: { n: { type: 'number' } },
          required: ['n'],
        },
      }
      return { tools: [tool], ...(page + 1 < names.length && { nextCursor: String(page + 1) }) }
    })
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text', text: params.name }],
      structuredContent: params.name === 'odd' ? { n: 1 } : { n: 'x' },
    }))
    const { source } = inMemory({
      transport: inMemoryTo((transport) => server.connect(transport)),
    })
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual([
      'a_b',
      'a_b_2',
      'x'.repeat(64),
      'odd',
    ])
    expect((await execute(source, call('odd', { a: 1 }))).result.content).toBe(from('odd'))
    expect((await execute(source, call('a_b_2'))).result.content).toMatch(
      /it was executed, but its result does not fit its own schema: n: /,
    )
    await source.close()
  })

  test('an aborted wait for the tools rejects with the reason', async () => {
    const { source } = inMemory({
      transport: { apiHosts: [], create: () => InMemoryTransport.createLinkedPair()[0] },
      connectTimeoutMs: 50,
    })
    const reason = new Error('stop')
    await expect(source.tools(AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = source.tools(controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await failure(source.tools())).toMatch(/^timeout: MCP server "test": .*timed out/)
    await source.close()
  })
})

describe('over streamable HTTP', () => {
  function http(
    settings: Partial<McpSettings> = {},
    answer?: (request: Request) => Response | undefined,
  ) {
    const requests: Request[] = []
    let sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      requests.push(request.clone())
      const other = answer?.(request)
      if (other) return other
      const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
      if (known) return known.handleRequest(request)
      if (request.headers.has('mcp-session-id'))
        return new Response('no such session', { status: 404 })
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => `s${sessions.size}-${requests.length}`,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      })
      await createServer().server.connect(transport)
      return transport.handleRequest(request)
    }
    const source = mcpTools({
      name: 'web',
      transport: {
        url: 'https://mcp.example/api/mcp',
        headers: { authorization: 'Bearer secret-token' },
        fetch,
      },
      ...settings,
    })
    return { source, requests, restart: () => (sessions = new Map()) }
  }

  test('a connection over streamable HTTP works, and contacts the declared host alone', async () => {
    const { source, requests } = http()
    expect(source.apiHosts).toEqual(['mcp.example:443'])
    expect((await execute(source, call('add', { a: 20, b: 22 }))).result.content).toBe(
      from('42', 'web'),
    )
    expect(new Set(requests.map(({ url }) => url))).toEqual(
      new Set(['https://mcp.example/api/mcp']),
    )
    expect(
      requests.every(
        ({ headers, redirect }) =>
          headers.get('authorization') === 'Bearer secret-token' && redirect === 'manual',
      ),
    ).toBe(true)
    await source.close()
    expect(requests.at(-1)?.method).toBe('DELETE')
  })

  test('a server that has forgotten the session is asked for a new one', async () => {
    const { source, restart } = http()
    const first = await source.tools()
    restart()
    expect((await execute(source, call('add', { a: 1, b: 1 }))).outcome).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('"web"'),
    })
    const again = await source.tools()
    expect(again).not.toBe(first)
    expect((await execute(source, call('add', { a: 1, b: 1 }))).result.content).toBe(
      from('2', 'web'),
    )
    await source.close()
  })

  test.each([
    [
      () => new Response('', { status: 307, headers: { location: 'https://evil.example/mcp' } }),
      /^[a-z-]+: MCP server "web"/,
    ],
    [() => new Response('who are you', { status: 401 }), /^auth: MCP server "web"/],
    [() => new Response('no', { status: 403 }), /^permission: /],
    [() => new Response('', { status: 500 }), /^network: /],
    [
      () => {
        throw new TypeError('fetch failed')
      },
      /^network: MCP server "web": fetch failed/,
    ],
  ])('a failing connection is a typed error: %#', async (answer, expected) => {
    const { source, requests } = http({}, answer)
    const message = await failure(source.tools())
    expect(message).toMatch(expected)
    expect(message).not.toContain('secret-token')
    expect(requests.map(({ url }) => new URL(url).host)).not.toContain('evil.example')
    await source.close()
  })

  test.each([null, 1, 'x', {}, [], [null], Promise.resolve(1), Date])(
    'settings or a transport of another kind are rejected at once: %#',
    async (given) => {
      expect(await failure((async () => mcpTools(given as never))())).toMatch(
        /^config: the (settings|name) of an MCP/,
      )
      const settings = { name: 'a', transport: given as never }
      expect(await failure((async () => mcpTools(settings))())).toMatch(
        /^config: MCP server "a": transport must be/,
      )
    },
  )

  test('an invalid address is rejected at once', () => {
    expect(() => mcpTools({ name: 'x', transport: { url: 'mcp.example' } })).toThrow(
      /invalid base URL/,
    )
  })
})

describe('in a process of its own', () => {
  const script = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url))

  test('an MCP server in a process of its own works, with its own environment, and ends when closed', async () => {
    const source = mcpTools({
      name: 'child',
      transport: {
        command: process.execPath,
        args: [script],
        env: { FIXTURE: 'given' },
        cwd: fileURLToPath(new URL('.', import.meta.url)),
      },
    })
    expect(source.apiHosts).toEqual([])
    const { content } = (await execute(source, call('where'))).result
    const { cwd, secret, pid } = JSON.parse(withoutMark(content)) as {
      cwd: string
      secret: string
      pid: number
    }
    expect([secret, fileURLToPath(new URL('.', import.meta.url))]).toEqual(['given', `${cwd}/`])
    expect((await execute(source, call('die'))).outcome).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/; whether the call had an effect is unknown$/) as string,
    })
    const after = JSON.parse(
      withoutMark((await execute(source, call('where'))).result.content),
    ) as { pid: number }
    expect(after.pid).not.toBe(pid)
    await source.close()
    await expect.poll(() => isAlive(after.pid)).toBe(false)
  })

  test('results of some megabytes are accepted, and one that is too large is reported', async () => {
    const source = mcpTools({
      name: 'child',
      transport: { command: process.execPath, args: [script] },
    })
    expect((await execute(source, call('big', { bytes: 3_000_000 }))).result.content).toBe(
      from('é'.repeat(1_500_000), 'child'),
    )
    const { outcome } = await execute(source, call('big', { bytes: 12_000_000 }))
    expect(outcome).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(
        'MCP server "child": a message is larger than 10 MiB',
      ) as string,
    })
    expect((await execute(source, call('big', { bytes: 2 }))).result.content).toBe(
      from('é', 'child'),
    )
    await source.close()
  })

  test('an MCP server in a process of its own that does not start says why', async () => {
    const broken = mcpTools({
      name: 'child',
      transport: { command: process.execPath, args: [script, '--broken'] },
    })
    expect(await failure(broken.tools())).toMatch(
      /^network: MCP server "child": .*; it said: the database is not there$/,
    )
    await broken.close()
    const missing = mcpTools({ name: 'child', transport: { command: '/nowhere/mcp' } })
    expect(await failure(missing.tools())).toMatch(/^network: MCP server "child": .*ENOENT/)
    await missing.close()
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

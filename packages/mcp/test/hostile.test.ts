import { ClientCredentialsProvider } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { isLlmError, type JsonObject, type LlmError, type ToolCall } from '@modelport/core'
import { type McpSettings, mcpTools } from '@modelport/mcp'
import {
  compileJsonSchema,
  executeBatch,
  type ToolOutcome,
  type ToolSource,
} from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { isPlainPattern } from '../../runtime/src/schema/plain-pattern.js'
import type { McpUrl } from '../src/settings.js'
import { inMemoryTo } from './in-memory.js'

const nested = (depth: number): JsonObject =>
  depth ? { type: 'object', properties: { a: nested(depth - 1) } } : { type: 'string' }
const chain = (links: number, width: number): JsonObject => ({
  type: 'object',
  $ref: '#/$defs/a0',
  $defs: Object.fromEntries(
    Array.from({ length: links }, (_, index) => [
      `a${index}`,
      {
        allOf: Array.from({ length: width }, () =>
          index < links - 1 ? { $ref: `#/$defs/a${index + 1}` } : {},
        ),
      },
    ]),
  ),
})

/** A server with these tools, that answers with this result. */
function hostile(
  tools: readonly JsonObject[],
  result: JsonObject = { content: [] },
  settings: Partial<McpSettings> = {},
) {
  // oxlint-disable-next-line typescript/no-deprecated -- the other one checks what it offers
  const server = new Server({ name: 'bad', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools as never }))
  server.setRequestHandler(CallToolRequestSchema, () => result as never)
  const warnings: LlmError[] = []
  const source = mcpTools({
    name: 'bad',
    onWarning: (warning) => void warnings.push(warning),
    ...settings,
    transport: inMemoryTo((transport) => server.connect(transport)),
  })
  return { source, warnings }
}

async function call(source: ToolSource, args: JsonObject = {}): Promise<ToolOutcome> {
  const tools = await source.tools()
  const one: ToolCall = {
    id: 'c',
    name: tools[0]?.definition.name ?? '',
    arguments: args,
    argumentsText: JSON.stringify(args),
  }
  let answer: ToolOutcome | undefined
  await executeBatch([one], {
    tools,
    step: 1,
    onResult: (_call, _result, outcome) => (answer = outcome),
  })
  return answer as ToolOutcome
}
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (isLlmError(error) ? `${error.code}: ${error.message}` : String(error)),
  )
const tool = (inputSchema: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: 'evil',
  inputSchema,
  ...more,
})

describe('schemas of a hostile server', () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      'deep',
      tool(nested(60)),
      /: inputSchema: #(\/properties\/a)+(\/properties)?: the schema is nested deeper than 64/,
    ],
    [
      'many values',
      tool({
        type: 'object',
        properties: { a: { enum: Array.from({ length: 6000 }, (_, index) => index) } },
      }),
      /: inputSchema: #\/properties\/a\/enum: the schema has more than 5000 values/,
    ],
    [
      'large',
      tool({ type: 'object', properties: { 'a/b~c': { description: 'x'.repeat(200_000) } } }),
      /: inputSchema: #\/properties\/a~1b~0c: the schema is larger than 128 KiB/,
    ],
    [
      'references that multiply',
      tool(chain(40, 2)),
      /: inputSchema: #: the schema has more than 50000 values with its references put in place/,
    ],
    ['an output', tool({ type: 'object' }, { outputSchema: nested(60) }), /: outputSchema: #/],
  ])('%s: refused, with server, tool and place', async (_, listed, expected) => {
    const { source } = hostile([listed])
    const message = await failure(source.tools())
    expect(message).toMatch(/^limit-exceeded: MCP server "bad": tool "evil": /)
    expect(message).toMatch(expected)
    await source.close()
    const other = hostile(
      [{ ...listed }, { name: 'good', inputSchema: { type: 'object' } }],
      {},
      { only: ['good'] },
    )
    expect(await other.source.tools()).toHaveLength(1)
    await other.source.close()
  })

  test('a pattern that may hang is not run: the server checks, and a warning says so', async () => {
    const properties = { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'integer' } }
    const { source, warnings } = hostile([tool({ type: 'object', properties })])
    expect((await call(source, { a: `${'a'.repeat(50)}!`, b: 'x' })).status).toBe('ok')
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'unsupported: MCP server "bad": tool "evil": inputSchema: the pattern "^(a+)+$" (at #/properties/a) may take very long, so it is not run here',
    ])
    await source.close()
    const names = hostile([tool({ type: 'object', patternProperties: { '(a|a)*$': {} } })])
    expect((await call(names.source, { [`${'a'.repeat(50)}!`]: 1 })).status).toBe('ok')
    expect(names.warnings).toHaveLength(1)
    await names.source.close()
  })

  test('a plain pattern is checked here', async () => {
    const { source, warnings } = hostile([
      tool({
        type: 'object',
        properties: { day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } },
      }),
    ])
    expect([
      (await call(source, { day: '2026-11-21' })).status,
      (await call(source, { day: 'today' })).status,
      warnings,
    ]).toEqual(['ok', 'invalid-arguments', []])
    await source.close()
  })
})

describe('patterns', () => {
  test.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}$',
    '^[A-Za-z0-9_-]{1,64}$',
    '\\.json$',
    '^https?://',
    'abc',
    '',
    '^\\p{L}*$',
    '^[^\\]]*x$',
    '^a{2,}b',
  ])('%s is plain', (pattern) => {
    expect(isPlainPattern(pattern)).toBe(true)
  })
  test.each([
    '^(a+)+$',
    '(a|a)*$',
    '^(a|b)$',
    'a*b',
    '^a*a*b',
    '^a{0,9}b{0,9}c{0,9}$',
    '^a{0,999}$',
    '(?=a*)b',
    '^(a)\\1$',
    '[',
    '^a{1,2}{3}+',
    '^a**',
    `^${'a'.repeat(600)}`,
  ])('%s is not plain', (pattern) => {
    expect(isPlainPattern(pattern)).toBe(false)
  })
})

test('a check ends, whatever the schema and the value are, and says that it did not finish', () => {
  const deep: JsonObject = JSON.parse(`${'{"x":'.repeat(100)}1${'}'.repeat(100)}`) as JsonObject
  const twice = {
    allOf: [
      { properties: { x: { $ref: '#/$defs/a' } } },
      { properties: { x: { $ref: '#/$defs/a' } } },
    ],
  }
  const long = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item)
  const cases: readonly (readonly [JsonObject, unknown])[] = [
    [chain(40, 2), {}],
    [{ $ref: '#' }, {}],
    [{ $defs: { a: { ...twice, $recursiveAnchor: false } }, $ref: '#/$defs/a' }, deep],
    [{ items: { enum: long(2000, 'x') } }, long(100_000, 'y')],
  ]
  for (const [schema, value] of cases)
    expect(compileJsonSchema(schema)(value)).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /cannot be checked: it would take too long|call stack|does not|not match/,
      ) as string,
    })
})

describe('results of a hostile server', () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      'long',
      { content: [{ type: 'text', text: 'x'.repeat(2000) }] },
      /its result has \d+ characters, and at most 1000 are taken/,
    ],
    [
      'long pictures',
      { content: [{ type: 'image', data: 'A'.repeat(2000), mimeType: 'image/png' }] },
      /at most 1000 are taken/,
    ],
    [
      'long structures',
      { content: [], structuredContent: { a: 'x'.repeat(2000) } },
      /at most 1000 are taken/,
    ],
    [
      'many parts',
      { content: Array.from({ length: 1001 }, () => ({ type: 'text', text: '' })) },
      /its result has more than 1000 parts/,
    ],
    [
      'long errors',
      { isError: true, content: [{ type: 'text', text: 'x'.repeat(2000) }] },
      /at most 1000 are taken/,
    ],
  ])('%s: refused, and the model reads why', async (_, result, expected) => {
    const { source } = hostile([tool({ type: 'object' })], result, { maxResultLength: 1000 })
    expect(await call(source)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(expected) as string,
    })
    await source.close()
  })

  test.each([
    ['result', 'tools/call', { content: [], structuredContent: 'DEEP' }],
    [
      'list of tools',
      'tools/list',
      { tools: [{ name: 'evil', inputSchema: { type: 'object', default: 'DEEP' } }] },
    ],
  ])('a %s that is nested too deeply is refused', async (_what, where, deep) => {
    const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const replies: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'b', version: '1' },
      },
      'tools/list': { tools: [tool({ type: 'object' })] },
      [where]: deep,
    }
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { id, method } = (await new Request(input, init).json()) as {
        id?: number
        method: string
      }
      if (id === undefined) return new Response('', { status: 202 })
      const reply = replies[method]
        ? { result: replies[method] }
        : { error: { code: -32601, message: 'Method not found' } }
      const text = JSON.stringify({ jsonrpc: '2.0', id, ...reply }).replace('"DEEP"', nested)
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    }
    const source = mcpTools({ name: 'bad', transport: { url: 'https://mcp.example/mcp', fetch } })
    const problem = await call(source).then((outcome) => JSON.stringify(outcome), String)
    expect(problem).toContain('the MCP server sent values nested deeper than 500')
    await source.close()
  })

  test('no error holds control characters of the server', async () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007\u202egnp.\u009b31m'
    const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u // oxlint-disable-line no-control-regex -- what is looked for
    const { source } = hostile([{ name: evil, inputSchema: nested(60) }])
    const wanted = hostile(
      [{ name: evil, inputSchema: { type: 'object' } }],
      {},
      { only: ['other'] },
    )
    const deep = {
      type: 'object',
      properties: { [evil]: { enum: Array.from({ length: 6000 }, () => 1) } },
    }
    for (const message of [
      await failure(source.tools()),
      await failure(wanted.source.tools()),
      await failure(hostile([tool(deep)]).source.tools()),
    ]) {
      expect(message).toMatch(/^(limit-exceeded|config): MCP server "bad"/)
      expect(message).not.toMatch(controls)
    }
    await Promise.all([source.close(), wanted.source.close()])
  })

  test('a tool without a name is left out with a warning', async () => {
    const { source, warnings } = hostile([
      { name: '', inputSchema: { type: 'object' } },
      tool({ type: 'object' }),
    ])
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual(['evil'])
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'protocol: MCP server "bad": a tool without a name is left out',
    ])
    await source.close()
  })

  test('a tool that is not as the protocol has tools is left out with a warning, and the others are called', async () => {
    const broken = [
      { name: 'banana', inputSchema: { type: 'banana' } },
      { name: 7, inputSchema: {} },
      'no tool',
    ]
    const { source, warnings } = hostile([...(broken as JsonObject[]), tool({ type: 'object' })], {
      content: [{ type: 'text', text: 'called' }],
    })
    expect(await call(source)).toMatchObject({ status: 'ok' })
    expect(warnings.map(({ message }) => message.replace(/: Invalid.*$/s, ''))).toEqual([
      'MCP server "bad": tool "banana" is left out: inputSchema.type',
      'MCP server "bad": tool "7" is left out: name',
      expect.stringContaining('MCP server "bad": tool "undefined" is left out'),
    ])
    await source.close()
  })

  test('a list that the server never sends is given up', async () => {
    // oxlint-disable-next-line typescript/no-deprecated -- the other one checks what it offers
    const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => new Promise(() => undefined))
    const transport = inMemoryTo((given) => server.connect(given))
    const source = mcpTools({ name: 'slow', listTimeoutMs: 20, transport })
    expect(await failure(source.tools())).toMatch(/^timeout: MCP server "slow": /)
    await source.close()
  })

  test('a list of too many tools is refused', async () => {
    const { source } = hostile(
      Array.from({ length: 2001 }, (_, index) => ({
        name: `t${index}`,
        inputSchema: { type: 'object' },
      })),
    )
    expect(await failure(source.tools())).toMatch(
      /^limit-exceeded: MCP server "bad": it lists more than 2000 tools/,
    )
    await source.close()
  })

  test('a megabyte of empty lines holds nobody up', async () => {
    const program = `process.stdout.write('\\n'.repeat(1 << 20))
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const tools = [{ name: 'look', inputSchema: { type: 'object' } }]
        const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
        const result = method === 'initialize' ? hello : { tools }
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })`
    const transport = { command: process.execPath, args: ['-e', program] }
    const source = mcpTools({ name: 'lines', transport, connectTimeoutMs: 20_000 })
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual(['look'])
    await source.close()
  })

  test('a message that does not end is not read to its end', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      let sent = 0
      const body = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent++
            controller.enqueue(new Uint8Array(1024 * 1024).fill(120))
          },
        })
      const source = mcpTools({
        name: 'web',
        transport: {
          url: 'https://mcp.example/mcp',
          fetch: () => Promise.resolve(new Response(body(), { headers: { 'content-type': type } })),
        },
      })
      const message = await failure(source.tools())
      expect(message).toMatch(/^limit-exceeded: MCP server "web": a message is larger than 10 MiB/)
      expect(sent).toBeLessThan(20)
      await source.close()
    }
  })
})

describe('authorization', () => {
  /** A server that wants a token, and its authorization server. */
  function protectedServer(
    settings: Partial<McpUrl> = {},
    tokenEndpoint = 'https://login.example/token',
  ) {
    const contacted: string[] = []
    const keys = new Map<string, string | null>()
    const json = (value: unknown): Response =>
      new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      const { host, pathname } = new URL(request.url)
      contacted.push(`${host}${pathname}`)
      keys.set(host, request.headers.get('x-key'))
      if (pathname.startsWith('/.well-known/oauth-protected-resource'))
        return json({
          resource: 'https://mcp.example/mcp',
          authorization_servers: ['https://login.example'],
        })
      if (pathname.startsWith('/.well-known/'))
        return json({
          issuer: 'https://login.example',
          authorization_endpoint: 'https://login.example/ask',
          token_endpoint: tokenEndpoint,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        })
      if (pathname === '/token') return json({ access_token: 'a-token', token_type: 'Bearer' })
      if (request.headers.get('authorization') !== 'Bearer a-token')
        return new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
      if (request.method !== 'POST') return new Response('', { status: 405 })
      const { id, method } = (await request.json()) as {
        readonly id?: number
        readonly method: string
      }
      if (id === undefined) return new Response('', { status: 202 })
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2025-06-18',
              capabilities: { tools: {} },
              serverInfo: { name: 'p', version: '1' },
            }
          : { tools: [{ name: 'look', inputSchema: { type: 'object' } }] }
      return json({ jsonrpc: '2.0', id, result })
    }
    const authProvider = new ClientCredentialsProvider({
      clientId: 'me',
      clientSecret: 'secret-of-the-client',
      expectedIssuer: 'https://login.example',
    })
    return {
      contacted,
      keys,
      source: mcpTools({
        name: 'web',
        transport: { url: 'https://mcp.example/mcp', fetch, authProvider, ...settings },
      }),
    }
  }

  test('a provider of the SDK gets the token, from a host that is declared', async () => {
    const { source, contacted } = protectedServer({ authHosts: ['login.example:443'] })
    expect(source.apiHosts).toEqual(['mcp.example:443', 'login.example:443'])
    expect((await source.tools()).map(({ definition }) => definition.name)).toEqual(['look'])
    expect(contacted).toContain('login.example/token')
    expect(new Set(contacted.map((one) => one.slice(0, one.indexOf('/'))))).toEqual(
      new Set(['mcp.example', 'login.example']),
    )
    await source.close()
  })

  test('headers of the settings go to the server and not to its authorization server', async () => {
    const { source, keys } = protectedServer({
      authHosts: ['login.example:443'],
      headers: { 'x-key': 'of-the-server' },
    })
    await source.tools()
    expect(Object.fromEntries(keys)).toEqual({
      'mcp.example': 'of-the-server',
      'login.example': null,
    })
    await source.close()
  })

  test('an authorization server without TLS is refused for a server with it', async () => {
    const { source, contacted } = protectedServer(
      { authHosts: ['login.example:443'] },
      'http://login.example:443/token',
    )
    expect(await failure(source.tools())).toMatch(
      /^auth: .*Refusing to send credentials to non-https token endpoint 'http:\/\/login\.example:443\/token'/,
    )
    expect(contacted.filter((one) => one.endsWith('/token'))).toEqual([])
    await source.close()
  })

  test('a host that is not declared is refused, and nothing is sent to it', async () => {
    const { source, contacted } = protectedServer()
    const message = await failure(source.tools())
    expect(message).toMatch(
      /^redirect-refused: MCP server "web": it leads to login\.example:443 instead of mcp\.example:443; hosts for authorization belong into authHosts/,
    )
    expect(message).not.toContain('secret-of-the-client')
    expect(contacted.filter((one) => one.startsWith('login'))).toEqual([])
    await source.close()
  })
})

import type { ToolCall } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import { executeBatch, type ToolOutcome } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { createMcpRedact } from '../src/secrets.js'
import type { McpProgress } from '../src/settings.js'

const secret = 'sk-mcp-4f9a8b7c6d5e4f3a2b1c'
const encoded = Buffer.from(secret).toString('base64')

/** A server that sends its credentials back wherever it can put a text. */
const echo: typeof fetch = async (_url, init) => {
  if (init?.method !== 'POST') return new Response(null, { status: 405 })
  const { id, method, params } = JSON.parse(init.body as string) as {
    id?: number
    method: string
    params?: { name?: string; protocolVersion?: string; _meta?: { progressToken?: number } }
  }
  if (id === undefined) return new Response(null, { status: 202 })
  const tool = (name: string) => ({
    name,
    description: `uses ${secret}`,
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'string', description: `or ${encoded}` } },
    },
  })
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' },
    },
    'tools/list': { tools: ['tell', 'fail', 'break'].map(tool) },
    'tools/call':
      params?.name === 'fail'
        ? { isError: true, content: [{ type: 'text', text: `no: ${secret}` }] }
        : {
            content: [
              { type: 'text', text: `it is ${secret}` },
              { type: 'resource', resource: { uri: `file:///${secret}`, text: encoded } },
            ],
          },
  }
  const reply =
    params?.name === 'break'
      ? { jsonrpc: '2.0', id, error: { code: -32000, message: `broken by ${secret}` } }
      : results[method]
        ? { jsonrpc: '2.0', id, result: results[method] }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
  return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } })
}

describe('the credentials of an MCP server', () => {
  test('the credentials of an MCP server are taken out of everything that it sends back', async () => {
    const progress: McpProgress[] = []
    const source = mcpTools({
      name: 'echo',
      transport: {
        url: 'https://mcp.example/mcp',
        headers: { authorization: `Bearer ${secret}` },
        fetch: echo,
      },
      onProgress: (news) => progress.push(news),
    })
    const tools = await source.tools()
    const told: unknown[] = [tools.map(({ definition }) => definition)]
    const calls = tools.map(
      ({ definition: { name } }): ToolCall => ({
        id: name,
        name,
        arguments: {},
        argumentsText: '{}',
      }),
    )
    const outcomes = new Map<string, ToolOutcome>()
    await executeBatch(calls, {
      tools,
      step: 1,
      onResult: ({ id }, result, outcome) => {
        outcomes.set(id, outcome)
        told.push(result, outcome)
      },
    })
    expect(['tell', 'fail', 'break'].map((id) => outcomes.get(id)?.status)).toEqual([
      'ok',
      'failed',
      'failed',
    ])
    const text = JSON.stringify(told)
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(secret)
    expect(text).not.toContain(encoded.slice(0, 12))
    await source.close()
  })

  test('the credentials of an MCP server are taken out of the errors of a session, and their causes', async () => {
    const refuse: typeof fetch = () =>
      Promise.resolve(new Response(`the key ${secret} is unknown`, { status: 500 }))
    const source = mcpTools({
      name: 'echo',
      transport: {
        url: 'https://mcp.example/mcp',
        headers: { 'x-api-key': secret },
        fetch: refuse,
      },
    })
    const error: unknown = await source.tools().catch((reason: unknown) => reason)
    const texts: string[] = []
    for (let one: unknown = error; one instanceof Error; one = one.cause)
      texts.push(one.message, one.stack ?? '')
    expect(texts[0]).toContain('MCP server "echo"')
    expect(texts.join('\n')).not.toContain(secret)
  })

  test('the credentials of an MCP server may stand in the environment of a command', () => {
    const redact = createMcpRedact({
      command: 'x',
      env: { GITHUB_TOKEN: secret, MODE: 'production' },
    })
    expect(redact(`token ${secret} in production`)).toBe('token [redacted] in production')
  })
})

import { isLlmError, type LlmError } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import { expect, test } from 'vitest'
import { randomBelow, seed } from '../support/seed.js'
import { attackTimeout, count, tries } from './outcome.js'
import { chunked, startRawServer } from './raw-server.js'

const id = (request: string): number => Number(/"id":(\d+)/.exec(request)?.[1] ?? 0)

/** Results of an MCP server, whole and hostile (Model Context Protocol, tools). */
const results: readonly ((request: string) => unknown)[] = [
  () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'x', version: '1' },
  }),
  () => ({ tools: [{ name: 'a', description: 'd', inputSchema: { type: 'object' } }] }),
  () => ({
    tools: [
      { name: '', inputSchema: { type: 'object' } },
      { name: 'a'.repeat(100_000), inputSchema: [] },
    ],
  }),
  () => ({
    tools: Array.from({ length: 5000 }, (_, index) => ({
      name: `t${index}`,
      inputSchema: { type: 'object' },
    })),
  }),
  () => ({
    tools: [
      {
        name: '__proto__',
        inputSchema: { type: 'object', properties: { constructor: { $ref: '#' } } },
      },
    ],
  }),
  () => ({ tools: [], nextCursor: 'again' }),
  () => null,
  () => 'text',
  () => ({ content: [{ type: 'text', text: '\u202e'.repeat(1000) }] }),
]

test('a hostile MCP server gives tools, or a typed error', { timeout: attackTimeout }, async () => {
  const below = randomBelow(seed)
  const server = await startRawServer((request) => {
    const { [below(results.length)]: result } = results
    const isFirst = request.includes('"initialize"')
    const message = {
      jsonrpc: '2.0',
      id: id(request),
      result: (isFirst && below(4) > 0 ? results[0]! : result!)(request),
    }
    const text = JSON.stringify(
      below(10) === 0 ? { ...message, id: -1, error: { code: 9, message: 'no' } } : message,
    )
    const type = below(2) ? 'application/json' : 'text/event-stream'
    const body = type === 'application/json' ? text : `data: ${text}\n\n`
    const cut = below(6) === 0 ? body.slice(0, below(body.length)) : body
    return {
      pieces: chunked(below(8) === 0 ? 500 : 200, type, [cut]),
      then: below(9) === 0 ? 'reset' : 'end',
    }
  })
  const rounds = tries(20, 500)
  for (let round = 0; round < rounds; round++) {
    const source = mcpTools({
      name: 'bad',
      transport: { url: `${server.url}/mcp` },
      connectTimeoutMs: 400,
      listTimeoutMs: 400,
      timeoutMs: 400,
      onWarning: () => undefined,
    })
    try {
      for (const { definition } of await source.tools())
        expect(definition.name).toMatch(/^[\w-]{1,64}$/)
    } catch (error) {
      expect(isLlmError(error), String((error as LlmError).stack)).toBe(true)
    }
    await source.close()
  }
  count(rounds)
})

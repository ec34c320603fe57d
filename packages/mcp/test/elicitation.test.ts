import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { type JsonObject, textOf } from '@modelport/core'
import { type McpSettings, type McpSource, mcpTools } from '@modelport/mcp'
import { createMock } from '@modelport/provider-mock'
import {
  infer,
  type PendingQuestion,
  type ResumeDecision,
  type RunResult,
} from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { inMemoryTo } from './in-memory.js'

const people = {
  type: 'object' as const,
  properties: { people: { type: 'integer' as const, minimum: 1, title: 'Guests' } },
  required: ['people'],
}

/** A server of 2026-07-28 only, which keeps nothing between two requests. */
function modern(settings: Partial<McpSettings> = {}) {
  const requests: JsonObject[] = []
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1.0.0' })
      const book = {
        description: 'Books',
        inputSchema: z.object({}),
        outputSchema: z.object({ booked: z.string() }),
      }
      server.registerTool('book', book, (_, { mcpReq }) => {
        const said = mcpReq.inputResponses
        if (!said?.['people'])
          return inputRequired({
            inputRequests: {
              people: inputRequired.elicit({ message: 'How many?', requestedSchema: people }),
              pay: inputRequired.elicitUrl({ message: 'Pay here', url: 'https://pay.example/1' }),
            },
            requestState: 'state-1',
          })
        const booked = JSON.stringify(said)
        return { content: [], structuredContent: { booked } }
      })
      return server
    },
    { legacy: 'reject' },
  )
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = (await request.clone().json()) as JsonObject
    if (body['method'] === 'tools/call') requests.push(body['params'] as JsonObject)
    return handler.fetch(request)
  }
  const transport = { url: 'https://mcp.example/mcp', fetch }
  return {
    requests,
    open: () => mcpTools({ name: 'table', transport, elicitation: true, ...settings }),
  }
}

/** A server of 2025-11-25, which asks while a call is open. */
function old(
  ask: (server: OldServer['server']) => Promise<string>,
  settings: Partial<McpSettings> = {},
) {
  const seen = {
    sendings: 0,
    cancelled: 0,
    capabilities: undefined as unknown,
    servers: [] as OldServer[],
  }
  const transport = inMemoryTo((wire) => {
    const server = new OldServer({ name: 'old', version: '1.0.0' })
    seen.servers.push(server)
    server.registerTool('book', { description: 'Books' }, async ({ signal }) => {
      seen.sendings++
      seen.capabilities = server.server.getClientCapabilities()?.elicitation
      signal.addEventListener('abort', () => seen.cancelled++)
      return { content: [{ type: 'text', text: await ask(server.server) }] }
    })
    return server.connect(wire)
  })
  return { seen, open: () => mcpTools({ name: 'old', transport, elicitation: true, ...settings }) }
}

/** Runs a model that calls `book`; each `resume` is another process with its own connection. */
function runOf(open: () => McpSource, calls = 1) {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    id: `c${index}`,
    name: 'book',
    arguments: { index },
  }))
  const provider = createMock({ responses: [{ toolCalls }, 'Done.'] })
  const within = async (work: (source: McpSource) => Promise<RunResult>) => {
    const source = open()
    try {
      return await work(source)
    } finally {
      await source.close()
    }
  }
  const limits = { repeatWindow: 0 }
  return {
    start: () => within((source) => infer(provider, { query: 'Book.', sources: [source], limits })),
    resume: (last: RunResult, decisions: readonly ResumeDecision[]) =>
      within((source) => {
        if (last.status !== 'suspended') throw new Error(`${last.status}: ${read(last)}`)
        const { checkpoint: resume, transcript: messages } = JSON.parse(
          JSON.stringify(last),
        ) as typeof last
        return infer(provider, {
          sources: [source],
          messages,
          limits,
          durable: { resume, decisions },
        })
      }),
  }
}

const questionOf = (result: RunResult): PendingQuestion => {
  if (result.status !== 'suspended') throw new Error(`${result.status}: ${read(result)}`)
  return result.pending[0] as PendingQuestion
}
const read = ({ transcript }: RunResult): string =>
  transcript
    .flatMap((one) =>
      one.role === 'tool' ? [textOf(one.content).replace(/^\[from MCP .*\]\n/, '')] : [],
    )
    .join(' | ')
const accept = (result: RunResult, content?: JsonObject): readonly ResumeDecision[] => {
  const { id, digest } = questionOf(result)
  return [{ type: 'answer', id, digest, action: 'accept', ...(content && { content }) }]
}

describe('a server of 2026-07-28 that asks the user', () => {
  test('a call is sent again with all answers of its round and the state of the server, by another process', async () => {
    const { open, requests } = modern()
    const run = runOf(open)
    const first = await run.start()
    expect(questionOf(first).question).toEqual({
      message: 'How many?',
      schema: people,
      from: 'table',
    })
    expect(JSON.stringify([first.status === 'suspended' && first.pending])).not.toContain('state-1')
    const second = await run.resume(first, accept(first, { people: 4 }))
    expect(questionOf(second).question).toEqual({
      message: 'Pay here',
      url: 'https://pay.example/1',
      from: 'table',
    })
    expect(requests).toHaveLength(1)
    const last = await run.resume(second, accept(second))
    expect(last).toMatchObject({ status: 'final', text: 'Done.' })
    expect(requests).toHaveLength(2)
    expect(JSON.parse((JSON.parse(read(last)) as { booked: string }).booked)).toEqual({
      people: { action: 'accept', content: { people: 4 } },
      pay: { action: 'accept' },
    })
    expect(requests[1]).toMatchObject({ name: 'book', requestState: 'state-1' })
  })

  test('a server that is not allowed to ask gets no capability, and its question fails the call', async () => {
    const { open, requests } = modern({ elicitation: false })
    const result = await runOf(open).start()
    expect(JSON.stringify(requests[0])).not.toContain('elicitation')
    expect(read(result)).toContain('MCP server "table"')
    expect(result.status).toBe('final')
  })
})

describe('a server of 2025-11-25 that asks the user', () => {
  test('the call is cancelled at the server, sent again with the answer, and its question is answered at once', async () => {
    const { open, seen } = old(async (server) => {
      const { action, content } = await server.elicitInput({
        message: 'How many?',
        requestedSchema: people,
      })
      return `${action} ${JSON.stringify(content)}`
    })
    const run = runOf(open)
    const first = await run.start()
    expect(seen.capabilities).toEqual({ form: {}, url: {} })
    expect(questionOf(first).question).toEqual({
      message: 'How many?',
      schema: people,
      from: 'old',
    })
    expect(seen.cancelled).toBe(1)
    await expect(run.resume(first, accept(first, { people: 0 }))).rejects.toThrow(
      /content does not fit the question/,
    )
    const last = await run.resume(first, accept(first, { people: 4 }))
    expect(read(last)).toBe('accept {"people":4}')
    expect(seen.sendings).toBe(2)
  })

  test('an address that has to be opened first is asked for, and the call is sent again', async () => {
    let isPaid = false
    const { open } = old(() => {
      const asked = {
        mode: 'url',
        message: 'Pay here',
        url: 'https://pay.example/1',
        elicitationId: 'e1',
      } as const
      if (!isPaid) throw new UrlElicitationRequiredError([asked])
      return Promise.resolve('paid')
    })
    const run = runOf(open)
    const first = await run.start()
    expect(questionOf(first).question.url).toBe('https://pay.example/1')
    isPaid = true
    expect(read(await run.resume(first, accept(first)))).toBe('paid')
  })

  test('a question outside of a call is refused, and so is one while several calls are open', async () => {
    const { open, seen } = old(async (server) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return server.elicitInput({ message: 'How many?', requestedSchema: people }).then(
        ({ action }) => action,
        (error: unknown) => String(error),
      )
    })
    const result = await runOf(open, 2).start()
    expect(read(result)).toContain(
      'The question is refused: several calls are open, and the question names none',
    )
    const source = open()
    await source.tools()
    const outside = seen.servers
      .at(-1)
      ?.server.elicitInput({ message: 'Your password?', requestedSchema: people })
    await expect(outside).rejects.toThrow('The question is refused: no call is open')
    await source.close()
  })

  test.each([
    [
      'a hidden character in a choice',
      {
        message: 'x',
        requestedSchema: {
          type: 'object',
          properties: { a: { type: 'string', enum: ['a\u202eb'] } },
        },
      },
      /hidden characters/,
    ],
    [
      'an address without TLS',
      { mode: 'url', message: 'x', elicitationId: 'e', url: 'http://evil.example/' },
      /url must be an https: address/,
    ],
  ] as const)('the call fails for %s, and nobody is asked', async (_, asked, message) => {
    const { open } = old(async (server) => (await server.elicitInput(asked)).action)
    const result = await runOf(open).start()
    expect(result.status).toBe('final')
    expect(read(result)).toMatch(message)
  })

  test('text of a server that would hide what follows is shown as escapes', async () => {
    const message = 'Pay \u202e5 euros\u200b\u{e0041}'
    const { open } = old(
      async (server) => (await server.elicitInput({ message, requestedSchema: people })).action,
    )
    expect(questionOf(await runOf(open).start()).question.message).toBe(
      'Pay \\u{202E}5 euros\\u{200B}\\u{E0041}',
    )
  })
})

/* oxlint-disable typescript/no-deprecated -- what programs still have: approvals of tools, parts of results */
import { createMCPClient } from '@ai-sdk/mcp'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { toAiTools, toLanguageModel } from '@modelport/ai-sdk'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import {
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  pending,
} from '@modelport/runtime'
import { generateText, jsonSchema, stepCountIs, tool, zodSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

type MockToolCall = NonNullable<
  Extract<MockResponse, { readonly toolCalls?: unknown }>['toolCalls']
>[number]

const calling = (...toolCalls: readonly MockToolCall[]): readonly MockResponse[] => [
  { toolCalls },
  'Done.',
]
const cityOf = z.object({ city: z.string() })

/**
 * Runs the tools on these calls: what the model was shown of the tools, and then of the results.
 */
async function run(tools: InferRequest['tools'], ...calls: readonly MockToolCall[]) {
  const provider = createMock({ responses: calling(...calls) })
  const result = await infer(provider, { query: 'Rome?', tools })
  const results = provider.requests[1]?.messages.filter(({ role }) => role === 'tool')
  return { result, shown: provider.requests[0]?.tools, results }
}

describe('tools of the AI SDK in infer', () => {
  test('tools of the AI SDK in infer run as they are, with every kind of schema that the AI SDK has', async () => {
    const json = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    } satisfies Parameters<typeof jsonSchema>[0]
    const execute = ({ city }: { city: string }): string => `28 degrees in ${city}`
    const tools = {
      zod: tool({ description: 'The weather', inputSchema: cityOf, execute }),
      wrapped: tool({ inputSchema: zodSchema(cityOf), execute }),
      json: tool({ inputSchema: jsonSchema<{ city: string }>(json), execute }),
      lazy: tool({ inputSchema: () => zodSchema(cityOf), execute, strict: true }),
    }
    const names = Object.keys(tools)
    const { result, shown, results } = await run(
      tools,
      ...names.map((name) => ({ name, arguments: { city: name } })),
      ...names.map((name) => ({ name, arguments: { city: 7 } })),
    )
    expect(result).toMatchObject({ status: 'final', text: 'Done.' })
    expect(shown?.map(({ name, parameters }) => [name, parameters?.['required']])).toEqual(
      names.map((name) => [name, ['city']]),
    )
    expect(shown?.[0]).toMatchObject({ description: 'The weather' })
    expect(shown?.[3]).toMatchObject({ strict: true })
    expect(results?.slice(0, 4).map(({ content }) => content)).toEqual(
      names.map((name) => `28 degrees in ${name}`),
    )
    expect(results?.slice(4)).toMatchObject(names.map(() => ({ isError: true })))
  })

  test('tools of the AI SDK in infer may give their last value of several, a form for the model, a failure', async () => {
    const tools = {
      steps: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield 'one'
          yield 'two'
        },
      }),
      picture: tool({
        inputSchema: z.object({}),
        execute: () => 'aW1n',
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [
            { type: 'text', text: 'See:' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: output } },
          ],
        }),
      }),
      broken: tool({
        inputSchema: z.object({}),
        execute: () => 1,
        toModelOutput: () => ({ type: 'error-text', value: 'It broke.' }),
      }),
      object: tool({ inputSchema: z.object({}), execute: (_, { toolCallId }) => ({ toolCallId }) }),
    }
    const { results } = await run(tools, ...Object.keys(tools).map((name) => ({ name, id: name })))
    expect(results?.map(({ content }) => content)).toEqual([
      'two',
      [
        { type: 'text', text: 'See:' },
        { type: 'image', source: { type: 'base64', data: 'aW1n', mediaType: 'image/png' } },
      ],
      'It broke.',
      '{"toolCallId":"object"}',
    ])
    expect(results?.[2]).toMatchObject({ isError: true })
  })

  test.each<[string, InferRequest['authorize'], string]>([
    ['nothing else decides', undefined, 'suspended'],
    ['the policy allows it', () => ({ effect: 'allow' }), 'suspended'],
    ['the policy denies it', () => ({ effect: 'deny', reason: 'no' }), 'final'],
    ['the policy asks somebody', () => ({ effect: 'require-approval', ask: () => true }), 'final'],
  ])(
    'tools of the AI SDK in infer wait for the approval that they need, if %s',
    async (_, authorize, status) => {
      const pay = tool({
        inputSchema: z.object({ euros: z.number() }),
        needsApproval: true,
        execute: () => 'paid',
      })
      const provider = createMock({ responses: calling({ name: 'pay', arguments: { euros: 5 } }) })
      const result = await infer(provider, { query: 'Pay', tools: { pay }, authorize })
      expect(result.status).toBe(status)
    },
  )

  test('tools of the AI SDK in infer are resumed after the approval, and need none where they say so', async () => {
    const pay = tool({
      inputSchema: z.object({ euros: z.number() }),
      needsApproval: ({ euros }) => euros > 3,
      execute: ({ euros }) => `paid ${euros}`,
    })
    const provider = createMock({
      responses: calling(
        { name: 'pay', arguments: { euros: 5 } },
        { name: 'pay', arguments: { euros: 2 } },
      ),
    })
    const journal = createMemoryJournal()
    const request = { query: 'Pay', tools: { pay }, durable: { journal } }
    const waiting = await infer(provider, request)
    if (waiting.status !== 'suspended') throw new Error(waiting.status)
    expect(waiting.pending).toMatchObject([{ type: 'approval', action: { args: { euros: 5 } } }])
    const [item] = waiting.pending
    const done = await infer(provider, {
      messages: waiting.transcript,
      tools: { pay },
      durable: {
        journal,
        resume: waiting.checkpoint,
        decisions:
          item?.type === 'approval' ? [{ type: 'approve', id: item.id, digest: item.digest }] : [],
      },
    })
    expect(done).toMatchObject({ status: 'final', text: 'Done.' })
    const results = provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content)).toEqual(['paid 5', 'paid 2'])
  })

  test('tools without a function to run suspend the run until the result is given', async () => {
    const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() })
    const { result } = await run({ ask }, { name: 'ask' })
    expect(result).toMatchObject({ status: 'suspended' })
  })

  test('tools that a vendor runs are refused in infer, with the place where they belong', async () => {
    const search = {
      type: 'provider' as const,
      isProviderExecuted: true as const,
      id: 'a.b' as const,
      args: {},
      inputSchema: jsonSchema({}),
      outputSchema: jsonSchema({}),
    }
    await expect(run({ search })).rejects.toThrow(
      'tools.search is a tool that a vendor runs; pass it in the form',
    )
  })

  test('tools of an MCP server run in infer as the MCP client of the AI SDK gives them', async () => {
    const server = new McpServer({ name: 'weather', version: '1.0.0' })
    server.registerTool(
      'weather',
      { description: 'The weather', inputSchema: { city: z.string() } },
      ({ city }) => ({
        content: [{ type: 'text', text: `28 degrees in ${city}` }],
      }),
    )
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await server.connect(theirs)
    const client = await createMCPClient({ transport: ours })
    const { shown, results } = await run(await client.tools(), {
      name: 'weather',
      arguments: { city: 'Rome' },
    })
    expect(shown).toMatchObject([
      { name: 'weather', description: 'The weather', parameters: { required: ['city'] } },
    ])
    expect(results?.[0]?.content).toEqual([{ type: 'text', text: '28 degrees in Rome' }])
    await client.close()
  })

  test('tools of the AI SDK in infer mix with ours and with any tool that has a Standard Schema', async () => {
    const own = defineTool({ name: 'own', description: 'Ours', execute: () => 'ours' })
    const plain = {
      description: 'Theirs',
      inputSchema: cityOf,
      execute: ({ city }: { city: string }) => city,
    }
    const { results } = await run(
      { own, plain },
      { name: 'own' },
      { name: 'plain', arguments: { city: 'Rome' } },
    )
    expect(results?.map(({ content }) => content)).toEqual(['ours', 'Rome'])
  })
})

describe('tools of ours in the AI SDK', () => {
  const weather = defineTool({
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: ({ city }, { callId }) => [
      { type: 'text', text: `${callId}: 28 degrees in ${city}` },
      { type: 'image', source: { type: 'base64', data: 'aW1n', mediaType: 'image/png' } },
    ],
  })
  const later = defineTool({ name: 'later', description: 'Later', execute: () => pending('job-1') })

  test('tools of ours in the AI SDK check their arguments, run, and show the model their parts', async () => {
    const provider = createMock({
      responses: calling(
        { name: 'weather', arguments: { city: 'Rome' } },
        { name: 'weather', arguments: { city: 7 } },
        { name: 'later' },
      ),
    })
    const { text } = await generateText({
      model: toLanguageModel(provider),
      prompt: 'Rome?',
      tools: toAiTools([weather, later]),
      stopWhen: stepCountIs(2),
    })
    expect(text).toBe('Done.')
    expect(provider.requests[0]?.tools[0]).toMatchObject(weather.definition)
    expect(weather.definition.parameters).not.toHaveProperty('additionalProperties')
    const results = provider.requests[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results?.[0]?.content).toEqual([
      { type: 'text', text: 'call_1: 28 degrees in Rome' },
      { type: 'image', source: { type: 'base64', data: 'aW1n', mediaType: 'image/png' } },
    ])
    expect(results?.[1]).toMatchObject({ isError: true })
    expect(results?.[2]).toMatchObject({
      isError: true,
      content: expect.stringContaining('run it with infer') as unknown,
    })
  })

  test('tools of ours in the AI SDK say that a call with a lost reply may have happened', async () => {
    const lost = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    const pay = (fields: object = {}) =>
      defineTool({
        name: 'pay',
        description: 'Pays',
        execute: () => {
          throw lost
        },
        ...fields,
      })
    const thrownBy = async (ours: ReturnType<typeof pay>): Promise<unknown> => {
      const { pay: theirs } = toAiTools([ours])
      const call = { toolCallId: 'c1', messages: [], context: {} }
      return Promise.resolve(theirs?.execute({}, call as never)).catch((error: unknown) => error)
    }
    expect(await thrownBy(pay())).toMatchObject({
      name: 'OutcomeUnknown',
      message: 'socket hang up; whether it had an effect is unknown',
      cause: lost,
    })
    expect(await thrownBy(pay({ readOnly: true }))).toBe(lost)
  })

  test('tools of ours in the AI SDK keep their hints', async () => {
    const provider = createMock({ responses: ['Hi.'] })
    const hinted = defineTool({
      name: 'x',
      description: 'X',
      strict: true,
      cache: 'auto',
      execute: () => 1,
    })
    await generateText({
      model: toLanguageModel(provider),
      prompt: 'Hi',
      tools: toAiTools([hinted]),
    })
    expect(provider.requests[0]?.tools[0]).toMatchObject({ strict: true, cache: 'auto' })
  })
})

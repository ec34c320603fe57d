// Tasks of 2026-07-28, which are an extension. The official package of the extension, which has no
// server, is the judge of what is sent in both directions.
import {
  hasTaskClientCapabilityV2,
  isCancelTaskRequestV2,
  isDetailedTaskV2,
  isGetTaskRequestV2,
  isToolCallTaskResultV2,
  isUpdateTaskRequestV2,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { textOf } from '@modelport/core'
import { type McpSettings, mcpTools } from '@modelport/mcp'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { infer, type ResumeDecision, type RunResult } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

interface Message {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}
type Fields = Readonly<Record<string, unknown>>

const times = { createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z' }
const working = { status: 'working', ...times, ttlMs: null, pollIntervalMs: 1 }
const completed = (text: string, isError = false): Fields => ({
  ...working,
  status: 'completed',
  result: { content: [{ type: 'text', text }], isError },
})

/** A server that makes a task of each call of `report`; a test gives its states. */
function taskServer(
  states: readonly Fields[],
  settings: Partial<McpSettings> = {},
  first: Fields = working,
) {
  const methods: string[] = []
  const updates: unknown[] = []
  const left = [...states]
  let begun = 0
  let now: Fields = working
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'reports', version: '1.0.0' },
        { capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      )
      const inputSchema = z.object({ about: z.string() })
      server.registerTool('report', { description: 'Writes', inputSchema }, () => {
        throw new Error('a call that is not a task')
      })
      return server
    },
    { legacy: 'reject' },
  )
  const resultOf = ({ method, params }: Message): Fields | undefined => {
    const taskId = `task-${begun}`
    if (method === 'tools/call') {
      const result = { resultType: 'task', ...first, taskId: `task-${++begun}` }
      expect(isToolCallTaskResultV2(method, result)).toBe(true)
      return result
    }
    if (method === 'tasks/cancel') {
      now = { ...working, status: 'cancelled' }
      left.length = 0
      return { resultType: 'complete' }
    }
    if (method === 'tasks/update') {
      updates.push(params['inputResponses'])
      return { resultType: 'complete' }
    }
    if (method !== 'tasks/get') return undefined
    now = left.shift() ?? now
    expect(isDetailedTaskV2({ ...now, taskId })).toBe(true)
    return { resultType: 'complete', ...now, taskId }
  }
  const isKnown = {
    'tools/call': () => true,
    'tasks/get': isGetTaskRequestV2,
    'tasks/cancel': isCancelTaskRequestV2,
    'tasks/update': isUpdateTaskRequestV2,
  } as const
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const message = (await request.clone().json()) as Message
    const { id, method, params } = message
    if (!(method in isKnown)) return handler.fetch(request)
    methods.push(method)
    expect(hasTaskClientCapabilityV2(params)).toBe(true)
    expect(isKnown[method as keyof typeof isKnown](message)).toBe(true)
    expect(request.headers.get('mcp-method')).toBe(method)
    expect(request.headers.get('mcp-name')).toBe(params['taskId'] ?? params['name'])
    const given = resultOf(message)
    const reply = given?.['fault'] ? { error: given['fault'] } : { result: given }
    return Response.json({ jsonrpc: '2.0', id, ...reply })
  }
  const transport = { url: 'https://mcp.example/mcp', fetch }
  const open = () => mcpTools({ name: 'reports', transport, timeoutMs: 60_000, ...settings })
  return { methods, updates, open, begun: () => begun }
}
type TaskServer = ReturnType<typeof taskServer>

const reply = { toolCalls: [{ id: 'c', name: 'report', arguments: { about: 'tea' } }] }

async function run(
  { open }: TaskServer,
  more: { last?: RunResult; decisions?: readonly ResumeDecision[]; signal?: AbortSignal } = {},
  responses: readonly MockResponse[] = more.last ? ['Done.'] : [reply, 'Done.'],
): Promise<RunResult> {
  const source = open()
  const { last, decisions = [], signal } = more
  const request = { sources: [source], ...(signal && { signal }) }
  const provider = createMock({ responses })
  const resumed = last?.status === 'suspended' ? last : undefined
  const result = await infer(provider, {
    ...request,
    ...(resumed
      ? { messages: resumed.transcript, durable: { resume: resumed.checkpoint, decisions } }
      : { query: 'Report.' }),
  })
  await source.close()
  return result
}

/** What the model read of the call. */
const read = ({ transcript }: RunResult): string =>
  transcript.flatMap((one) => (one.role === 'tool' ? [textOf(one.content)] : [])).join('')

const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'How many pages?',
    requestedSchema: { type: 'object', properties: { pages: { type: 'integer' } } },
  },
}
const asking = { ...working, status: 'input_required', inputRequests: { pages: question } }

describe('tasks of 2026-07-28', () => {
  test('a call that becomes a task gives the result of the task', async () => {
    const server = taskServer([working, completed('Tea is warm.')])
    const result = await run(server)
    expect([result.status, read(result)]).toEqual([
      'final',
      '[from MCP server "reports"]\nTea is warm.',
    ])
    expect(server.methods).toEqual(['tools/call', 'tasks/get', 'tasks/get'])
  })

  test('a task that takes longer than the call may is left pending, and found by another process', async () => {
    const slow = { ...working, pollIntervalMs: 50 }
    const server = taskServer([slow, completed('Tea is warm.')], { timeoutMs: 1 }, slow)
    const last = await run(server)
    const [item] = last.status === 'suspended' ? last.pending : []
    expect(item).toMatchObject({ type: 'wait', taskId: 'task-1' })
    if (item?.type !== 'wait') return
    await expect.poll(() => Date.now() > (item.until ?? 0)).toBe(true)
    let result = await run(server, { last })
    while (result.status === 'suspended') {
      const [{ until = 0 } = {}] = result.pending as readonly { readonly until?: number }[]
      await expect.poll(() => Date.now() > until, { timeout: 5_000 }).toBe(true)
      result = await run(server, { last: result })
    }
    expect(read(result)).toBe('[from MCP server "reports"]\nTea is warm.')
    expect(server.begun()).toBe(1)
  })

  test.each([
    ['failed with a result', completed('No tea.', true), 'No tea.'],
    [
      'failed with an error',
      { ...working, status: 'failed', error: { code: -32602, message: 'kettle is empty' } },
      'kettle is empty',
    ],
    [
      'was cancelled',
      { ...working, status: 'cancelled' },
      'the task was cancelled; whether it had an effect is not known',
    ],
  ])('the model reads that a task %s', async (_, state, words) => {
    expect(read(await run(taskServer([state])))).toContain(words)
  })

  test('a run that is cancelled cancels its task', async () => {
    const server = taskServer([working])
    const controller = new AbortController()
    const started = run(server, { signal: controller.signal })
    await expect.poll(() => server.methods).toContain('tasks/get')
    controller.abort(new Error('enough'))
    expect((await started).status).toBe('cancelled')
    await expect.poll(() => server.methods).toContain('tasks/cancel')
  })

  test('a task of an agent that is cancelled cancels the task at the server that it waits for', async () => {
    const slow = { ...working, pollIntervalMs: 60_000 }
    const server = taskServer([slow], { timeoutMs: 1 }, slow)
    const source = server.open()
    const agent = createAgent({
      card: { name: 'desk', description: 'Works' },
      tools: await source.tools(),
      provider: createMock({ responses: [reply] }),
    })
    const host = new AgentHost([agent])
    const message = createMessage('user', 'Report.')
    const { task, before } = await host.send({ agent: 'desk', principal: 'alice', message })
    const key = { principal: 'alice', id: task.id }
    expect((await host.settled(key, before)).state).toBe('input-required')
    await host.cancel(key)
    await expect.poll(() => server.methods).toContain('tasks/cancel')
    await source.close()
  })

  test('a task that asks its user is cancelled, and its question suspends the run', async () => {
    const states = [asking, asking, working, completed('Four pages.')]
    const server = taskServer(states, { elicitation: true })
    const asked = await run(server)
    const [item] = asked.status === 'suspended' ? asked.pending : []
    if (item?.type !== 'question') throw new Error(JSON.stringify(asked))
    expect(item.question.message).toBe('How many pages?')
    expect(server.methods).toEqual(['tools/call', 'tasks/get', 'tasks/cancel'])
  })

  test('an answer reaches the task that is begun with it, and is sent once', async () => {
    const first = taskServer([asking], { elicitation: true })
    const asked = await run(first)
    const [item] = asked.status === 'suspended' ? asked.pending : []
    if (item?.type !== 'question') throw new Error(JSON.stringify(asked))
    const { id, digest } = item
    const second = taskServer([asking, asking, working, completed('Four pages.')], {
      elicitation: true,
    })
    const result = await run(second, {
      last: asked,
      decisions: [{ type: 'answer', id, digest, action: 'accept', content: { pages: 4 } }],
    })
    expect(read(result)).toContain('Four pages.')
    expect(second.updates).toEqual([{ pages: { action: 'accept', content: { pages: 4 } } }])
  })

  test('a task that asks its user is cancelled if nobody can be asked', async () => {
    const server = taskServer([asking])
    expect(read(await run(server))).toContain('the task asks its user, and nobody can be asked')
    expect(server.methods).toContain('tasks/cancel')
  })
})

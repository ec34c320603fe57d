import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { type CallToolResult, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { textOf } from '@modelport/core'
import { type McpSettings, type McpSource, mcpTools } from '@modelport/mcp'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { infer, type ResumeDecision, type RunResult } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { inMemoryTo } from './in-memory.js'

/**
 * A server of 2025-11-25 whose tool needs tasks; the test decides how each one ends, or the user
 * does, whom it asks.
 */
function taskServer(settings: Partial<McpSettings> = {}, asksUser = false) {
  const store = new InMemoryTaskStore()
  const begun: string[] = []
  const methods: string[] = []
  const create = (): McpServer => {
    const server = new McpServer(
      { name: 'reports', version: '1.0.0' },
      {
        capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore: store,
        taskMessageQueue: new InMemoryTaskMessageQueue(),
      },
    )
    server.experimental.tasks.registerToolTask(
      'report',
      { description: 'Writes a report', inputSchema: { about: z.string() } },
      {
        createTask: async (_, { taskStore, sendRequest }) => {
          const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 1 })
          const { taskId } = task
          begun.push(taskId)
          if (asksUser) {
            await taskStore.updateTaskStatus(taskId, 'input_required')
            // The types of the server do not have the field that its code reads.
            const ofTask: object = { relatedTask: { taskId } }
            sendRequest(
              { method: 'elicitation/create', params: question },
              ElicitResultSchema,
              ofTask,
            ).then(
              ({ content }) => end(JSON.stringify(content)),
              () => undefined,
            )
          }
          return { task }
        },
        getTask: async (_, { taskId, taskStore }) => taskStore.getTask(taskId),
        getTaskResult: async (_, { taskId, taskStore }) =>
          (await taskStore.getTaskResult(taskId)) as CallToolResult,
      },
    )
    return server
  }
  const transport = inMemoryTo(async (wire) => {
    await create().connect(wire)
    const { onmessage } = wire
    wire.onmessage = (message, extra) => {
      if ('method' in message) methods.push(message.method)
      onmessage?.(message, extra)
    }
  })
  function end(text: string, isError = false): Promise<void> {
    return store.storeTaskResult(begun.at(-1) ?? '', isError ? 'failed' : 'completed', {
      content: [{ type: 'text', text }],
      ...(isError && { isError }),
    })
  }
  return {
    store,
    begun,
    methods,
    end,
    /** The methods of calls and tasks, each once. */
    ofTasks: () => [...new Set(methods.filter((one) => /^(?:tools\/call|tasks)/.test(one)))],
    open: () => mcpTools({ name: 'reports', transport, timeoutMs: 3, ...settings }),
  }
}
type TaskServer = ReturnType<typeof taskServer>

const question = {
  mode: 'form' as const,
  message: 'How many pages?',
  requestedSchema: { type: 'object' as const, properties: { pages: { type: 'integer' as const } } },
}
const reply = { toolCalls: [{ id: 'c', name: 'report', arguments: { about: 'tea' } }] }

/** A run of a model that asks for a report; each part of it is another process. */
function runOf(
  { open }: Pick<TaskServer, 'open'>,
  responses: readonly MockResponse[] = [reply, 'Done.'],
) {
  const provider = createMock({ responses })
  const within = async (work: (source: McpSource) => Promise<RunResult>) => {
    const source = open()
    try {
      return await work(source)
    } finally {
      await source.close()
    }
  }
  return {
    start: (signal?: AbortSignal) =>
      within((source) =>
        infer(provider, { query: 'Report.', sources: [source], ...(signal && { signal }) }),
      ),
    resume: (last: RunResult, decisions: readonly ResumeDecision[] = []) =>
      within((source) => {
        if (last.status !== 'suspended') throw new Error(last.status)
        const { checkpoint: resume, transcript: messages } = JSON.parse(
          JSON.stringify(last),
        ) as typeof last
        return infer(provider, { sources: [source], messages, durable: { resume, decisions } })
      }),
  }
}

/** What the model read of the call. */
const read = ({ transcript }: RunResult): string =>
  transcript.flatMap((one) => (one.role === 'tool' ? [textOf(one.content)] : [])).join('')

/** What a run waits for. */
function waitOf(result: RunResult) {
  const [item] = result.status === 'suspended' ? result.pending : []
  if (item?.type !== 'wait') throw new Error(`${result.status}: ${JSON.stringify(item)}`)
  return item
}

/** Resolves once it is time to look at the task again. */
const timeToLook = (result: RunResult) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.max((waitOf(result).until ?? 0) - Date.now() + 1, 0)),
  )

const warmTea = '[from MCP server "reports"]\nTea is warm.'

describe('a tool that needs a task', () => {
  test('a tool that needs a task gives its result within the call, if it is over by then', async () => {
    const server = taskServer({ timeoutMs: 60_000 })
    const started = runOf(server).start()
    await expect.poll(() => server.methods).toContain('tasks/get')
    await server.end('Tea is warm.')
    const result = await started
    expect([result.status, read(result)]).toEqual(['final', warmTea])
    expect(server.ofTasks()).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
  })

  test('a tool that needs a task suspends the run, and another process finds the result', async () => {
    const server = taskServer()
    const run = runOf(server)
    const suspended = await run.start()
    expect(waitOf(suspended)).toMatchObject({ id: 'c', taskId: server.begun[0] })

    await timeToLook(suspended)
    const again = await run.resume(suspended)
    expect(waitOf(again).taskId).toBe(server.begun[0])

    await server.end('Tea is warm.')
    await timeToLook(again)
    const result = await run.resume(again)
    expect([result.status, read(result)]).toEqual(['final', warmTea])
    expect(server.begun).toHaveLength(1)
  })

  test.each<[string, (server: TaskServer) => unknown, RegExp]>([
    [
      'failed',
      (server) => server.end('No tea.', true),
      /^\[from MCP server "reports"\]\nNo tea\.$/,
    ],
    [
      'was cancelled by the program',
      async (server) => {
        const source = server.open()
        await source.cancelTask(server.begun[0] ?? '')
        await source.close()
      },
      /the task was cancelled; whether it had an effect is not known/,
    ],
    [
      'is forgotten by the server',
      (server) => {
        server.store.cleanup()
      },
      /does not know the task any more; whether it had an effect is not known/,
    ],
  ])('the model reads that a task %s', async (_, act, words) => {
    const server = taskServer()
    const run = runOf(server)
    const suspended = await run.start()
    await act(server)
    await timeToLook(suspended)
    const result = await run.resume(suspended)
    expect(result.status).toBe('final')
    expect(read(result)).toMatch(words)
    expect(server.begun).toHaveLength(1)
  })

  test('a call like one whose task the server forgot waits for a person', async () => {
    const server = taskServer()
    const sameCall = { toolCalls: [{ ...reply.toolCalls[0]!, id: 'd' }] }
    const run = runOf(server, [reply, sameCall, 'Done.'])
    const suspended = await run.start()
    server.store.cleanup()
    await timeToLook(suspended)
    const result = await run.resume(suspended)
    expect(result).toMatchObject({ status: 'suspended', pending: [{ type: 'uncertain', id: 'd' }] })
    expect(server.begun).toHaveLength(1)
  })

  test('a result that somebody delivers is taken, and the server is not asked', async () => {
    const server = taskServer()
    const run = runOf(server)
    const suspended = await run.start()
    const asked = server.methods.length
    const decisions: ResumeDecision[] = [{ type: 'result', id: 'c', result: 'Tea, by letter.' }]
    const result = await run.resume(suspended, decisions)
    expect([result.status, read(result)]).toEqual(['final', 'Tea, by letter.'])
    expect(server.methods.slice(asked)).not.toContain('tasks/get')
  })

  test('a run that is cancelled cancels its task at the server', async () => {
    const server = taskServer({ timeoutMs: 60_000 })
    const controller = new AbortController()
    const started = runOf(server).start(controller.signal)
    await expect.poll(() => server.methods).toContain('tasks/get')
    controller.abort(new Error('enough'))
    expect((await started).status).toBe('cancelled')
    await expect
      .poll(async () => (await server.store.getTask(server.begun[0] ?? ''))?.status)
      .toBe('cancelled')
  })

  test('a task that asks its user waits for the answer, and is begun anew with it', async () => {
    const server = taskServer({ elicitation: true, timeoutMs: 60_000 }, true)
    const run = runOf(server)
    const asked = await run.start()
    const [item] = asked.status === 'suspended' ? asked.pending : []
    if (item?.type !== 'question') throw new Error(JSON.stringify(asked))
    expect(item.question.message).toBe('How many pages?')
    expect((await server.store.getTask(server.begun[0] ?? ''))?.status).toBe('cancelled')

    const { id, digest } = item
    const content = { pages: 4 }
    const result = await run.resume(asked, [
      { type: 'answer', id, digest, action: 'accept', content },
    ])
    expect([result.status, read(result)]).toEqual([
      'final',
      '[from MCP server "reports"]\n{"pages":4}',
    ])
    expect(server.begun).toHaveLength(2)
  })

  test('a task that asks its user is cancelled if nobody can be asked', async () => {
    const server = taskServer({ timeoutMs: 60_000 }, true)
    const result = await runOf(server).start()
    expect(read(result)).toContain('the task asks its user, and nobody can be asked')
    expect((await server.store.getTask(server.begun[0] ?? ''))?.status).toBe('cancelled')
  })

  test('a connection that ends while a task is waited for leaves it pending', async () => {
    const server = taskServer({ timeoutMs: 60_000 })
    const source = server.open()
    const provider = createMock({ responses: [reply, 'Done.'] })
    const started = infer(provider, { query: 'Report.', sources: [source] })
    await expect.poll(() => server.methods).toContain('tasks/get')
    await source.close()
    expect(waitOf(await started).taskId).toBe(server.begun[0])
  })
})

// A run without an agent that waits for work of a tool is cancelled: the tool cancels the work.

import { mcpTools } from '@modelport/mcp'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, pending, type RunResult, type Tool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunFunction } from '../src/runs/execute-run.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { ReportServer } from './support/report-server.js'

/** A tool whose work continues elsewhere, and what it was asked to cancel. */
function reportTool(cancel: () => void = () => undefined) {
  const cancelled: string[] = []
  const tool = defineTool({
    name: 'report',
    description: 'Writes a report',
    execute: () => pending('job-1'),
    cancelPending: (taskId) => {
      cancel()
      cancelled.push(taskId)
    },
  })
  return { tool, cancelled }
}

const asking = (names: readonly string[]) =>
  createMock({
    defaultResponse: {
      toolCalls: names.map((name, index) => ({ id: `c${index}`, name })),
    },
  })

/** A run whose model calls all of the tools at once. */
const runOf =
  (tools: readonly Tool[]): RunFunction =>
  (run) =>
    infer(
      asking(tools.map(({ definition }) => definition.name)),
      run.request({ query: 'Report.', tools }),
    )

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let store: DurableStore
    beforeEach(async () => {
      store = createDurableStore(await open(), {})
    })
    afterEach(() => store.close())

    const leaveWaiting = async (execute: RunFunction): Promise<void> => {
      expect((await store.runs.run('r', execute)).status).toBe('suspended')
    }
    const ended = async (result: Promise<RunResult>) => {
      const { status, reason, uncertain } = (await result) as unknown as Record<string, unknown>
      return { status, reason, uncertain }
    }

    test('a cancelled run cancels the task at the MCP server that it waits for', async () => {
      const server = new ReportServer()
      const transport = { apiHosts: [], create: server.connect }
      const source = mcpTools({ name: 'reports', transport, timeoutMs: 1 })
      const execute: RunFunction = (run) =>
        infer(asking(['report']), run.request({ query: 'Report.', sources: [source] }))
      await leaveWaiting(execute)
      expect(await server.states()).toEqual(['working'])

      await store.runs.cancel('r', 'nobody reads it')
      expect((await store.runs.get('r')).status).toBe('ready')
      expect(await ended(store.runs.run('r', execute))).toEqual({
        status: 'cancelled',
        reason: 'nobody reads it',
        uncertain: undefined,
      })
      expect(await server.states()).toEqual(['cancelled'])
      await source.close()
    })

    test('a worker cancels the work of a run that was cancelled while no process was there', async () => {
      const { tool, cancelled } = reportTool()
      const definition = { name: 'reports', fingerprint: {}, execute: runOf([tool]) }
      await store.runs.start('r', definition)
      const first = store.runs.work([definition])
      expect((await store.runs.result('r')).status).toBe('suspended')
      await first.stop()

      await store.operations.cancel('r')
      expect(cancelled).toEqual([])
      const second = store.runs.work([definition])
      expect((await store.runs.result('r')).status).toBe('cancelled')
      expect(cancelled).toEqual(['job-1'])
      await second.stop()
    })

    test('a run that waits for work that nobody can cancel is over at once', async () => {
      const tool = defineTool({
        name: 'report',
        description: 'Writes a report',
        execute: () => pending('job-1'),
      })
      await leaveWaiting(runOf([tool]))
      await store.runs.cancel('r')
      expect((await store.runs.get('r')).status).toBe('cancelled')
    })

    test('a cancel reaches work that was left pending while another call of the run still works', async () => {
      const { tool, cancelled } = reportTool()
      let begin = (): void => undefined
      const hasBegun = new Promise<void>((resolve) => (begin = resolve))
      const slow = defineTool({
        name: 'slow',
        description: 'Takes long',
        execute: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error))
            begin()
          }),
      })
      const result = store.runs.run('r', runOf([tool, slow]))
      await hasBegun
      await store.runs.cancel('r')
      expect((await result).status).toBe('cancelled')
      expect(cancelled).toEqual(['job-1'])
    })

    test('a run that is cancelled at the moment it begins to wait is cancelled, and so is its work', async () => {
      const { tool, cancelled } = reportTool()
      const execute: RunFunction = async (run) => {
        const result = await runOf([tool])(run)
        if (!run.signal.aborted) await store.runs.cancel('r')
        return result
      }
      expect((await store.runs.run('r', execute)).status).toBe('cancelled')
      expect(cancelled).toEqual(['job-1'])
    })

    test('a run whose work could not be cancelled is cancelled again by the next process', async () => {
      let isAway = true
      const { tool, cancelled } = reportTool(() => {
        if (isAway) throw new Error('connection refused')
      })
      await leaveWaiting(runOf([tool]))
      await store.runs.cancel('r')
      await expect(store.runs.run('r', runOf([tool]))).rejects.toThrow('connection refused')
      expect((await store.runs.get('r')).status).toBe('ready')

      isAway = false
      expect((await store.runs.run('r', runOf([tool]))).status).toBe('cancelled')
      expect(cancelled).toEqual(['job-1'])
    })

    test('a run that has lost the tool reports the call whose work nobody can cancel', async () => {
      await leaveWaiting(runOf([reportTool().tool]))
      await store.runs.cancel('r', 'late')
      expect(await ended(store.runs.run('r', runOf([])))).toEqual({
        status: 'cancelled',
        reason: 'late',
        uncertain: [{ id: 'c0', name: 'report', idempotencyKey: expect.any(String) as string }],
      })
    })

    test('a function that does not begin once it is cancelled does not keep the run open', async () => {
      await leaveWaiting(runOf([reportTool().tool]))
      await store.runs.cancel('r')
      const stubborn: RunFunction = (run) => Promise.reject(run.signal.reason as Error)
      expect((await store.runs.run('r', stubborn)).status).toBe('cancelled')
    })
  })

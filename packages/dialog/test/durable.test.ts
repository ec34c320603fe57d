import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DurableRun, DurableStore } from '@modelport/durable'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { defineTool, pending, type RunResult } from '@modelport/runtime'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { JournaledRun } from '../src/call/journaled-run.js'
import { choice, Dialog, definePrompt } from '../src/index.js'
import { asks, callerOf, failureOf, recordingTool } from './call-tools.js'
import { leaseMs, reportWeather, type Weather, weatherCall } from './durable/report-weather.js'

const program = fileURLToPath(new URL('durable/report-weather.ts', import.meta.url))
const hooks = fileURLToPath(
  new URL('../../durable/test/support/typescript-hooks.mjs', import.meta.url),
)
const decide = definePrompt({ path: 'decide', text: 'Is {what}?', parse: choice(['yes', 'no']) })

async function openStore(
  file: string = join(temporaryFolder('dialog-durable'), 'store.db'),
): Promise<DurableStore> {
  const store = await openSqliteStore(file, { leaseMs })
  onTestFinished(() => store.close())
  return store
}

describe('an agent call that a durable store runs', () => {
  test('an agent call that a durable store runs is typed by its prompt from the run to the stored result', () => {
    expectTypeOf<DurableRun>().toExtend<JournaledRun>()
    const { agent, dialog } = weatherCall('', false)
    const run = (store: DurableStore) =>
      store.runs.run('id', (journal) => agent.call(dialog, { journal }))
    expectTypeOf(run).returns.resolves.toEqualTypeOf<RunResult<Weather>>()
  })

  test('an agent call that a durable store runs continues after its process was killed, without running a finished tool again', {
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder('dialog-killed')
    const [file, ledger] = [join(folder, 'store.db'), join(folder, 'ledger')]
    const child = spawn(process.execPath, ['--import', hooks, program, file, ledger], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readFileSync(ledger, 'utf8')).toBe('look\nmeasure\n')

    const store = await openStore(file)
    const call = weatherCall(ledger, false)
    const result = await reportWeather(store, call)
    expect(result).toMatchObject({
      status: 'final',
      runId: 'rome',
      output: { city: 'Rome', degrees: 28 },
    })
    // "measure" was cut off and may be repeated; "look" had its result.
    expect(readFileSync(ledger, 'utf8')).toBe('look\nmeasure\nmeasure\n')

    const dialog = call.dialog.follow(result.transcript)
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ])
    expect(dialog.toJson().prompts).toEqual([expect.objectContaining({ at: 1, path: 'weather' })])

    const again = await reportWeather(store, weatherCall(ledger, false))
    expect(again).toMatchObject({ status: 'final', output: { city: 'Rome', degrees: 28 } })
    // The refused reply and its correction; the stored result needed no request.
    expect(call.provider.requests).toHaveLength(2)
  })

  test('an agent call that a durable store runs is stored as it ended if it fails, and is not called again', async () => {
    const store = await openStore()
    const { caller, provider } = callerOf(['perhaps'], { limits: { maxParseRetries: 0 } })
    const call = () =>
      store.runs.run('id', (journal) =>
        caller.call(Dialog.seed().send(decide, { what: 'it' }), { journal }),
      )
    expect(await call()).toMatchObject({ status: 'limit', limit: 'parse-failures' })
    expect(await call()).toMatchObject({ status: 'limit', limit: 'parse-failures' })
    expect(provider.requests).toHaveLength(1)
  })

  test('an agent call that a durable store runs waits for a decision in the store, and continues with it', async () => {
    const store = await openStore()
    const { tool, calls } = recordingTool('send', () => 'sent')
    const { caller } = callerOf([asks('send'), 'yes'], {
      authorize: () => ({ effect: 'require-approval' }),
    })
    const dialog = Dialog.seed().send(decide.extend({ path: 'p', tools: [tool] }), { what: 'it' })
    const call = () => store.runs.run('id', (journal) => caller.call(dialog, { journal }))
    const waiting = await call()
    if (waiting.status !== 'suspended')
      throw new Error(`expected a run that waits, found ${waiting.status}`)
    const [item] = waiting.pending
    if (item?.type !== 'approval') throw new Error('expected a pending approval')
    await store.runs.decide('id', { type: 'approve', id: item.id, digest: item.digest })
    expect(await call()).toMatchObject({ status: 'final', output: 'yes' })
    expect(calls).toHaveLength(1)
  })

  test('an agent call that a durable store runs stays claimable if it is stopped while it waits for a recall, and gets no more recalls than were left', async () => {
    const store = await openStore()
    const overloaded = { error: 'overloaded' } as const
    const { caller, provider } = callerOf([overloaded, overloaded, overloaded, 'yes'], {
      limits: { maxRecalls: 2 },
      recallDelayMs: (attempt) => (attempt === 1 ? 300 : 0),
      reports: ({ kind }) =>
        kind === 'recall' ? stop.abort(new Error('the process ends')) : undefined,
    })
    const stop = new AbortController()
    const dialog = Dialog.seed().send(decide, { what: 'it' })
    const call = (signal?: AbortSignal) =>
      store.runs.run('id', (journal) => caller.call(dialog, { journal }), { signal })
    await expect(call(stop.signal)).rejects.toThrow('the process ends')
    expect((await store.runs.get('id')).status).toBe('ready')
    const failed = await call()
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'overloaded' } })
    expect(provider.requests).toHaveLength(3)
  })

  test('an agent call that a durable store runs stores the events of its run', async () => {
    const store = await openStore()
    const { caller } = callerOf(['yes'])
    await store.runs.run('id', (journal) =>
      caller.call(Dialog.seed().send(decide, { what: 'it' }), { journal }),
    )
    const types: string[] = []
    for await (const { type } of store.runs.events('id')) types.push(type)
    expect(types).toEqual(
      expect.arrayContaining([
        'step-start',
        'model-call-start',
        'text-delta',
        'model-call-end',
        'final',
      ]),
    )
  })

  test('an agent call that a durable store cancels lets its tools cancel the work that it waits for', async () => {
    const store = await openStore()
    const cancelled: string[] = []
    const report = defineTool({
      name: 'report',
      description: 'Writes a report',
      execute: () => pending('job-1'),
      cancelPending: (taskId) => void cancelled.push(taskId),
    })
    const { caller } = callerOf([{ toolCalls: [{ name: 'report' }] }])
    const ask = definePrompt({ path: 'ask', text: 'Report.', tools: [report] })
    const run = () =>
      store.runs.run('id', (journal) => caller.call(Dialog.seed().send(ask, {}), { journal }))
    expect((await run()).status).toBe('suspended')

    await store.runs.cancel('id')
    expect([(await run()).status, cancelled]).toEqual(['cancelled', ['job-1']])
  })

  test('an agent call that a durable store runs refuses options that say where to continue, because the run decides that', async () => {
    const store = await openStore()
    const { caller } = callerOf(['yes'])
    const dialog = Dialog.seed().send(decide, { what: 'it' })
    const error = await failureOf(
      store.runs.run('id', (journal) =>
        caller.call(dialog, { journal, messages: [], decisions: [] }),
      ),
    )
    expect(error).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining(
        'the journal is run "id", which says where the call continues; leave out messages, decisions',
      ),
    })
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DurableRun, DurableStore, WithRunResult } from '@modelport/durable'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { AgentCallError, choice, Dialog, definePrompt } from '../src/index.js'
import { asks, callerOf, failureOf, recordingTool } from './call-tools.js'
import { leaseMs, twoCalls } from './durable/two-calls.js'

const program = fileURLToPath(new URL('durable/two-calls.ts', import.meta.url))
const hooks = fileURLToPath(
  new URL('../../durable/test/support/typescript-hooks.mjs', import.meta.url),
)
const decide = definePrompt({ path: 'decide', text: 'Is {what}?', parse: choice(['yes', 'no']) })
const dialogOf = (what: string) => Dialog.seed().send(decide, { what })

async function openStore(
  file: string = join(temporaryFolder('dialog-calls'), 'store.db'),
): Promise<DurableStore> {
  const store = await openSqliteStore(file, { leaseMs })
  onTestFinished(() => store.close())
  return store
}

/** Ends the function of a run as if its process had been cut off there. */
const cut = (): never => {
  throw new Error('the process ends')
}

describe('several agent calls in one durable run', () => {
  test('several agent calls in one durable run continue in the second call after its process was killed there, without making the first again', {
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder('dialog-calls-killed')
    const [file, ledger] = [join(folder, 'store.db'), join(folder, 'ledger')]
    const child = spawn(process.execPath, ['--import', hooks, program, file, ledger], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readFileSync(ledger, 'utf8')).toBe(
      'look cities/look/9db769407589ae3a/0\nmeasure cities#2/measure/23192052cd1d2878/0\n',
    )

    const store = await openStore(file)
    const { run, provider } = twoCalls(ledger, false)
    const result = await run(store)
    expect(result).toMatchObject({ status: 'final', runId: 'cities', output: { degrees: 28 } })
    expect(readFileSync(ledger, 'utf8')).toBe(
      'look cities/look/9db769407589ae3a/0\nmeasure cities#2/measure/23192052cd1d2878/0\nmeasure cities#2/measure/23192052cd1d2878/0\n',
    )
    // Neither the first call nor the recorded turn of the second was asked for again: a refused
    // reply, and its correction.
    expect(provider.requests).toHaveLength(2)
    expect(result.transcript.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant'],
      ...['user', 'assistant', 'tool', 'assistant'],
    ])
    const seen: string[] = []
    for await (const event of store.runs.events('cities'))
      if (event.type === 'tool-result') seen.push(event.tool)
    expect(seen).toEqual(['look', 'measure'])
  })

  test('several agent calls in one durable run give the same values as before if the run is cut between two calls', async () => {
    const store = await openStore()
    const { caller, provider } = callerOf(['yes', 'no', 'yes'])
    const values: string[][] = []
    const run = (isCut: boolean) =>
      store.runs.run('id', async (journal) => {
        const first = await caller.call(dialogOf('first'), { journal })
        const second = await caller.call(dialogOf('second'), { journal })
        values.push([first.value, second.value])
        if (isCut) cut()
        return caller.call(second.dialog.send(decide, { what: 'third' }), { journal })
      })
    await expect(run(true)).rejects.toThrow('the process ends')
    await expect(run(true)).rejects.toThrow('the process ends')
    expect(await run(false)).toMatchObject({ status: 'final', output: 'yes' })
    expect(values).toEqual([
      ['yes', 'no'],
      ['yes', 'no'],
      ['yes', 'no'],
    ])
    expect(provider.requests).toHaveLength(3)
  })

  test('several agent calls in one durable run give the same failure as before, which the function may have caught', async () => {
    const store = await openStore()
    const { caller, provider } = callerOf(['perhaps', 'yes', 'no'], {
      limits: { maxParseRetries: 0 },
    })
    const codes: unknown[] = []
    const run = (isCut: boolean) =>
      store.runs.run('id', async (journal) => {
        const error = await failureOf(caller.call(dialogOf('first'), { journal }))
        codes.push([error.code, error.limit])
        const second = await caller.call(dialogOf('second'), { journal })
        if (isCut) cut()
        return caller.call(second.dialog.send(decide, { what: 'third' }), { journal })
      })
    await expect(run(true)).rejects.toThrow('the process ends')
    expect(await run(false)).toMatchObject({ status: 'final', output: 'no' })
    expect(codes).toEqual([
      ['protocol', 'parse-retries'],
      ['protocol', 'parse-retries'],
    ])
    expect(provider.requests).toHaveLength(3)
  })

  test('several agent calls in one durable run wait in the second call for a decision, and continue there', async () => {
    const store = await openStore()
    const { tool, calls } = recordingTool('send', () => 'sent')
    const { caller, provider } = callerOf(['yes', asks('send'), 'no'], {
      authorize: () => ({ effect: 'require-approval' }),
    })
    const send = decide.extend({ path: 'send', tools: [tool] })
    const run = () =>
      store.runs.run('id', async (journal) => {
        const { dialog } = await caller.call(dialogOf('first'), { journal })
        return caller.call(dialog.send(send, { what: 'second' }), { journal })
      })
    const waiting = await run()
    if (waiting.status !== 'suspended')
      throw new Error(`expected a run that waits, found ${waiting.status}`)
    expect(waiting.transcript.at(2)).toMatchObject({ role: 'user', content: 'Is second?' })
    const [item] = waiting.pending
    if (item?.type !== 'approval') throw new Error('expected a pending approval')
    await store.runs.decide('id', { type: 'approve', id: item.id, digest: item.digest })
    expect(await run()).toMatchObject({ status: 'final', output: 'no' })
    expect([calls.length, provider.requests.length]).toEqual([1, 3])
  })

  test('several agent calls in one durable run make the failed model call of the second again, and nothing else, if the run is opened again', async () => {
    const store = await openStore()
    const { caller, provider } = callerOf(['yes', { error: 'overloaded' }, 'no'])
    const run = () =>
      store.runs.run('id', async (journal) => {
        const { dialog } = await caller.call(dialogOf('first'), { journal })
        return caller.call(dialog.send(decide, { what: 'second' }), { journal })
      })
    expect(await run()).toMatchObject({ status: 'failed', error: { code: 'overloaded' } })
    await store.runs.reopen('id')
    expect(await run()).toMatchObject({ status: 'final', output: 'no' })
    expect(provider.requests).toHaveLength(3)
  })

  test.each<
    [
      string,
      (
        journal: DurableRun,
        caller: ReturnType<typeof callerOf>['caller'],
      ) => Promise<WithRunResult>,
      string,
    ]
  >([
    [
      'are made at the same time',
      async (journal, caller) => {
        const first = caller.call(dialogOf('first'), { journal })
        const error = await failureOf(caller.call(dialogOf('second'), { journal }))
        await first
        throw error
      },
      'call 1 of run "id": the call before it has not ended; await it first',
    ],
    [
      'follow one that was aborted',
      async (journal, caller) => {
        await failureOf(caller.call(dialogOf('first'), { journal, signal: AbortSignal.abort() }))
        return caller.call(dialogOf('second'), { journal })
      },
      'call 1 of run "id": the call before it was cancelled; let its error end the function of the run',
    ],
  ])(
    'several agent calls in one durable run are refused if they %s',
    async (_name, execute, message) => {
      const store = await openStore()
      const { caller } = callerOf(['yes', 'no'])
      const error = await failureOf(store.runs.run('id', (journal) => execute(journal, caller)))
      expect(error).toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining(message),
      })
    },
  )

  test('several agent calls in one durable run are refused if they are made in another order than before', async () => {
    const store = await openStore()
    const { caller } = callerOf(['yes', 'no'])
    const run = (...names: readonly string[]) =>
      store.runs.run('id', async (journal) => {
        for (const name of names) await caller.call(dialogOf(name), { journal })
        return cut()
      })
    await expect(run('first', 'second')).rejects.toThrow('the process ends')
    const error = await failureOf(run('second', 'first'))
    expect(error).toBeInstanceOf(AgentCallError)
    expect(error.message).toContain(
      'call 1 of run "id": its dialog is not the one it had before; a run must make the same calls in the same order',
    )
  })
})

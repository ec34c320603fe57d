// Claims, fences, mail and the journal's writes, with a loop that is driven by hand.
import type { RunResult } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { BodyCodec } from '../src/database/body-codec.js'
import type { Database } from '../src/database/database.js'
import type { DurableRun } from '../src/runs/execute-run.js'
import { RunTable } from '../src/runs/run-table.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { testDatabases } from './support/databases.js'
import { checkpoint, finalResult, toolIntent, toolReceipt } from './support/journal-entries.js'

// No slow machine misses it; the tests end leases themselves.
const leaseMs = 15_000
let ids = 0
const nextId = (): string => `run-${++ids}`
const pendingApproval = (id: string) =>
  ({
    type: 'approval',
    id,
    action: { type: 'tool_call', tool: 'pay', args: {} },
    digest: 'd',
  }) as const
const suspended = (id: string, run: DurableRun): Promise<RunResult> => {
  const at = checkpoint(run.id, 1, [pendingApproval(id)])
  return Promise.resolve(run.journal.writeCheckpoint(at, { keep: 0, add: [] })).then(
    () =>
      ({
        status: 'suspended',
        pending: at.pending,
        checkpoint: at,
        transcript: [],
        text: '',
      }) as unknown as RunResult,
  )
}

for (const { name, isMissing, open } of testDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let other: DurableStore
    let otherDatabase: Database
    beforeEach(async () => {
      ;[database, otherDatabase] = await Promise.all([open(), open()])
      store = createDurableStore(database, { leaseMs })
      other = createDurableStore(otherDatabase, { leaseMs })
    })
    afterEach(async () => {
      await Promise.all([store.close(), other.close()])
    })

    test('a run that is over returns its stored result in another process, without running again', async () => {
      const id = nextId()
      await store.runs.run(id, () => Promise.resolve(finalResult('done')))
      const again = await other.runs.run(id, () => Promise.reject(new Error('must not run')))
      expect(again).toMatchObject({
        status: 'final',
        text: 'done',
        transcript: [{ content: 'done' }],
      })
    })

    test('a function that returns another thing than a result is refused, and its run stays claimable', async () => {
      const id = nextId()
      for (const value of [
        'hello',
        { text: 'x' },
        { runResult: 'x' },
        undefined,
        null,
      ] as never[]) {
        const refused = {
          name: 'DurableError',
          reason: 'unsupported',
          message: expect.stringContaining('must return what infer returned') as string,
        }
        await expect(store.runs.run(id, () => Promise.resolve(value))).rejects.toMatchObject(
          refused,
        )
      }
      expect((await store.runs.run(id, () => Promise.resolve(finalResult('done')))).text).toBe(
        'done',
      )
    })

    test('a store that a block uses is closed at its end', async () => {
      const used = createDurableStore(await open(), {})
      {
        await using _ = used
        await used.ping()
      }
      await expect(used.ping()).rejects.toMatchObject({ reason: 'closed' })
    })

    test('two callers at once: one works, the other waits for its result', async () => {
      const id = nextId()
      let calls = 0
      const execute = async (): Promise<RunResult> => {
        calls++
        await new Promise((resolve) => setTimeout(resolve, 50))
        return finalResult('once')
      }
      const results = await Promise.all([store.runs.run(id, execute), other.runs.run(id, execute)])
      expect(results.map(({ text }) => text)).toEqual(['once', 'once'])
      expect(calls).toBe(1)
    })

    test('entries after the checkpoint come back in order, those before do not', async () => {
      const id = nextId()
      const cut = store.runs.run(id, async ({ journal }) => {
        await journal.writeIntent(toolIntent(id, 0))
        await journal.writeReceipt(toolReceipt(id, 0))
        await journal.writeCheckpoint(checkpoint(id, 1), {
          keep: 0,
          add: [{ role: 'user', content: 'a' }],
        })
        await Promise.all([
          journal.writeIntent(toolIntent(id, 1)),
          journal.writeIntent(toolIntent(id, 2)),
        ])
        throw new Error('cut')
      })
      await expect(cut).rejects.toThrow('cut')
      await other.runs.run(id, async ({ journal, resume, messages }) => {
        expect(resume?.step).toBe(1)
        expect(messages).toEqual([{ role: 'user', content: 'a' }])
        const tail = await journal.readTail(resume!)
        expect(tail?.entries).toEqual([toolIntent(id, 1), toolIntent(id, 2)])
        return finalResult('done')
      })
    })

    test('a compaction shortens the stored transcript', async () => {
      const id = nextId()
      const user = (content: string) => ({ role: 'user', content }) as const
      await store.runs
        .run(id, async ({ journal }) => {
          await journal.writeCheckpoint(checkpoint(id, 1), {
            keep: 0,
            add: [user('a'), user('b'), user('c')],
          })
          await journal.writeCheckpoint(checkpoint(id, 2), { keep: 1, add: [user('d')] })
          throw new Error('cut')
        })
        .catch(() => undefined)
      await store.runs.run(id, ({ messages }) => {
        expect(messages).toEqual([user('a'), user('d')])
        return Promise.resolve(finalResult('done'))
      })
    })

    test('a worker whose claim was taken over cannot write, and starts nothing', async () => {
      const id = nextId()
      let release = (): void => undefined
      const frozen = new Promise<void>((resolve) => (release = resolve))
      let claimed = (): void => undefined
      const isClaimed = new Promise<void>((resolve) => (claimed = resolve))
      const first = store.runs.run(id, async ({ journal }) => {
        claimed()
        // its lease is gone
        await database.write([{ sql: 'UPDATE runs SET due = 0 WHERE id = ?', params: [id] }])
        await frozen
        await journal.writeIntent(toolIntent(id, 0))
        throw new Error('must not get here')
      })
      first.catch(() => undefined)
      await isClaimed
      const second = other.runs.run(id, async ({ journal }) => {
        release()
        await expect(first).rejects.toMatchObject({ reason: 'fenced' })
        await journal.writeIntent(toolIntent(id, 0))
        return finalResult('second')
      })
      expect(await second).toMatchObject({ text: 'second' })
      expect(await other.runs.journal(id)).toHaveLength(1)
    })

    test('a suspended run returns its stored result until a decision comes, and the next call gets that decision', async () => {
      const id = nextId()
      expect(await store.runs.run(id, (run) => suspended('call-1', run))).toMatchObject({
        status: 'suspended',
      })
      const waits = await other.runs.run(id, () => Promise.reject(new Error('must not run')))
      expect(waits).toMatchObject({ status: 'suspended', pending: [{ id: 'call-1' }] })
      await other.runs.decide(id, { type: 'approve', id: 'call-1', digest: 'd' })
      await expect(store.runs.decide(id, { type: 'deny', id: 'call-1' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      await expect(store.runs.decide(id, { type: 'deny', id: 'other' })).rejects.toThrow(
        'it waits for: call-1',
      )
      const result = await store.runs.run(id, ({ decisions }) => {
        expect(decisions).toEqual([{ type: 'approve', id: 'call-1', digest: 'd' }])
        return Promise.resolve(finalResult('approved'))
      })
      expect(result.text).toBe('approved')
      await expect(store.runs.decide(id, { type: 'deny', id: 'call-1' })).rejects.toMatchObject({
        reason: 'finished',
      })
    })

    test('a decision that comes while the run suspends is applied at once', async () => {
      const id = nextId()
      let calls = 0
      const result = await store.runs.run(id, async (run) => {
        calls++
        if (calls === 2) {
          expect(run.decisions).toMatchObject([{ type: 'deny', id: 'call-1' }])
          return finalResult('denied')
        }
        const waiting = await suspended('call-1', run)
        await expect.poll(async () => (await other.runs.get(id)).checkpoint?.pending.length).toBe(1)
        await other.runs.decide(id, { type: 'deny', id: 'call-1' })
        return waiting
      })
      expect([result.text, calls]).toEqual(['denied', 2])
    })

    test('a suspended run with a deadline is run again after it', async () => {
      const id = nextId()
      const until = database.now() + 100
      await store.runs.run(id, async (run) => {
        const result = await suspended('call-1', run)
        const [item] = (result as unknown as { pending: object[] }).pending
        return { ...result, pending: [{ ...item, expiresAt: until }] } as unknown as RunResult
      })
      await expect
        .poll(() => other.runs.run(id, () => Promise.resolve(finalResult('expired'))))
        .toMatchObject({ text: 'expired' })
    })

    test('a cancel from another process stops new effects, and reports what may have happened', async () => {
      const id = nextId()
      const result = await store.runs.run(id, async ({ journal, signal }) => {
        await journal.writeIntent(toolIntent(id, 0))
        await other.runs.cancel(id, 'the user left')
        await expect(journal.writeIntent(toolIntent(id, 1))).rejects.toThrow('was cancelled')
        await expect.poll(() => signal.aborted).toBe(true)
        return {
          status: 'cancelled',
          reason: signal.reason,
          transcript: [],
          text: '',
        } as unknown as RunResult
      })
      expect(result).toMatchObject({ status: 'cancelled', reason: 'cancelled: the user left' })
      expect(result).toMatchObject({
        uncertain: [{ id: 'call-0', name: 'pay', idempotencyKey: `${id}/1/0` }],
      })
      expect((await store.runs.get(id)).status).toBe('cancelled')
    })

    test('a cancel of a waiting run needs no worker', async () => {
      const id = nextId()
      await store.runs.run(id, (run) => suspended('call-1', run))
      await other.runs.cancel(id, 'not needed')
      await other.runs.cancel(id)
      expect(
        await store.runs.run(id, () => Promise.reject(new Error('must not run'))),
      ).toMatchObject({
        status: 'cancelled',
        reason: 'not needed',
      })
    })

    const createRun = (id: string) =>
      new RunTable(database, new BodyCodec()).create({
        id,
        queue: '',
        version: '',
        fingerprint: null,
      })

    test('five claims in a row that store nothing stop the run with a named error', async () => {
      const id = nextId()
      await createRun(id)
      await database.write([
        // What a process that dies at once leaves behind.
        {
          sql: `UPDATE runs SET status = 'running', phase = 2, alone = 1, crashes = 6, progress = 0, due = 0 WHERE id = ?`,
          params: [id],
        },
      ])
      const result = await store.runs.run(id, () => Promise.reject(new Error('must not run')))
      expect(result).toMatchObject({
        status: 'failed',
        error: { reason: 'crash-loop', code: 'unknown' },
      })
      expect((await store.runs.get(id)).status).toBe('stopped')
    })

    test('a function that rejects leaves the run claimable, and is not counted as a crash', async () => {
      const id = nextId()
      for (let time = 0; time < 7; time++)
        await expect(store.runs.run(id, () => Promise.reject(new Error('defect')))).rejects.toThrow(
          'defect',
        )
      expect((await store.runs.run(id, () => Promise.resolve(finalResult('ok')))).text).toBe('ok')
    })

    test('a run that fails again and again keeps what it recorded once, and the store does not grow', async () => {
      const id = nextId()
      const failures = atSize(40, 1000)
      const counts = async (): Promise<Record<string, number>> => {
        const tables = ['runs', 'inbox', 'logs', 'entries', 'outbox', 'documents']
        const rows = await Promise.all(
          tables.map(
            async (table) =>
              [table, await database.read(`SELECT count(*) AS n FROM ${table}`)] as const,
          ),
        )
        return Object.fromEntries(rows.map(([table, [row]]) => [table, Number(row!['n'])]))
      }
      const fail = async (): Promise<void> => {
        const run = store.runs.run(id, async ({ journal }) => {
          const { entries } = (await journal.readTail({} as never))!
          if (entries.length === 0) {
            await journal.writeIntent(toolIntent(id, 0))
            await journal.writeReceipt(toolReceipt(id, 0))
          }
          throw new Error('defect')
        })
        await expect(run).rejects.toThrow('defect')
      }
      for (let time = 0; time < 3; time++) await fail()
      const early = await counts()
      for (let time = 3; time < failures; time++) await fail()
      expect(await counts()).toEqual(early)
      expect((await store.runs.journal(id)).map(({ entry }) => entry)).toEqual([
        'intent',
        'receipt',
      ])
      expect((await store.runs.run(id, () => Promise.resolve(finalResult('ok')))).text).toBe('ok')
    })

    test('the events of a run that waits for a decision end, and those after it continue behind them', async () => {
      const id = nextId()
      const typesFrom = async (from: number) => {
        const types: string[] = []
        for await (const { type } of other.runs.events(id, from)) types.push(type)
        return types
      }
      const event = (type: string) => ({ type, runId: id, step: 1 }) as never
      await store.runs.run(id, async (run) => {
        await run.sink.write(event('step-start'))
        await run.sink.write(event('run-suspended'))
        return suspended('call-1', run)
      })
      expect(await typesFrom(1)).toEqual(['step-start', 'run-suspended'])

      await other.runs.decide(id, { type: 'approve', id: 'call-1', digest: 'd' })
      const rest = typesFrom(3)
      await store.runs.run(id, async ({ sink }) => {
        await sink.write(event('final'))
        return finalResult('done')
      })
      expect(await rest).toEqual(['final'])
      expect(await typesFrom(1)).toEqual(['step-start', 'run-suspended', 'final'])
    })

    test('events are numbered without gaps over two processes, and a reader sees each once', async () => {
      const id = nextId()
      const event = (content: string) =>
        ({ type: 'llm-chunk', runId: id, step: 1, content, kind: 'text' }) as never
      const seen: string[] = []
      const reader = (async () => {
        await expect.poll(() => store.runs.get(id).catch(() => undefined)).toBeDefined()
        for await (const one of other.runs.events(id))
          seen.push(`${one.seq} ${(one as unknown as { content: string }).content}`)
      })()
      await store.runs
        .run(id, async ({ sink, journal }) => {
          for (const text of ['a', 'b', 'c']) await sink.write(event(text))
          await journal.writeIntent(toolIntent(id, 0))
          throw new Error('cut')
        })
        .catch(() => undefined)
      await other.runs.run(id, async ({ sink }) => {
        for (const text of ['d', 'e']) await sink.write(event(text))
        return finalResult('done')
      })
      await reader
      expect(seen).toEqual(['1 a', '2 b', '3 c', '4 d', '5 e'])
    })

    test("the caller's own signal stops the work, and the run stays claimable", async () => {
      const id = nextId()
      const controller = new AbortController()
      const stopped = store.runs.run(
        id,
        async ({ signal }) => {
          controller.abort(new Error('shutting down'))
          await Promise.resolve()
          return {
            status: 'cancelled',
            reason: signal.reason,
            transcript: [],
            text: '',
          } as unknown as RunResult
        },
        { signal: controller.signal },
      )
      await expect(stopped).rejects.toThrow('shutting down')
      expect((await other.runs.run(id, () => Promise.resolve(finalResult('later')))).text).toBe(
        'later',
      )
    })
  })

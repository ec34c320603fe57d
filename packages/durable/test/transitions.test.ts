// Each transition of a run is one transaction, a step is two, and no claim sorts or scans what
// waits.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type RunResult } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BodyCodec } from '../src/database/body-codec.js'
import type { Database, Statement } from '../src/database/database.js'
import { claimRun } from '../src/runs/claim.js'
import type { DurableRun } from '../src/runs/execute-run.js'
import { RunTable } from '../src/runs/run-table.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult, toolIntent } from './support/journal-entries.js'

const source = fileURLToPath(new URL('../src/', import.meta.url))

test('one function of each database opens transactions that write', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const opening = files.filter((file) =>
    /'BEGIN(?: IMMEDIATE)?'/.test(readFileSync(`${source}${file}`, 'utf8')),
  )
  expect(opening.sort()).toEqual(['postgres/transaction-text.ts', 'sqlite/sqlite-thread.ts'])
})

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let inner: Database
    let store: DurableStore
    let writes: (readonly Statement[])[] = []
    beforeEach(async () => {
      inner = await open()
      writes = []
      store = createDurableStore(counting(inner), {})
    })
    afterEach(() => inner.close())
    const counting = (database: Database): Database => ({
      lockRows: database.lockRows,
      write: (statements) => {
        writes.push(statements)
        return database.write(statements)
      },
      read: (sql, params) => database.read(sql, params),
      now: () => database.now(),
      notify: (key) => database.notify(key),
      watch: (key, onChange) => database.watch(key, onChange),
      close: () => database.close(),
    })
    const count = async (act: () => Promise<unknown>): Promise<number> => {
      const before = writes.length
      await act()
      return writes.length - before
    }
    const waiting = (id: string): RunResult => {
      const pending = [
        {
          type: 'approval',
          id: 'c',
          action: { type: 'tool_call', tool: 't', args: {} },
          digest: 'd',
        },
      ] as const
      return {
        status: 'suspended',
        pending,
        checkpoint: checkpoint(id, 1, pending),
        transcript: [],
        text: '',
      } as never
    }

    test('start, claim, end, decide, cancel and reopen are one transaction each', async () => {
      const { runs } = store
      const definition = {
        name: 'd',
        fingerprint: { v: 1 },
        execute: () => Promise.resolve(finalResult('done')),
      }
      expect(await count(() => runs.start('started', definition))).toBe(1)
      // Stored, claimed, ended.
      expect(await count(() => runs.run('a', () => Promise.resolve(finalResult('done'))))).toBe(3)
      const suspend = async (run: DurableRun): Promise<RunResult> => {
        const result = waiting(run.id)
        if (result.status === 'suspended')
          await run.journal.writeCheckpoint(result.checkpoint, { keep: 0, add: [] })
        return result
      }
      // The checkpoint and the end of the hold are one.
      expect(await count(() => runs.run('b', suspend))).toBe(3)
      expect(await count(() => runs.decide('b', { type: 'deny', id: 'c' }))).toBe(1)
      // Stored already, claimed, ended; the decision is taken with the end.
      expect(await count(() => runs.run('b', () => Promise.resolve(finalResult('done'))))).toBe(3)
      expect(await inner.read('SELECT count(*) AS n FROM inbox')).toEqual([{ n: 0 }])
      expect(await count(() => runs.run('c', suspend))).toBe(3)
      expect(await count(() => runs.cancel('c'))).toBe(1)
      await inner.write([{ sql: `UPDATE runs SET status = 'stopped' WHERE id = 'a'` }])
      expect(await count(() => runs.reopen('a'))).toBe(1)
    })

    const tool = defineTool({
      name: 'note',
      description: 'Notes',
      parameters: { type: 'object', properties: {} },
      execute: () => 'noted',
    })
    /** A run of so many steps with one tool call each. */
    const runSteps = (id: string, count: number) =>
      store.runs.run(id, (durable) =>
        infer(
          createMock({
            defaultResponse: ({ messages }) => {
              const step = messages.filter(({ role }) => role === 'assistant').length
              return step < count
                ? { toolCalls: [{ id: `c${step}`, name: 'note', arguments: { step } }] }
                : 'Done.'
            },
          }),
          durable.request({
            query: 'Go.',
            tools: [tool],
            limits: { maxSteps: 99, maxRepeats: 99, maxIdleSteps: 99 },
          }),
        ),
      )

    test('a step with a model call and a tool is at most 3 commits and 8 statements', async () => {
      const steps = 20
      await runSteps('short', 1)
      const [commits, statements] = [writes.length, writes.flat().length]
      // What nobody waits for is stored after 5 ms, and a slow machine may need longer between two
      // intents: the best of some runs counts.
      const costs: { commits: number; statements: number }[] = []
      for (
        let time = 0;
        time < 5 && !costs.some((one) => one.commits <= 3 && one.statements <= 8);
        time++
      ) {
        writes = []
        await runSteps(time === 0 ? 'long' : `long-${time}`, 1 + steps)
        costs.push({
          commits: (writes.length - commits) / steps,
          statements: (writes.flat().length - statements) / steps,
        })
      }
      expect(costs.at(-1)).toMatchObject({
        commits: expect.toSatisfy((found: number) => found <= 3) as number,
        statements: expect.toSatisfy((found: number) => found <= 8) as number,
      })
      // What is stored beyond what model and tool wrote, which is the transcript.
      const [row] = await inner.read(
        `SELECT sum(CASE WHEN kind = 'message' THEN 0 ELSE length(body) END) AS n FROM entries WHERE log LIKE '%:long'`,
      )
      expect(Number(row?.['n']) / (1 + steps)).toBeLessThan(3600)
    })

    test('a write of a run extends its lease when a sixth of it is over, and touches no column of an index before', async () => {
      const extensions = (): number =>
        writes.flat().filter(({ sql }) => sql.startsWith('UPDATE runs SET updated')).length
      await runSteps('fresh', 6)
      expect(writes.length).toBeGreaterThan(12)
      // The run ends once.
      expect(extensions()).toBe(0)
      const { now } = Date
      const late = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5000)
      const aged = store.runs.run('aged', async (durable) => {
        late.mockImplementation(() => now() + 10_000)
        await durable.journal.writeIntent(toolIntent('aged', 1))
        await durable.journal.writeIntent(toolIntent('aged', 2))
        return finalResult('done')
      })
      await aged.finally(() => late.mockRestore())
      expect(extensions()).toBe(1)
    })

    test('each stored body of a step is made into JSON once', async () => {
      const made = new Map<unknown, number>()
      const { stringify } = JSON
      const spy = vi
        .spyOn(JSON, 'stringify')
        .mockImplementation((...given: Parameters<typeof stringify>) => {
          const text = stringify(...given)
          made.set(text, (made.get(text) ?? 0) + 1)
          return text
        })
      try {
        await runSteps('once', 6)
      } finally {
        spy.mockRestore()
      }
      const bodies = writes
        .flat()
        .flatMap(({ params = [] }) => params.filter((one) => String(one).startsWith('{')))
      const step = bodies.filter((body) => /"step":[345]/.test(String(body)))
      expect(step.length).toBeGreaterThan(10)
      expect(
        step.filter((body) => made.get(body) !== 1).map((body) => [made.get(body), body]),
      ).toEqual([])
    })

    test('a claim reads the first row of an index, whatever waits', async () => {
      let claim: Statement | undefined
      const spying = counting(inner)
      await claimRun(
        {
          ...spying,
          write: (statements) => {
            claim = statements[0]
            return inner.write(statements)
          },
        },
        new BodyCodec(),
        { from: { queue: 'q', version: 'v' }, leaseMs: 1000, isAlone: true },
      )
      const chosen = /COALESCE\((\(.*\)), \(/s.exec(claim?.sql ?? '')?.[1] ?? ''
      // Planners look at the size of a table.
      const fill = Array.from({ length: 3000 }, (_, index) => ({
        id: `r${index}`,
        queue: index % 10 === 0 ? 'q' : 'other',
      }))
      const rows = new RunTable(inner, new BodyCodec())
      await inner.write(fill.map((one) => rows.insert({ ...one, version: 'v', fingerprint: null })))
      if (name === 'PostgreSQL') await inner.write([{ sql: 'ANALYZE runs' }])
      const explain = name === 'PostgreSQL' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'
      const params = ['q', 'v', 1, Date.now()]
      const text = chosen.slice(1, -1).replace(' FOR UPDATE SKIP LOCKED', '')
      const lines = await inner.read(`${explain} ${text}`, params)
      const shown = lines.map((line) => Object.values(line).join(' ')).join('\n')
      expect(shown).toContain('runs_due')
      expect(shown).not.toMatch(/Sort|TEMP B-TREE|Seq Scan|SCAN runs/)
    })
  })

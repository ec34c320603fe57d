// Each transition of a run is one transaction, a step is two, and no claim sorts or scans what
// waits.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type RunResult } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BodyCodec } from '../src/database/body-codec.js'
import type { Database, SqlValue, Statement } from '../src/database/database.js'
import { claimRun } from '../src/runs/claim.js'
import type { DurableRun } from '../src/runs/execute-run.js'
import { RunTable } from '../src/runs/run-table.js'
import {
  beginSession,
  type SessionStatus,
  type SessionTransitionName,
  sessionTransition,
  sessionTransitions,
} from '../src/runs/session-transitions.js'
import { type TransitionName, transition, transitions } from '../src/runs/transitions.js'
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

test('one file changes the rows of runs', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /UPDATE runs\b/.test(file.endsWith('.ts') ? readFileSync(`${source}${file}`, 'utf8') : ''),
  )
  expect(files).toEqual(['runs/transitions.ts'])
})

test('one file writes the rows of sessions', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?:UPDATE|INSERT INTO|DELETE FROM) sessions\b/.test(
      file.endsWith('.ts') ? readFileSync(`${source}${file}`, 'utf8') : '',
    ),
  )
  expect(files).toEqual(['runs/session-transitions.ts'])
})

test('the page shows every change of a session', () => {
  const page = readFileSync(new URL('../../../docs/durable.md', import.meta.url), 'utf8')
  const rows = Object.values(sessionTransitions).map(({ when, from, guard, then }) => {
    const before = from.map((one) => `\`${one}\``).join(', ')
    return `| ${when} | ${before} | ${guard?.says ?? ''} | ${then} |`
  })
  const table = ['| what happens | before | if | after |', '|---|---|---|---|', ...rows].join('\n')
  expect(page).toContain(table)
})

test('the page shows every change of a run', () => {
  const page = readFileSync(new URL('../../../docs/durable.md', import.meta.url), 'utf8')
  const rows = Object.values(transitions).map(({ when, from, guard, then }) => {
    const before = from.map((one) => `\`${one}\``).join(', ')
    return `| ${when} | ${before} | ${guard?.says ?? ''} | ${then} |`
  })
  const table = ['| what happens | before | if | after |', '|---|---|---|---|', ...rows].join('\n')
  expect(page).toContain(table)
})

type Columns = Readonly<Record<string, SqlValue>>

/** The same of sessions, whose turn `me` has if it is taken; and the turn afterwards. */
const sessionSettings: Readonly<
  Record<
    SessionTransitionName,
    {
      readonly values: Columns
      readonly sets?: Columns
      /** Columns of a taken session to which it does not happen. */
      readonly refuses?: Columns
      readonly after?: { readonly turn: string | null }
    }
  >
> = {
  'place a task': { values: {} },
  'add entries': {
    values: { first: 1, start: null, holder: 'me' },
    refuses: { turn: 'another' },
  },
  'take the turn': {
    values: { holder: 'me', until: 99, now: 9 },
    refuses: { turn: 'another' },
    after: { turn: 'me' },
  },
  lock: { values: {} },
  'hand on': { values: {}, after: { turn: null } },
  give: { values: { holder: 'me' }, refuses: { turn: 'another' }, after: { turn: null } },
  release: { values: { holder: 'me' }, refuses: { turn: 'another' }, after: { turn: null } },
  expire: { values: { now: 60 }, refuses: { until: 70 }, after: { turn: null } },
  delete: { values: {} },
}

/** For each change: values and columns that let it happen, and columns with which it does not. */
const settings: Readonly<
  Record<
    TransitionName,
    { readonly values: Columns; readonly sets?: Columns; readonly refuses?: Columns }
  >
> = {
  claim: {
    values: { now: 9, holder: 'h', pause: 1, until: 99, alone: 0 },
    sets: { due: 1 },
  },
  write: { values: { epoch: 3 }, sets: { epoch: 3 }, refuses: { epoch: 4 } },
  keep: { values: { epoch: 3, now: 9, until: 99 }, sets: { epoch: 3 }, refuses: { epoch: 4 } },
  end: {
    values: { epoch: 3, now: 9, result: null, phase: 1, status: 'finished' },
    sets: { epoch: 3 },
    refuses: { epoch: 4 },
  },
  wait: {
    values: { epoch: 3, now: 9, result: null, phase: 1, seen: 0, wake: null },
    sets: { epoch: 3 },
    refuses: { epoch: 4 },
  },
  'give back': { values: { epoch: 3, now: 9 }, sets: { epoch: 3 }, refuses: { epoch: 4 } },
  fail: {
    values: { epoch: 3, now: 9, later: 99, result: null },
    sets: { epoch: 3 },
    refuses: { epoch: 4 },
  },
  decide: { values: { checks: 2, now: 9 }, sets: { checks: 2 }, refuses: { checks: 3 } },
  cancel: {
    values: { now: 9, cancel: 'why', result: null, checks: 2, work: 0 },
    sets: { cancel: null, checks: 2 },
    refuses: { cancel: 'before' },
  },
  reopen: {
    values: { epoch: 3, now: 9, queue: 'q', version: 'w', fingerprint: 'null', accepts: 1 },
    sets: { epoch: 3 },
    refuses: { epoch: 4 },
  },
  'move to a version': { values: { now: 9, version: 'w' }, sets: { due: 1 } },
  'stop as damaged': {
    values: { epoch: 3, result: null },
    sets: { epoch: 3 },
    refuses: { epoch: 4 },
  },
  'end with its task': { values: { now: 9 } },
  'wait with its task': { values: { now: 9, wake: null } },
  'continue with its task': { values: { now: 9, later: 99, task: 't' } },
  'get the turn': { values: { due: 9 }, sets: { due: null }, refuses: { due: 8 } },
  'ask for the turn again': { values: { task: 't' } },
  'look earlier': {
    values: { time: 9 },
    sets: { phase: 3, due: 99 },
    refuses: { phase: 3, due: 8 },
  },
  'look later': {
    values: { now: 9, first: 1, longest: 5 },
    sets: { phase: 3, due: 1 },
    refuses: { phase: 3, due: 99 },
  },
  trim: { values: {} },
}
const statuses = ['ready', 'running', 'suspended', 'finished', 'cancelled', 'stopped'] as const

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

    test('each change happens to runs of its statuses, and if its condition holds', async () => {
      const table = new RunTable(inner, new BodyCodec())
      await inner.write([
        table.insert({ id: 'r', queue: 'q', version: 'v', fingerprint: null }),
        {
          sql: `INSERT INTO sessions (name, principal, agent, id, start, generation, places, turn) VALUES ('s', 'p', 'a', 's', 1, 'g', 1, 'another')`,
        },
        {
          sql: `INSERT INTO tasks (id, principal, agent, session, state, at, record, generation, place) VALUES ('t', 'p', 'a', 's', 'working', 1, '', 'g', 1)`,
        },
      ])
      const happens = async (
        name: TransitionName,
        status: string,
        columns: Columns,
      ): Promise<boolean> => {
        const { values } = settings[name]
        const row = { status, cancel: null, ...columns }
        await inner.write([
          {
            sql: `UPDATE runs SET ${Object.keys(row)
              .map((column) => `${column} = ?`)
              .join(', ')}`,
            params: Object.values(row),
          },
        ])
        // A row that is asked for as it was read has this status.
        const asked = { status, ...values, id: 'r' }
        return (await inner.write([{ ...transition(name, asked), expect: 1 }])).ok
      }
      for (const name of Object.keys(transitions) as TransitionName[]) {
        const { sets = {}, refuses } = settings[name]
        const { from } = transitions[name]
        for (const status of statuses) {
          const isOne = from.includes(status)
          expect([name, status, await happens(name, status, sets)]).toEqual([name, status, isOne])
          if (isOne && refuses)
            expect([name, status, await happens(name, status, refuses)]).toEqual([
              name,
              status,
              false,
            ])
        }
      }
    })

    test('each change happens to sessions of its statuses, and if its condition holds', async () => {
      const life = { name: 's', principal: 'p', agent: 'a', id: 's', generation: 'new' }
      const happens = async (
        name: SessionTransitionName,
        status: SessionStatus,
        columns: Columns,
      ): Promise<boolean> => {
        await inner.write([{ sql: 'DELETE FROM sessions' }])
        const row = { ...life, generation: 'old', start: 1, places: 1, ...columns }
        const filled = status === 'taken' ? { turn: 'me', until: 50, ...row } : row
        if (status !== 'absent')
          await inner.write([
            {
              sql: `INSERT INTO sessions (${Object.keys(filled).join(', ')}) VALUES (${Object.keys(
                filled,
              )
                .map(() => '?')
                .join(', ')})`,
              params: Object.values(filled),
            },
          ])
        const { values } = sessionSettings[name]
        const statement = sessionTransitions[name].from.includes('absent')
          ? beginSession(name, { ...life, ...values })
          : sessionTransition(name, { where: 'name = ?', params: ['s'] }, values)
        const { ok } = await inner.write([{ ...statement, expect: 1 }])
        if (!ok) return false
        const [after] = await inner.read('SELECT * FROM sessions')
        // Each life has a generation of its own, and keeps it.
        expect([name, status, after?.['generation']]).toEqual([
          name,
          status,
          name === 'delete' ? undefined : status === 'absent' ? 'new' : 'old',
        ])
        const { turn } = sessionSettings[name].after ?? {}
        if (turn !== undefined)
          expect([name, status, after?.['turn']]).toEqual([name, status, turn])
        return true
      }
      for (const name of Object.keys(sessionTransitions) as SessionTransitionName[]) {
        const { sets = {}, refuses } = sessionSettings[name]
        const { from } = sessionTransitions[name]
        for (const status of ['absent', 'free', 'taken'] as const) {
          const isOne = from.includes(status)
          expect([name, status, await happens(name, status, sets)]).toEqual([name, status, isOne])
          if (status === 'taken' && refuses)
            expect([name, status, await happens(name, status, refuses)]).toEqual([
              name,
              status,
              false,
            ])
        }
      }
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

// What a program without a compiler, or with a value of `process.env`, gives to the methods of a
// store.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../src/postgres/postgres.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { finalResult } from './support/journal-entries.js'

const done = () => Promise.resolve(finalResult('done'))
const definition = { name: 'job', fingerprint: { v: 1 }, execute: done }

type Call = (...given: readonly unknown[]) => Promise<unknown>
/** A store, as JavaScript sees it. */
interface Untyped {
  readonly operations: Readonly<Record<'prune' | 'list' | 'resume' | 'cancel' | 'decide', Call>>
  readonly runs: Readonly<Record<'run' | 'start' | 'get' | 'decide', Call>> & {
    readonly events: (...given: readonly unknown[]) => AsyncGenerator
  }
  readonly work: Call
}

/** Calls that are refused, each with what the message says. */
const calls: readonly (readonly [string, (store: Untyped) => unknown, string])[] = [
  [
    'a time as text',
    ({ operations }) => operations.prune({ before: '30d' }),
    'before must be a whole number between -8640000000000000 and 8640000000000000, not "30d"',
  ],
  [
    'a date as text',
    ({ operations }) => operations.prune({ before: '2020-01-01' }),
    'not "2020-01-01"',
  ],
  [
    'text in a dry run',
    ({ operations }) => operations.prune({ before: 'yesterday', dryRun: true }),
    'not "yesterday"',
  ],
  ['NaN as a time', ({ operations }) => operations.prune({ before: Number.NaN }), 'not NaN'],
  [
    'a time that no Date has',
    ({ operations }) => operations.prune({ before: 1e300 }),
    'not 1e+300',
  ],
  [
    'a Date as a time',
    ({ operations }) => operations.prune({ before: new Date(0) }),
    'not "1970-01-01T',
  ],
  ['no time', ({ operations }) => operations.prune({}), '8640000000000000, not null'],
  ['no options', ({ operations }) => operations.prune(), 'before must be'],
  [
    'a mistyped dryRun',
    ({ operations }) => operations.prune({ before: Date.now() + 1000, dryrun: true }),
    'operations.prune: unknown setting "dryrun"; did you mean "dryRun"?',
  ],
  [
    'text as dryRun',
    ({ operations }) => operations.prune({ before: 0, dryRun: 'yes' }),
    'dryRun must be true or false',
  ],
  [
    'a mistyped what',
    ({ operations }) => operations.prune({ before: 0, what: 'peices' }),
    'what must be one of all, pieces, not "peices"',
  ],
  [
    'a mistyped state',
    ({ operations }) => operations.list({ state: 'finishd' }),
    'state must be one of submitted',
  ],
  [
    'a limit as text',
    ({ operations }) => operations.list({ limit: '5' }),
    'limit must be a whole number',
  ],
  ['a number as id', ({ operations }) => operations.resume(5), 'id must be text, not 5'],
  [
    'a mistyped decision',
    ({ operations }) => operations.decide('r', { type: 'hapened' }),
    'type must be one of',
  ],
  [
    'no result',
    ({ operations }) => operations.decide('r', { type: 'happened' }),
    'result must be text, not undefined',
  ],
  ['no id', ({ runs }) => runs.run(undefined, done), 'id must be text, not undefined'],
  ['no function', ({ runs }) => runs.run('r'), 'execute must be a function'],
  [
    'a mistyped signal',
    ({ runs }) => runs.run('r', done, { signall: 1 }),
    'did you mean "signal"?',
  ],
  [
    'no definition',
    ({ runs }) => runs.start('r'),
    'the definition of a run: name must be text, not undefined',
  ],
  [
    'a fingerprint as text',
    ({ runs }) => runs.start('r', { ...definition, fingerprint: 'v1' }),
    'fingerprint must be',
  ],
  ['an id that is not text', ({ runs }) => runs.get({}), 'id must be text, not an object'],
  [
    'a decision as text',
    ({ runs }) => runs.decide('r', 'approve'),
    'decision must be settings by name',
  ],
  [
    'NaN as a position',
    ({ runs }) => runs.events('r', Number.NaN).next(),
    'from must be a whole number',
  ],
  [
    'a time as text',
    (store) => store.work({ maxMs: '50000' }),
    'work: maxMs must be a number of at least 0',
  ],
  ['NaN as a count', (store) => store.work({ maxTasks: Number.NaN }), 'maxTasks must be'],
  [
    'a mistyped option',
    (store) => store.work({ run: [definition] }),
    'unknown setting "run"; did you mean "runs"?',
  ],
]

const openers: readonly (readonly [string, (options: never) => Promise<unknown>])[] = [
  ['openSqliteStore', (options) => openSqliteStore(':memory:', options)],
  ['openPostgresStore', (options) => openPostgresStore('postgres://127.0.0.1:1/x', options)],
]

test.each(openers)(
  '%s refuses settings of another type or out of range before it opens anything',
  async (opener, opens) => {
    const open = (options: object) => opens(options as never)
    const of = (name: string, text: string) => ({
      code: 'config',
      message: expect.stringContaining(`${opener}: ${name} must be ${text}`) as string,
    })
    for (const leaseMs of ['2000', Number.NaN, 999, 3_600_001, 1500.5, null])
      await expect(open({ leaseMs })).rejects.toMatchObject(
        of('leaseMs', 'a whole number between 1000 and 3600000'),
      )
    await expect(open({ create: 'false' })).rejects.toMatchObject(
      of('create', 'true or false, not "false"'),
    )
    await expect(open({ leasems: 2000 })).rejects.toThrow('did you mean "leaseMs"?')
    for (const encryptionKey of ['', 'k'.repeat(32), null, new Uint8Array(16)]) {
      const refused = open({ encryptionKey })
      await expect(refused).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining('encryptionKey must be 32 bytes') as string,
      })
      await expect(refused).rejects.not.toThrow('kkk')
    }
  },
)

test('openPostgresStore refuses numbers out of range, and names of a schema that PostgreSQL does not take', async () => {
  const open = (options: object) => openPostgresStore('postgres://127.0.0.1:1/x', options)
  for (const connections of ['10', 0, 1.5, Number.NaN])
    await expect(open({ connections })).rejects.toThrow(
      'connections must be a whole number between 1 and 10000',
    )
  for (const reconnectMs of ['1000', -1, Number.NaN])
    await expect(open({ reconnectMs })).rejects.toThrow(
      'reconnectMs must be a whole number of at least 0',
    )
  for (const schema of ['', 'pg_x', 'a"b', 'a\0b', 'x'.repeat(64), 5])
    await expect(open({ schema })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('schema must be a name') as string,
    })
})

test('openSqliteStore refuses an empty path, which SQLite would keep nowhere', async () => {
  for (const path of ['', undefined, 5] as string[])
    await expect(openSqliteStore(path)).rejects.toThrow('path must be the name of a file')
})

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let store: DurableStore
    beforeAll(async () => {
      store = createDurableStore(await open(), {})
      await store.runs.run('over', done)
    })
    afterAll(() => store.close())

    test.each(calls)('%s is refused by name, and nothing is removed', async (_, call, message) => {
      const kind = message.includes('did you mean')
        ? { name: 'TypeError' }
        : { name: 'LlmError', code: 'config' }
      await expect(Promise.resolve(store as unknown as Untyped).then(call)).rejects.toMatchObject(
        kind,
      )
      await expect(Promise.resolve(store as unknown as Untyped).then(call)).rejects.toThrow(message)
      expect(await store.operations.list({ all: true })).toMatchObject([
        { id: 'over', state: 'finished' },
      ])
    })

    test('a worker is refused settings of another form before it claims anything', () => {
      const work = (options: object) => () => store.runs.work([definition], options)
      expect(work({ concurrency: Number.NaN })).toThrow(
        'runs.work: concurrency must be a whole number of at least 1, not NaN',
      )
      expect(work({ concurency: 2 })).toThrow('did you mean "concurrency"?')
    })
  })

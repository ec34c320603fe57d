// The same history in memory and on a stored database: it has to be the same.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../src/database/database.js'
import { migrate } from '../../src/database/schema.js'
import { historyOf } from './history.js'
import { moves } from './moves.js'
import { play, type Verdict } from './play.js'
import type { StoredRows } from './stored-rows.js'
import { MemoryRows, type Rows } from './virtual-database.js'

/** A database in memory whose tables are made, as those of the others are. */
export async function madeRows(): Promise<Rows> {
  const rows = new MemoryRows()
  const database: Database = {
    lockRows: '',
    read: (sql, params) => Promise.resolve(rows.read(sql, params)),
    write: (statements) => Promise.resolve(rows.write(statements)),
    now: () => Date.now(),
    notify: () => undefined,
    watch: () => () => undefined,
    close: () => Promise.resolve(),
  }
  await migrate(database, 'a store')
  // What is ready meanwhile happens before the reply, as it does while a driver works.
  const late = async <Value>(run: () => Value): Promise<Value> => {
    for (let turn = 0; turn < 8; turn++) await nextTurn()
    return run()
  }
  return {
    lockRows: '',
    read: (sql, params) => late(() => rows.read(sql, params)),
    write: (statements) => late(() => rows.write(statements)),
    text: () => rows.text(),
    close: () => rows.close(),
  }
}

/** What differs, one sentence each. */
export async function differences(seed: number, stored: StoredRows): Promise<readonly string[]> {
  const history = historyOf(seed, moves)
  const expected = await play(history, {}, { desk: await madeRows(), bank: await madeRows() })
  const found = await play(history, {}, await stored.open())
  const differing = (name: string, linesOf: (verdict: Verdict) => readonly string[]) => {
    const [one, other] = [linesOf(expected), linesOf(found)]
    const place = other.findIndex((line, index) => line !== one[index])
    if (place < 0 && one.length === other.length) return []
    const at = place < 0 ? other.length : place
    return [`${name} ${at} is ${other[at] ?? 'missing'}, and in memory ${one[at] ?? 'missing'}`]
  }
  const textsOf = (values: readonly unknown[] = []): readonly string[] =>
    values.map((value) => JSON.stringify(value))
  return [
    ...differing('wrong', ({ wrong }) => wrong),
    ...differing('line of the trace', ({ trace }) => trace),
    ...differing('line of the ledger', ({ evidence }) => textsOf(evidence?.ledger)),
    ...differing('task', ({ evidence }) => textsOf(evidence?.tasks).toSorted()),
  ]
}

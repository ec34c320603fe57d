// A database that is cut off at one of its writes, as its process would be by kill -9.
import type { Database } from '../../src/database/database.js'

/** Where the process ends: at which write, and whether that write is still committed. */
export interface Cut {
  readonly at: number
  readonly commits: boolean
}

/** The database as a process sees it that ends at the cut: every transaction counts. */
export function dyingDatabase(
  inner: Database,
  { at, commits }: Cut,
): { database: Database; isDead(): boolean; die(): void; idle(): Promise<void> } {
  let writes = 0
  const sent = new Set<Promise<unknown>>()
  const isDead = (): boolean => writes >= at
  const refuse = (): Promise<never> => Promise.reject(new Error('the process ended here'))
  const read = <Result>(run: () => Promise<Result>): Promise<Result> =>
    isDead() ? refuse() : run()
  const send = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = run()
    sent.add(result)
    const remove = (): unknown => sent.delete(result)
    void result.then(remove, remove)
    return result
  }
  const write = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (isDead()) return refuse()
    if (++writes < at) return send(run)
    if (commits) await send(run)
    return refuse()
  }
  return {
    isDead,
    die: () => void (writes = Infinity),
    // What it had sent to the server arrives nevertheless.
    idle: async () => {
      await Promise.allSettled(sent)
    },
    database: {
      lockRows: inner.lockRows,
      write: (statements) => write(() => inner.write(statements)),
      read: (sql, params) => read(() => inner.read(sql, params)),
      now: () => inner.now(),
      notify: (key) => {
        if (!isDead()) inner.notify(key)
      },
      watch: (key, onChange) => inner.watch(key, onChange),
      close: () => Promise.resolve(),
    },
  }
}

import type { openSqliteStore } from '@modelport/durable/sqlite'
import type { Context } from '@restatedev/restate-sdk'

type Store = Awaited<ReturnType<typeof openSqliteStore>>
type Run = Parameters<Store['runs']['run']>[1]

/**
 * A handler that continues the run of an id: Restate may call it as often as it likes, and keeps
 * nothing but the state of the run.
 */
export const createContinue =
  (store: Store, work: (id: string) => Run) =>
  async (context: Context, id: string): Promise<string> => {
    for (;;) {
      const { status, waitMs } = await context.run('continue', async () => {
        // Restate gave this attempt up: the run goes back to the store.
        const { status } = await store.runs.run(id, work(id), {
          signal: context.request().attemptCompletedSignal,
        })
        const { due } = await store.runs.get(id)
        return {
          status,
          waitMs:
            status === 'suspended' && due !== undefined ? Math.max(0, due - Date.now()) : null,
        }
      })
      // A run that waits for a person is woken by whoever stores the decision; one that waits for a
      // time, by Restate.
      if (waitMs === null) return status
      await context.sleep(waitMs)
    }
  }

import type { Effect, Engine, EngineWait, Performed } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'

/** What is used of the class `DBOS` of `@dbos-inc/dbos-sdk` 5. */
export interface Dbos {
  /** Executes a step once, and remembers its value. */
  runStep<Value>(work: () => Promise<Value>, config: { name: string }): Promise<Value>
  /** Takes the next message on a topic; null after so many seconds. */
  recv<Value>(topic: string, timeoutSeconds: number): Promise<Value | null>
  /** Shows a value of the workflow to whoever asks for it. */
  setEvent(key: string, value: unknown): Promise<void>
}

/** Where a run on DBOS shows what it waits for, and takes decisions: an event, and a topic. */
export const dbosTopic = 'modelport'

/** The event {@link dbosTopic} of a workflow: what it waits for. Empty: nothing. */
export type DbosPending = readonly PendingItem[]

/** DBOS waits at most so long at a time; a wait without an end is taken up again. */
const longestWaitSeconds = 24 * 60 * 60

/**
 * Runs the effects of `infer` as steps of a DBOS workflow. Make one in each call of the workflow's
 * function, with the workflow's id as the `runId`:
 *
 * ```ts
 * const payInvoice = DBOS.registerWorkflow(
 *   (id: string) =>
 *     infer(provider, {
 *       query: `Pay ${id}.`,
 *       tools,
 *       durable: { runId: DBOS.workflowID, engine: dbosEngine(DBOS) },
 *     }),
 *   { name: 'payInvoice' },
 * )
 * ```
 *
 * While it waits, the event `modelport` of the workflow has the pending items
 * (`DBOS.getEvent(id, dbosTopic)`); `DBOS.send(id, decision, dbosTopic)` decides.
 */
export function dbosEngine(dbos: Dbos): Engine {
  // Each call of the workflow's function is another try: a step that an earlier one had begun, and
  // that has no result, may have had its effect.
  const own = crypto.randomUUID()
  return {
    async perform(effect: Effect): Promise<Performed> {
      const { label } = effect
      const begunBy = await dbos.runStep(() => Promise.resolve(own), { name: `begin ${label}` })
      return dbos.runStep(() => effect.execute({ first: begunBy === own }), { name: label })
    },

    async wait({ pending, until }: EngineWait): Promise<readonly ResumeDecision[]> {
      await dbos.setEvent(dbosTopic, pending satisfies DbosPending)
      const decision = await receive(dbos, until)
      await dbos.setEvent(dbosTopic, [] satisfies DbosPending)
      return decision ? [decision] : []
    },
  }
}

async function receive(dbos: Dbos, until: number | undefined): Promise<ResumeDecision | null> {
  if (until === undefined) return dbos.recv<ResumeDecision>(dbosTopic, longestWaitSeconds)
  // When the wait began is a fact of the run: a replay must not wait longer.
  const now = await dbos.runStep(() => Promise.resolve(Date.now()), { name: 'now' })
  return dbos.recv<ResumeDecision>(dbosTopic, Math.max(0, (until - now) / 1000))
}

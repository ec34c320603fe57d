import type { Engine, EngineWait } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'
import { fromMessage } from './decision-message.js'
import { type EngineStep, inTwoSteps, millisecondsTo } from './two-steps.js'

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
  const step: EngineStep = (name, work) => dbos.runStep(work, { name })
  return {
    perform: inTwoSteps(step),

    async wait({ pending, until }: EngineWait): Promise<readonly ResumeDecision[]> {
      await dbos.setEvent(dbosTopic, pending satisfies DbosPending)
      const seconds =
        until === undefined ? longestWaitSeconds : (await millisecondsTo(until, step)) / 1000
      const decision = await dbos.recv<ResumeDecision>(dbosTopic, seconds)
      await dbos.setEvent(dbosTopic, [] satisfies DbosPending)
      return decision ? [fromMessage(decision, pending)] : []
    },
  }
}

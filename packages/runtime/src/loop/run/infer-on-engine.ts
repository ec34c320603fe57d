import { configError } from '@modelport/core'
import { EngineStop } from '../../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../../journal/pending-item.js'
import { ResumeError } from '../../journal/resume-error.js'
import type { InferRequest } from '../request/run-request.js'
import type { RunResult } from '../result/run-result.js'
import { checkDecisions } from '../state/resume.js'

/**
 * Runs on an engine until nothing waits any more. Each wait continues the run in this process: at a
 * replay it is recorded like everything else.
 * @throws {LlmError} `config` — the run has no id, or a journal as well; what the engine throws.
 */
export async function inferOnEngine(
  request: InferRequest,
  run: (request: InferRequest) => Promise<RunResult>,
): Promise<RunResult> {
  const { durable: { engine, runId, journal } = {} } = request
  if (journal) throw configError('durable: give a journal or an engine, not both')
  if (runId === undefined)
    throw configError('durable.engine needs a runId: the same one whenever the engine calls again')
  const wait = engine?.wait?.bind(engine)
  let waits = 0
  try {
    let asked = request
    for (;;) {
      const result = await run(asked)
      if (result.status !== 'suspended' || !wait) return result
      const { checkpoint, pending, transcript } = result
      const decisions = await decisionsOf(pending, (until) =>
        wait({
          // After a decision that fits nothing it is another wait: what was recorded stays so.
          key: `${runId}/wait/${++waits}`,
          pending,
          ...(until !== undefined && { until }),
        }),
      )
      const { query: _query, ...rest } = asked
      asked = {
        ...rest,
        ...(!rest.history && { messages: transcript.slice(0, checkpoint.transcript.length) }),
        durable: { ...request.durable, runId, resume: checkpoint, decisions },
      }
    }
  } catch (error) {
    if (error instanceof EngineStop) throw error.error
    throw error
  }
}

/** Waits until somebody decided something that fits, or an approval expired. */
async function decisionsOf(
  pending: readonly PendingItem[],
  wait: (until: number | undefined) => Promise<readonly ResumeDecision[]>,
): Promise<readonly ResumeDecision[]> {
  const ends = pending.flatMap((item) =>
    item.type === 'approval' && item.expiresAt !== undefined ? [item.expiresAt] : [],
  )
  const until = ends.length ? Math.min(...ends) : undefined
  for (;;) {
    const decisions = (await wait(until)).filter((one) => fits(pending, one))
    if (decisions.length) return decisions
    if (until === undefined) continue
    return pending.flatMap((item): readonly ResumeDecision[] =>
      item.type === 'approval' && (item.expiresAt ?? Infinity) <= until
        ? [{ type: 'expire', id: item.id }]
        : [],
    )
  }
}

/** False for a decision about something else: nobody may end a run by a wrong message. */
function fits(pending: readonly PendingItem[], decision: ResumeDecision): boolean {
  try {
    checkDecisions(pending, [decision])
    return true
  } catch (error) {
    if (error instanceof ResumeError) return false
    throw error
  }
}

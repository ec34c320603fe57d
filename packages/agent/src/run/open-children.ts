import type { PendingItem, RunCheckpoint } from '@modelport/runtime'
import type { Agent } from './agent.js'
import { type ChildOutcome, type ChildWaits, isBound, resultOfFailed } from './sub-agent.js'
import type { Turn } from './turn.js'
import { whileAway } from './while-away.js'

/** A child that cannot be asked waits, as far as anybody knows. */
const unknownChild = (taskId: string): ChildOutcome => ({
  status: 'waiting',
  taskId,
  requests: [],
})

/**
 * Asks for the state of the children that a stored run waits for, unless their results are known:
 * the process that delegated to them may have died before it stored their questions.
 *
 * @param waits gets those that wait
 * @returns the results that are known, with those of children that are over
 */
export async function openChildren(
  { settings }: Agent,
  resume: RunCheckpoint | undefined,
  known: Turn['results'],
  waits: ChildWaits,
  signal: AbortSignal,
  patienceMs: number,
): Promise<Turn['results']> {
  const results = new Map(known)
  for (const item of resume?.pending ?? []) {
    if (item.type !== 'task' || results.has(item.id) || item.action.type !== 'agent_call') continue
    const { agent } = item.action
    const target = settings.agents?.find(({ name }) => name === agent)
    if (!target || !isBound(target)) continue
    const ask = (): Promise<ChildOutcome> => target.continueChild(item.taskId, [], signal)
    const reached = await whileAway(ask, patienceMs, signal)
    // It is asked again with the next message, or when its caller looks.
    const outcome = 'value' in reached ? reached.value : unknownChild(item.taskId)
    if (outcome.status === 'done') results.set(item.id, { result: outcome.result })
    else if (outcome.status === 'failed') results.set(item.id, resultOfFailed(outcome))
    else waits.set(item.id, { agent, taskId: outcome.taskId, requests: outcome.requests })
  }
  return results
}

/**
 * Adds the children to which an earlier process delegated, and this one did not, with what they
 * ask. A child that is over by now, or cannot be reached, asks nothing; it is looked at again when
 * its caller is.
 */
export async function addInheritedChildren(
  { settings }: Agent,
  pending: readonly PendingItem[],
  waits: ChildWaits,
  signal: AbortSignal,
): Promise<void> {
  for (const item of pending) {
    if (item.type !== 'task' || item.action.type !== 'agent_call' || waits.has(item.id)) continue
    const { id, taskId, action } = item
    const { agent } = action
    const target = settings.agents?.find(({ name }) => name === agent)
    const found =
      target && isBound(target)
        ? await target.lookAtChild(taskId, signal).catch(() => undefined)
        : undefined
    const requests = found?.status === 'waiting' ? found.requests : []
    waits.set(id, { agent, taskId, requests })
  }
}

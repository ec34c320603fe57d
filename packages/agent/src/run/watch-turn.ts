import { inSlot, slotOf } from '@modelport/core'
import type { TurnEnd } from './task-runner.js'
import type { Turn } from './turn.js'

/**
 * Publishes the work on one message of a task in the slot `modelport:task`, if anybody subscribes.
 */
export function watchTurn(turn: Turn, work: (turn: Turn) => Promise<TurnEnd>): Promise<TurnEnd> {
  const slot = slotOf('task')
  if (!slot?.hasSubscribers) return work(turn)
  const { taskId, sessionId } = turn.run
  return inSlot(
    slot,
    { taskId, sessionId, name: turn.agent.name, message: turn.message },
    (report) =>
      work({
        ...turn,
        write: (...events) => {
          for (const event of events) report?.(event)
          return turn.write(...events)
        },
      }),
  )
}

import { inSlot, slotOf } from '@modelport/core'
import type { RunResult } from '../result/run-result.js'
import type { Uses } from '../state/run-state.js'

/** True if anybody subscribes to runs. */
const isWatched = (): boolean => slotOf('run')?.hasSubscribers === true

/** Publishes a run in the slot `modelport:run`, with its events and its result. */
export function watchRun(
  state: Uses<'request' | 'models' | 'tools' | 'conversation' | 'events'>,
  work: () => Promise<RunResult>,
): Promise<RunResult> {
  if (!isWatched()) return work()
  const { request, models, conversation } = state
  const { name, model } = models.provider
  const { system } = request
  const about = {
    runId: request.runId,
    name: request.observe.agentName,
    provider: name,
    model,
    system,
    messages: conversation.transcript.messages,
  }
  return inSlot(
    slotOf('run'),
    { ...about, options: request.options, tools: state.tools.definitions },
    (report) => {
      state.events.report = report
      return work()
    },
  )
}

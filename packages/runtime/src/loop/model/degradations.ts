import { isLlmError, type LlmError } from '@modelport/core'
import { describeRefusal, isFormatRefusal } from '../../output/format-refusal.js'
import { lastFormatLevel, type PromptPlan } from '../../reply/prompt-plan.js'
import { isToolRefusal } from '../../reply/tool-refusal.js'
import { storeCheckpoint } from '../state/checkpoints.js'
import type { Uses } from '../state/run-state.js'
import { compactRefused, refusalCompaction } from './auto-compaction.js'

/** The parts of a run that change when a server refuses a call. */
type RefusedParts = Uses<
  'request' | 'models' | 'tools' | 'conversation' | 'meter' | 'events' | 'storage' | 'turn'
>

/** What a run does without, from here on, because a server refused it. */
interface Degradation {
  /** True if the refusal is one of this kind, and may be answered so. */
  readonly applies: (state: RefusedParts, plan: PromptPlan, error: LlmError) => boolean
  /** Makes the change; false if nothing could be changed, so that the refusal stands. */
  readonly apply: (state: RefusedParts, error: LlmError) => boolean | Promise<boolean>
}

/**
 * A conversation that is too long is made shorter, once. Not after a part of the reply was
 * reported: it cannot be taken back.
 */
const shorterConversation: Degradation = {
  applies: ({ request, turn }, _plan, error) =>
    isLlmError(error, 'context-length') &&
    !turn.isCompacted &&
    !turn.isShown &&
    refusalCompaction(request.compaction) !== undefined,
  apply: async (state) => {
    const report = await compactRefused(state)
    if (!report) return false
    state.turn.isCompacted = true
    state.events.emit({ type: 'context-compacted', reason: 'context-length', report })
    await storeCheckpoint(state, 'model')
    return true
  },
}

/** A run in a mode that nobody demanded asks for actions as JSON, instead of offering tools. */
const noTools: Degradation = {
  applies: ({ request, turn }, { definitions }, error) =>
    definitions.length > 0 &&
    (request.mode ?? 'auto') === 'auto' &&
    !turn.isShown &&
    isToolRefusal(error),
  apply: async (state, { message }) => {
    state.models.current.mode = 'json'
    state.events.emit({ type: 'mode-changed', mode: 'json', reason: message })
    state.meter.warn(`the server refused tools, so the run asks for actions as JSON: ${message}`)
    await storeCheckpoint(state, 'model')
    return true
  },
}

/** Less is asked of a server that has not accepted this format before. */
const weakerFormat: Degradation = {
  applies: ({ models: { current } }, { options }, error) =>
    isFormatRefusal(error) &&
    options.responseFormat !== undefined &&
    current.formatLevel < lastFormatLevel &&
    !current.isFormatAccepted,
  apply: ({ models: { current }, meter }, error) => {
    meter.warn(describeRefusal(current.formatLevel, error))
    current.formatLevel++
    return true
  },
}

/** In the order in which they are tried. */
const degradations: readonly Degradation[] = [shorterConversation, noTools, weakerFormat]

/**
 * Answers a refused call: the run does without what the server refused.
 * @returns false if it cannot, and the refusal stands
 */
export async function degrade(
  state: RefusedParts,
  plan: PromptPlan,
  error: unknown,
): Promise<boolean> {
  if (!isLlmError(error)) return false
  const degradation = degradations.find(({ applies }) => applies(state, plan, error))
  if (!degradation) return false
  const { message, code } = error
  state.events.emit({ type: 'model-error', message, code, recoverable: true })
  return degradation.apply(state, error)
}

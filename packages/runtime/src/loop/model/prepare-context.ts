import { type ToolDefinition, textOf } from '@modelport/core'
import { contextUse } from '../../budget/metrics.js'
import { type ContextManifest, contextTokens, createManifest } from '../../history/manifest.js'
import type { Uses } from '../state/run-state.js'

/** The parts of a run that say what a request contains. */
type ContextParts = Uses<
  'request' | 'models' | 'control' | 'conversation' | 'meter' | 'events' | 'turn'
>

/** The content that a request will send. */
export interface PreparedContext {
  /** Estimated tokens of the prompt. */
  readonly inputTokens: number
  /** Unset: the run has no receiver of events, so nobody would read it. */
  readonly manifest?: ContextManifest
}

/**
 * Describes what a request is going to send, and reports it. Without a receiver of events only the
 * tokens are counted.
 */
export function prepareContext(
  state: ContextParts,
  tools: readonly ToolDefinition[],
  system: string | undefined,
  toolPrompt: string,
): PreparedContext {
  const { models, request, control, events, turn, meter } = state
  const agentName = control.agent ?? request.observe.agentName
  const { query } = state.request
  const parts = {
    messages: state.conversation.sendable(state.models.current.mode),
    tools,
    estimate: models.estimate,
    ...(system !== undefined && { system }),
    ...(toolPrompt && !tools.length && { toolPrompt }),
  }
  if (!events.hasReceivers) {
    events.pass()
    return { inputTokens: contextTokens(parts) }
  }
  const { manifest: previous } = meter.tally
  const manifest = createManifest({
    ...parts,
    runId: request.runId,
    step: turn.step,
    provider: models.provider,
    ...(agentName !== undefined && { agentName }),
    ...(query !== undefined && { query: textOf(query) }),
    ...(models.profile && { profile: models.profile }),
    ...(previous && { previous }),
  })
  meter.tally.manifest = manifest
  const { totalEstimatedTokens: inputTokens } = manifest
  const window = models.profile?.contextWindow
  events.emit({
    type: 'context-prepared',
    provider: models.provider.name,
    model: models.provider.model,
    manifest,
    ...(window !== undefined && { context: contextUse(inputTokens, window) }),
  })
  return { inputTokens, manifest }
}

import { type ToolDefinition, textOf } from '@modelport/core'
import { contextUse } from '../../budget/metrics.js'
import { type ContextManifest, contextTokens, createManifest } from '../../history/manifest.js'
import type { RunState } from '../state/run-state.js'

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
  state: RunState,
  tools: readonly ToolDefinition[],
  system: string | undefined,
  toolPrompt: string,
): PreparedContext {
  const { provider, profile, observe, control, events, runId, step, tally, estimate } = state
  const agentName = control.agent ?? observe.agentName
  const { query } = state.request
  const parts = {
    messages: state.sendable(),
    tools,
    estimate,
    ...(system !== undefined && { system }),
    ...(toolPrompt && !tools.length && { toolPrompt }),
  }
  if (!events.hasReceivers) {
    events.pass()
    return { inputTokens: contextTokens(parts) }
  }
  const { manifest: previous } = tally
  const manifest = createManifest({
    ...parts,
    runId,
    step,
    provider,
    ...(agentName !== undefined && { agentName }),
    ...(query !== undefined && { query: textOf(query) }),
    ...(profile && { profile }),
    ...(previous && { previous }),
  })
  tally.manifest = manifest
  const { totalEstimatedTokens: inputTokens } = manifest
  const window = profile?.contextWindow
  events.emit({
    type: 'context-prepared',
    provider: provider.name,
    model: provider.model,
    manifest,
    ...(window !== undefined && { context: contextUse(inputTokens, window) }),
  })
  return { inputTokens, manifest }
}

import { type AssistantMessage, configError, type JsonObject, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'
import { isReasoning, replayBlocks } from './state.js'
import type { ModelTraits } from './traits.js'

/** Thinking tokens by level, and the largest share of `maxTokens` they may take; of 2026-11-27. */
const budgets = {
  low: { tokens: 2048, share: 0.25 },
  medium: { tokens: 8192, share: 0.5 },
  high: { tokens: 24_576, share: 0.75 },
} as const

/** The least `budget_tokens` the model takes. */
const leastBudget = 1024

/**
 * The model's own fields for a level of reasoning.
 * @throws {LlmError} `unsupported` — no such level, or nothing is known of how this model thinks;
 * `config` — `maxTokens` leaves no room.
 * @see https://github.com/pydantic/pydantic-ai (`tests/models/cassettes/test_bedrock`, read
 * 2026-11-27): recorded for Claude and gpt-oss
 */
export function toReasoning(turn: Turn, { thinking }: ModelTraits): JsonObject | undefined {
  const { reasoning, maxTokens, toolChoice } = turn.options
  if (
    reasoning === undefined ||
    (reasoning === 'none' && thinking !== 'effort' && thinking !== 'none')
  )
    return undefined
  if (thinking === 'none')
    throw new LlmError(
      'unsupported',
      `reasoning: nothing is known of how ${turn.model} thinks; leave it unset, set traits, or use vendor.additionalModelRequestFields`,
    )
  const levels = ['low', 'medium', 'high', ...(thinking === 'adaptive' ? ['xhigh', 'max'] : [])]
  if (!levels.includes(reasoning))
    throw new LlmError(
      'unsupported',
      `reasoning: ${turn.model} has no level "${reasoning}"; it has ${levels.join(', ')}`,
    )
  if (thinking === 'effort') return { reasoning_effort: reasoning }
  if (toolChoice === 'required' || typeof toolChoice === 'object')
    throw new LlmError(
      'unsupported',
      'toolChoice: a call cannot be forced while the model thinks; use "auto"',
    )
  if (thinking === 'adaptive')
    return { thinking: { type: 'adaptive' }, output_config: { effort: reasoning } }
  if (lacksThinking(turn)) return undefined
  if (maxTokens !== undefined && maxTokens <= leastBudget)
    throw configError(
      `reasoning: thinking takes at least ${leastBudget} tokens of maxTokens; raise it`,
    )
  const { tokens, share } = budgets[reasoning as keyof typeof budgets]
  const most = maxTokens === undefined ? tokens : Math.floor(maxTokens * share)
  return {
    thinking: { type: 'enabled', budget_tokens: Math.max(leastBudget, Math.min(tokens, most)) },
  }
}

/**
 * True if the turn continues calls that this model made without thinking: it refuses to start
 * thinking in the middle.
 */
export function lacksThinking({ messages, model }: Pick<Turn, 'messages' | 'model'>): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const calling = messages.findLast(
    (message): message is AssistantMessage => message.role === 'assistant',
  )
  const first = calling && replayBlocks(calling, model)?.[0]
  return !first || !isReasoning(first)
}

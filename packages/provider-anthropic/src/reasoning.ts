import { type AssistantMessage, configError, type JsonObject, LlmError } from '@modelport/core'
import type { Turn } from '@modelport/driver'
import { isThinking, replayBlocks } from './state.js'
import type { ModelTraits } from './traits.js'

/** How the request says how much to think. */
export interface ReasoningFields {
  readonly thinking?: JsonObject
  /** `output_config.effort` */
  readonly effort?: string
  /**
   * True when the request asks for thinking by a budget: sampling and forced calls are then
   * limited.
   */
  readonly budgeted: boolean
}

/** The least `budget_tokens` the API takes. */
const leastBudget = 1024

/** Thinking tokens by level, and the largest share of `maxTokens` they may take; of 2026-11-21. */
const budgets = {
  low: { tokens: 2048, share: 0.25 },
  medium: { tokens: 8192, share: 0.5 },
  high: { tokens: 24576, share: 0.75 },
} as const

/**
 * Thinking for a level of reasoning.
 * @throws {LlmError} `unsupported` — the model cannot think, or cannot stop; `config` — `maxTokens`
 * leaves no room to think.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking (read 2026-11-21)
 */
export function toReasoning(turn: Turn, traits: ModelTraits): ReasoningFields {
  const { reasoning } = turn.options
  if (reasoning === undefined) return { budgeted: false }
  if (reasoning === 'none') return { ...thinkingOff(turn.model, traits), budgeted: false }
  if (traits.thinking !== 'none' && !traits.efforts.includes(reasoning))
    throw new LlmError(
      'unsupported',
      `reasoning: ${turn.model} has no level "${reasoning}"; it has ${traits.efforts.join(', ')}`,
    )
  switch (traits.thinking) {
    case 'none':
      throw new LlmError(
        'unsupported',
        `reasoning: ${turn.model} cannot think; leave reasoning unset, or set traits if it can`,
      )
    case 'adaptive':
      return {
        thinking: { type: 'adaptive', ...(traits.thinkingDisplay && { display: 'summarized' }) },
        effort: reasoning,
        budgeted: false,
      }
    case 'budget':
      if (lacksThinking(turn)) return { budgeted: false }
      return {
        thinking: {
          type: 'enabled',
          budget_tokens: toBudget(reasoning, turn.options.maxTokens ?? traits.maxOutput),
        },
        budgeted: true,
      }
  }
}

/**
 * True if the turn continues tool calls that were made without thinking of this API. The API
 * refuses a thinking budget then, so the model continues without one. This lets a conversation
 * change providers in the middle of a turn.
 */
export function lacksThinking({ messages }: Pick<Turn, 'messages'>): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const calling = messages.findLast(
    (message): message is AssistantMessage => message.role === 'assistant',
  )
  const first = calling && replayBlocks(calling)?.[0]
  return !first || !isThinking(first)
}

/** True when the request turns thinking on. */
export const asksToThink = (turn: Turn, traits: ModelTraits): boolean =>
  !['none', undefined].includes(turn.options.reasoning) &&
  (traits.thinking === 'adaptive' || !lacksThinking(turn))

/** True when thinking was asked for and left out for that reason. */
export const thinkingWasDropped = (turn: Turn, traits: ModelTraits): boolean =>
  traits.thinking === 'budget' &&
  !['none', undefined].includes(turn.options.reasoning) &&
  lacksThinking(turn)

function thinkingOff(
  model: string,
  { thinkingOff: how }: ModelTraits,
): Pick<ReasoningFields, 'thinking'> {
  if (how === 'never')
    throw new LlmError(
      'unsupported',
      `reasoning: ${model} always thinks; use "low", or leave reasoning unset`,
    )
  return how === 'omit' ? {} : { thinking: { type: how } }
}

function toBudget(level: string, maxTokens: number): number {
  if (maxTokens <= leastBudget) {
    throw configError(
      `reasoning: thinking takes at least ${leastBudget} tokens of maxTokens; ${maxTokens} leaves no room for a reply`,
    )
  }
  const { tokens, share } = budgets[level as keyof typeof budgets]
  return Math.max(leastBudget, Math.min(tokens, Math.floor(maxTokens * share)))
}

import { type ChatDialect, defaultChatDialect } from '@modelport/chat-completions'
import type { Endpoint } from './endpoint.js'
import type { ModelTraits } from './traits.js'

/**
 * As in openai 7.55.0 `ReasoningEffort` (read 2026-11-24); which of them a model has, the server
 * says.
 */
const ownLevels = {
  minimal: { reasoning_effort: 'minimal' },
  xhigh: { reasoning_effort: 'xhigh' },
  max: { reasoning_effort: 'max' },
}

/**
 * How Chat Completions are spoken here. OpenAI and Azure take `max_completion_tokens` from every
 * model and have no `top_k`; other servers behind `baseUrl` know `max_tokens`.
 * @see https://developers.openai.com/api/reference/resources/chat (read 2026-11-21)
 */
export function toDialect(endpoint: Endpoint, traits: ModelTraits, own: boolean): ChatDialect {
  const { reasoning } = defaultChatDialect
  const noLevels = { ...reasoning, none: {} }
  const levels = own ? { ...reasoning, ...ownLevels } : reasoning

  return {
    ...defaultChatDialect,
    provider: endpoint.name,
    maxTokensField: own || traits.reasoning ? 'max_completion_tokens' : 'max_tokens',
    systemRole: own && traits.reasoning ? 'developer' : 'system',
    takesTemperature: traits.takesTemperature,
    reasoning: traits.reasoning ? levels : noLevels,
    ...(own && {
      toolCallIds: { maxLength: 40 },
      replayReasoning: 'never' as const,
      lacks: ['topK'] as const,
      strictLengths: false,
    }),
  }
}

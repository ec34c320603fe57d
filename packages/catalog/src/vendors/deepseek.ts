import { thinking, unthinking } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Calls made while thinking must come back with their `reasoning_content`. The models
 * `deepseek-chat` and `deepseek-reasoner` closed 2026-07-24.
 * - Thinking is on by default and ignores a temperature. `deepseek-chat` and `deepseek-reasoner`
 *   closed on 2026-07-24.
 * - Calls made while thinking go back with their reasoning: the API refuses them without.
 * - A tool cannot be forced while the model thinks, which the server says; with `reasoning: 'none'`
 *   it can.
 * @see https://api-docs.deepseek.com/guides/thinking_mode.md ·
 * https://api-docs.deepseek.com/quick_start/pricing.md
 */
export const deepseek: ChatVendor = {
  name: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  needsKey: true,
  keyUrl: 'https://platform.deepseek.com/api_keys',
  model: 'deepseek-flash',
  cheapestModel: 'deepseek-flash',
  nativeTools: true,
  quirks: {
    inputs: ['text'],
    responseFormats: ['json'],
    requiredReasoningField: 'reasoning_content',
    lacks: ['topK', 'seed', 'parallelToolCalls'],
    reasoning: {
      none: unthinking,
      low: thinking('low'),
      medium: thinking('medium'),
      high: thinking('high'),
    },
  },
  claims: {
    parallelTools: [true, 'https://api-docs.deepseek.com/guides/tool_calls'],
    logprobs: [true, 'https://api-docs.deepseek.com/api/create-chat-completion'],
    reasoning: [true, 'https://api-docs.deepseek.com/guides/thinking_mode.md'],
    embeddings: [false, 'https://api-docs.deepseek.com/api/deepseek-api'],
  },
  priceList: 'deepseek',
  docs: 'https://api-docs.deepseek.com/api/create-chat-completion',
}

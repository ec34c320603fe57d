import { routed } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * One field steers every model's reasoning; files may be given by address.
 * - Reasoning with its signatures goes back in `reasoning_details`, as it came; pictures go back in
 *   `images`.
 * - Some hosts that it routes to end a stream without a finish reason; the token counts come last.
 * - `error.metadata.error_type` says what failed; if there is none, the status does.
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export const openrouter: ChatVendor = {
  name: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  needsKey: true,
  keyUrl: 'https://openrouter.ai/settings/keys',
  model: 'openrouter/auto',
  cheapestModel: 'openai/gpt-oss-20b',
  fewestTokens: 16,
  nativeTools: true,
  quirks: {
    // The limit of OpenAI, which many models are routed to.
    toolCallIds: { maxLength: 40 },
    fileUrls: true,
    finishReasonOptional: true,
    cacheMarks: true,
    reasoning: {
      none: routed('none'),
      minimal: routed('minimal'),
      low: routed('low'),
      medium: routed('medium'),
      high: routed('high'),
      xhigh: routed('xhigh'),
      max: routed('max'),
    },
  },
  claims: {
    tools: ['by-model', 'https://openrouter.ai/docs/features/tool-calling'],
    embeddings: [true, 'https://openrouter.ai/docs/api-reference/embeddings'],
  },
  priceList: 'openrouter',
  docs: 'https://openrouter.ai/docs/api-reference/parameters',
}

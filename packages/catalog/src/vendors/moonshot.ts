import { high, low, textAndImages, unthinking } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Sampling is fixed, another temperature is a 400; reasoning goes back with every message. K3 knows
 * the efforts low, high and max.
 * - Models of the K2 and K3 lines fix the temperature; none is sent unless you set it. K3 always
 *   thinks; `none` is for the models before it.
 * @see https://platform.kimi.ai/docs/api/models-overview ·
 * https://platform.kimi.ai/docs/guide/kimi-k3-quickstart
 */
export const moonshot: ChatVendor = {
  name: 'moonshot',
  title: 'Moonshot (Kimi)',
  aliases: ['kimi'],
  baseUrl: 'https://api.moonshot.ai/v1',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://platform.kimi.ai/console/api-keys',
  model: 'kimi-k3',
  cheapestModel: 'kimi-k2.6',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    maxTokensField: 'max_completion_tokens',
    takesTemperature: false,
    toolChoices: ['auto', 'none', 'required'],
    replayReasoning: 'always',
    requiredReasoningField: 'reasoning_content',
    lacks: ['topK', 'seed', 'topLogprobs', 'parallelToolCalls'],
    reasoning: { none: unthinking, low, high },
  },
  claims: {
    embeddings: [false, 'https://platform.kimi.ai/docs/overview'],
    schema: ['by-model', 'https://platform.kimi.ai/docs/guide/response_format'],
  },
  priceList: 'moonshotai',
  docs: 'https://platform.kimi.ai/docs/api/chat',
}

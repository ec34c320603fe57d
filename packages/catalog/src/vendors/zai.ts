import { textAndImages, thinking, unthinking } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Takes no `tool_choice` but `auto`. GLM-5.3 always thinks, with the efforts low, high and max;
 * older ones can be told not to.
 * - GLM-5.3 always thinks; `none` is for the models before it. The endpoint of the coding plan:
 *   `baseUrl: 'https://api.z.ai/api/coding/paas/v4'`.
 * @see https://docs.z.ai/api-reference/llm/chat-completion.md ·
 * https://docs.z.ai/guides/capabilities/struct-output.md
 */
export const zai: ChatVendor = {
  name: 'zai',
  title: 'Z.ai (Zhipu GLM)',
  aliases: ['z.ai'],
  baseUrl: 'https://api.z.ai/api/paas/v4',
  keyVariables: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://z.ai/manage-apikey/apikey-list',
  model: 'glm-5.3',
  cheapestModel: 'glm-4.7-flash',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    responseFormats: ['json'],
    toolChoices: ['auto'],
    messageNames: false,
    lacks: ['topK', 'seed', 'topLogprobs', 'parallelToolCalls'],
    reasoning: { none: unthinking, low: thinking('low'), high: thinking('high') },
  },
  claims: { embeddings: ['by-model', 'https://docs.z.ai/api-reference/introduction.md'] },
  priceList: 'zai',
  docs: 'https://docs.z.ai/api-reference/llm/chat-completion.md',
}

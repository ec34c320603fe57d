import { budget, textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Thinking is on or off; the budgets are this table's. `insufficient_quota` is the limit of tokens
 * a minute.
 * - A tool cannot be forced while the model thinks. The budgets of thinking are this table's
 *   choice. Other regions: `baseUrl`.
 * - Some open models think in streams only: ask those with `reasoning: 'none'` where you call
 *   `generate`.
 * @see https://www.alibabacloud.com/help/en/model-studio/deep-thinking ·
 * https://www.alibabacloud.com/help/en/model-studio/rate-limit
 */
export const alibaba: ChatVendor = {
  name: 'alibaba',
  title: 'Alibaba Model Studio (Qwen)',
  aliases: ['qwen', 'dashscope'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  keyVariables: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
  needsKey: true,
  keyUrl: 'https://modelstudio.console.alibabacloud.com',
  model: 'qwen-plus',
  cheapestModel: 'qwen-flash',
  embeddingModel: 'text-embedding-v4',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    toolChoices: ['auto', 'none', 'named'],
    quotaRecovers: true,
    reasoning: {
      none: { enable_thinking: false },
      low: budget(1024),
      medium: budget(8192),
      high: budget(24_576),
    },
  },
  claims: {
    embeddings: [true, 'https://www.alibabacloud.com/help/en/model-studio/embedding'],
    schema: ['by-model', 'https://www.alibabacloud.com/help/en/model-studio/json-mode'],
  },
  docs: 'https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions',
}

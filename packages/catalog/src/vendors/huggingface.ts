import { textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Sends each call on to another vendor; there is no default model.
 * - A model is named `organisation/model`, with `:provider`, `:fastest` or `:cheapest` after it if
 *   you want. What it can do depends on who serves it.
 * @see https://huggingface.co/docs/inference-providers
 */
export const huggingface: ChatVendor = {
  name: 'huggingface',
  title: 'Hugging Face Inference Providers',
  aliases: ['hf'],
  baseUrl: 'https://router.huggingface.co/v1',
  keyVariables: ['HF_API_TOKEN', 'HF_TOKEN'],
  needsKey: true,
  keyUrl: 'https://huggingface.co/settings/tokens',
  nativeTools: false,
  quirks: { inputs: textAndImages },
  claims: { embeddings: [false, 'https://huggingface.co/docs/inference-providers/index'] },
  docs: 'https://huggingface.co/docs/inference-providers/tasks/chat-completion',
}

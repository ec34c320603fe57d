import { patient, textAndImages } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Refuses a tool forced by name and `json_object`, each by its own error message.
 * - The server ignores the key; `lm-studio` is sent where there is none.
 * @see https://lmstudio.ai/docs/developer/openai-compat/chat-completions ·
 * https://github.com/lmstudio-ai/lmstudio-bug-tracker
 */
export const lmstudio: ChatVendor = {
  name: 'lmstudio',
  title: 'LM Studio',
  aliases: ['lm-studio'],
  baseUrl: 'http://localhost:1234/v1',
  baseUrlVariables: ['LMSTUDIO_URL'],
  keyVariables: ['LMSTUDIO_API_KEY'],
  needsKey: false,
  selfHosted: true,
  fallbackKey: 'lm-studio',
  model: 'local-model',
  nativeTools: false,
  quirks: {
    inputs: textAndImages,
    responseFormats: ['json-schema'],
    toolChoices: ['auto', 'none', 'required'],
    lacks: ['topLogprobs', 'parallelToolCalls'],
  },
  timeouts: patient,
  claims: {
    schema: [true, 'https://lmstudio.ai/docs/developer/openai-compat/structured-output'],
    embeddings: [true, 'https://lmstudio.ai/docs/developer/openai-compat/embeddings'],
  },
  docs: 'https://lmstudio.ai/docs/developer/openai-compat/chat-completions',
}

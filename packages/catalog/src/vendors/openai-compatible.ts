import type { ChatVendor } from '../vendor.js'

/**
 * Any other server; nothing is known of it.
 * - A failure inside a 200 is a typed error wherever the server puts it: `error`,
 *   `choices[].error`, `x_groq.error`, `base_resp`, `event: error`.
 * - A picture of a reply goes back to the server that made it, where it came: in `images` or in the
 *   content. Another provider refuses it with `unsupported`,
 *   as the API has no pictures of an assistant.
 * - The transcript of a spoken reply is its text and goes back as text: the id of the sound
 *   expires. The sound itself is not kept.
 * - Gemini behind its Chat Completions address: content that it marks as thought is reasoning,
 *   without its tags, and signatures go back with the message.
 * - A call of a custom tool comes with `arguments: { input: text }`, and goes back as one.
 * - Not read: related questions and pictures that a search found.
 */
export const openaiCompatible: ChatVendor = {
  name: 'openai-compatible',
  title: 'Any server that speaks Chat Completions',
  minimal: { baseUrl: 'http://localhost:8080/v1' },
  aliases: ['compatible'],
  baseUrl: 'http://localhost:1234/v1',
  baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
  needsKey: false,
  selfHosted: true,
  model: 'local-model',
  nativeTools: false,
  quirks: {},
  claims: { embeddings: ['by-model', 'https://platform.openai.com/docs/api-reference/embeddings'] },
  docs: 'https://platform.openai.com/docs/api-reference/chat/create',
}

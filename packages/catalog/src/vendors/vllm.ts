import { high, low, medium, patient, untemplated } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * Tools need flags at the server's start (`--enable-auto-tool-choice --tool-call-parser …`).
 * - Tools need `--enable-auto-tool-choice` and `--tool-call-parser` at the server's start. The
 *   model is the one it serves.
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
 */
export const vllm: ChatVendor = {
  name: 'vllm',
  title: 'vLLM',
  baseUrl: 'http://localhost:8000/v1',
  keyVariables: ['VLLM_API_KEY'],
  needsKey: false,
  selfHosted: true,
  nativeTools: false,
  quirks: {
    inputs: ['text', 'image', 'audio'],
    reasoning: { none: untemplated, low, medium, high },
    tokenizer: 'vllm',
  },
  timeouts: patient,
  claims: {
    schema: [true, 'https://docs.vllm.ai/en/latest/features/structured_outputs.html'],
    logprobs: [true, 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
    embeddings: ['by-model', 'https://docs.vllm.ai/en/latest/models/pooling_models.html'],
  },
  choices: { structured_outputs: { choice: '{choices}' } },
  docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
}

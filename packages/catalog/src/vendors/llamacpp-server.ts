import { patient, template, untemplated } from '../parts.js'
import type { ChatVendor } from '../vendor.js'

/**
 * A `tool_choice` that is an object counts as `auto`; the switches of thinking are the chat
 * template's.
 * - Start it with `--jinja` for tools and with `--embeddings --pooling mean` for embeddings.
 * - The server takes a `tool_choice` that names a tool for `auto`, so it is refused here.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export const llamacppServer: ChatVendor = {
  name: 'llamacpp-server',
  title: 'llama.cpp server',
  aliases: ['llama-server', 'llama.cpp-server'],
  baseUrl: 'http://localhost:8080',
  keyVariables: ['LLAMA_API_KEY'],
  needsKey: false,
  selfHosted: true,
  model: 'gemma4:e4b',
  nativeTools: false,
  quirks: {
    inputs: ['text', 'image', 'audio'],
    toolChoices: ['auto', 'none', 'required'],
    reasoning: {
      none: untemplated,
      low: template('low'),
      medium: template('medium'),
      high: template('high'),
    },
    tokenizer: 'llama.cpp',
  },
  timeouts: patient,
  claims: {
    tools: [
      'by-model',
      'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)',
    ],
    parallelTools: [
      'by-model',
      'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)',
    ],
    schema: [true, 'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)'],
    logprobs: [
      true,
      'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)',
    ],
    embeddings: [
      true,
      'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)',
    ],
  },
  choices: { grammar: '{grammar}' },
  docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
}

import { type Harness, ollamaChat, openaiChat } from '@modelport/conformance'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

const apiKey = 'sk-runtimes-0123456789abcdef'

/** The providers without an SDK, which run everywhere. */
export const plainHarnesses: readonly Harness[] = [
  { name: 'openai-compatible', format: openaiChat, apiKey, create: (config) => createOpenAICompatible({ baseUrl: 'http://conformance.test', model: 'model', apiKey, ...config }) },
  { name: 'ollama', format: ollamaChat, apiKey, create: (config) => createOllama({ baseUrl: 'http://conformance.test', model: 'model', apiKey, ...config }) },
]

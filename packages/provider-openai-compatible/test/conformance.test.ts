import { conformance, openaiChat } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { createOpenAICompatible } from '../src/index.js'

const apiKey = 'sk-conformance-4b1f0c7e9d'

conformance({ describe, test }, {
  name: 'openai-compatible',
  create: (config) => createOpenAICompatible({ baseUrl: 'http://conformance.test', model: 'model', apiKey, ...config }),
  format: openaiChat,
  apiKey,
})

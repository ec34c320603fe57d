import { conformance, ollamaChat } from '@modelport/conformance'
import { describe, test } from 'vitest'
import { createOllama } from '../src/index.js'

const apiKey = 'ollama-0123456789-conformance-key'

conformance({ describe, test }, {
  name: 'ollama',
  format: ollamaChat,
  apiKey,
  create: (config) => createOllama({ model: 'llama3', baseUrl: 'https://ollama.example/v1/', apiKey, ...config }),
})

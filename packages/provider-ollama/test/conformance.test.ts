import { conformance } from '@modelport/conformance'
import { ollamaChat } from '@modelport/test-formats'
import { faultRunner } from '../../../test/support/faults.js'
import { createOllama } from '../src/index.js'

const apiKey = 'ollama-0123456789-conformance-key'

// The only API whose records are lines, so it runs the whole kit.
conformance(faultRunner, {
  name: 'ollama',
  format: ollamaChat,
  apiKey,
  create: (config) =>
    createOllama({ model: 'llama3', baseUrl: 'https://ollama.example/v1/', apiKey, ...config }),
})

import { conformance, openaiChat } from '@modelport/conformance'
import { openaiResponses } from '@modelport/test-formats'
import { wireRunner } from '../../../test/support/faults.js'
import { createOpenAI } from '../src/index.js'

const apiKey = 'sk-proj-conformance-0123456789abcdef'

// A model that reasons, and one that does not: which of them speaks which API matters little.
conformance(wireRunner, {
  name: 'openai, Responses',
  format: openaiResponses,
  apiKey,
  create: (config) => createOpenAI({ model: 'gpt-5.4', apiKey, ...config }),
})

conformance(wireRunner, {
  name: 'openai, Chat Completions',
  format: openaiChat,
  apiKey,
  create: (config) => createOpenAI({ model: 'gpt-4.1', apiKey, api: 'chat', ...config }),
})

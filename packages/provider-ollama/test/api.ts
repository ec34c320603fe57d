import { ollamaChat } from '@modelport/test-formats'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createOllama, createOllamaEmbedder } from '../src/index.js'

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'ollama',
    createOllama,
    { model: 'llama3', apiKey },
    {
      format: ollamaChat,
      everywhere: {},
      embedder: () => createOllamaEmbedder({ model: 'm' }),
    },
  ),
]

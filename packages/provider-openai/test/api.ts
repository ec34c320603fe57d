import { openaiChat } from '@modelport/conformance'
import { openaiResponses } from '@modelport/test-formats'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createOpenAI, createOpenAIEmbedder, createOpenAIFiles } from '../src/index.js'

const both = {
  provider: 'openai',
  path: '/v1',
  models: ['gpt-5.4', 'gpt-4.1'],
  embedder: () => createOpenAIEmbedder({ apiKey, model: 'm' }),
  files: () => createOpenAIFiles({ apiKey }),
} as const

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'openai responses',
    createOpenAI,
    { model: 'gpt-5.4', apiKey },
    {
      ...both,
      api: 'responses',
      format: openaiResponses,
      // A page that shows a key asks for it; elsewhere this changes nothing.
      everywhere: { settings: () => ({ dangerouslyAllowBrowser: true }) },
    },
  ),
  testedApi(
    'openai chat',
    createOpenAI,
    { model: 'gpt-4.1', apiKey },
    { ...both, api: 'chat', format: openaiChat },
  ),
]

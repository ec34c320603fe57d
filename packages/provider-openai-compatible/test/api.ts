import { openaiChat } from '@modelport/conformance'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createOpenAICompatible } from '../src/index.js'

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'openai-compatible',
    createOpenAICompatible,
    { model: 'm', baseUrl: 'https://compatible.test/v1', apiKey },
    { format: openaiChat, path: '/v1', everywhere: {} },
  ),
]

import { anthropicMessages } from '@modelport/test-formats'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createAnthropic, createAnthropicFiles } from '../src/index.js'

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'anthropic',
    createAnthropic,
    { model: 'claude-sonnet-4-5', apiKey },
    {
      format: anthropicMessages,
      models: ['claude-opus-5-5', 'claude-3-5-sonnet-20241022'],
      shownModel: 'claude-haiku-4-5-20251001',
      // A page that shows a key asks for it; elsewhere this changes nothing.
      everywhere: { settings: () => ({ dangerouslyAllowBrowser: true }) },
      files: () => createAnthropicFiles({ apiKey }),
    },
  ),
]

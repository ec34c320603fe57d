import { gemini } from '@modelport/test-formats'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createGoogle, createGoogleEmbedder, createGoogleFiles } from '../src/index.js'

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'google',
    createGoogle,
    { model: 'gemini-3-flash-preview', apiKey },
    {
      format: gemini,
      models: ['gemini-3.8-flash', 'gemini-2.0-flash'],
      shownModel: 'gemini-3.8-flash',
      everywhere: {},
      embedder: () => createGoogleEmbedder({ apiKey, model: 'm' }),
      files: () => createGoogleFiles({ apiKey }),
    },
  ),
]

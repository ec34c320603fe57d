import { testCorpus } from '../../../test/support/corpus-suite.js'
import { createGoogle } from '../src/index.js'

testCorpus('exchanges of Gemini and Vertex AI', {
  api: 'gemini',
  provide: (recorded, fetch) => {
    const model = recorded.request.body.model ?? 'gemini-3-flash-preview'
    return recorded.vendor === 'google-vertex'
      ? createGoogle({
          model,
          fetch,
          vertex: { project: 'demo', location: 'us-central1', accessToken: () => 'token-of-tests' },
        })
      : createGoogle({ model, fetch, apiKey: 'key-of-tests' })
  },
  // The empty call that ends one in parts is not a call.
  mostDiffer: 1,
})

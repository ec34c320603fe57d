import { testCorpus } from '../../../test/support/corpus-suite.js'
import { createOpenAI } from '../src/index.js'

const apiKey = 'sk-test-0123456789'

testCorpus('exchanges of the Responses API', {
  api: 'openai-responses',
  provide: ({ request }, fetch) =>
    createOpenAI({ apiKey, model: request.body.model ?? 'model', api: 'responses', fetch }),
  // Where a finished item says something else than its deltas, what was streamed counts.
  mostDiffer: 10,
})

testCorpus('exchanges of Chat Completions of OpenAI and Azure', {
  api: 'openai-chat',
  only: ({ vendor, strict }) => strict && (vendor === 'openai' || vendor === 'azure'),
  provide: ({ request }, fetch) =>
    createOpenAI({ apiKey, model: request.body.model ?? 'model', api: 'chat', fetch }),
})

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
  // Replies of a router, which has a row of its own, have such ids.
  only: ({ vendor, strict, response }) =>
    strict && (vendor === 'openai' || vendor === 'azure') && !response.body.includes('"id":"gen-'),
  provide: ({ request }, fetch) =>
    createOpenAI({ apiKey, model: request.body.model ?? 'model', api: 'chat', fetch }),
})

import { type CorpusCase } from '../../../test/support/corpus.js'
import { testCorpus } from '../../../test/support/corpus-suite.js'
import { createAnthropic } from '../src/index.js'

/**
 * A paused turn continues by itself: what follows is not in the corpus, so an empty end stands in
 * for it.
 */
const isPaused = ({ expected }: CorpusCase): boolean => expected.finishReason === 'pause'
const emptyEnd = {
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: 'end_turn',
  usage: { input_tokens: 0, output_tokens: 0 },
}
const emptyEvents = [
  { type: 'message_start', message: { ...emptyEnd, stop_reason: null } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]

testCorpus('exchanges of the Messages API', {
  api: 'anthropic-messages',
  provide: (recorded, fetch) => {
    const model = recorded.request.body.model ?? 'claude-sonnet-4-5'
    return createAnthropic({
      apiKey: 'sk-ant-test-0123456789',
      model,
      baseUrl: 'http://corpus.test',
      fetch,
    })
  },
  respond: (recorded, answer) => async (input, init) => {
    if (!isPaused(recorded) || answer.requests === 0) return answer(input, init)
    if (!recorded.streaming) return Response.json(emptyEnd)
    return new Response(emptyEvents.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  },
  read: (recorded, outcome) =>
    isPaused(recorded) && outcome.finishReason === 'stop'
      ? { ...outcome, finishReason: 'pause' }
      : outcome,
  // A stop reason is an end, and arguments that were cut off are not given out.
  mostDiffer: 5,
})

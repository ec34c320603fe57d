import { expect, test } from 'vitest'
import { corpusCases, largeCorpus } from '../../../test/support/corpus.js'
import { testCorpus } from '../../../test/support/corpus-suite.js'
import { createOllama } from '../src/index.js'
import { fewestTokens } from '../src/prompt-check.js'

testCorpus('exchanges of Ollama', {
  api: 'ollama-chat',
  provide: (_, fetch) => createOllama({ model: 'recorded', fetch }),
})

// Only a real server's counts prove it: the repository's own are made up.
test.skipIf(largeCorpus === undefined)(
  'no recorded prompt is called cut: the fewest tokens are never more than the server counted',
  () => {
    let compared = 0
    for (const { request, response, expected } of corpusCases('ollama-chat')) {
      const body = request.body as { messages?: { content?: string }[] }
      if (!request.recorded || response.status !== 200 || !expected.usage?.input) continue
      compared++
      expect(
        fewestTokens((body.messages ?? []).map(({ content }) => content ?? '').join('\n')),
      ).toBeLessThanOrEqual(expected.usage.input)
    }
    expect(compared).toBeGreaterThan(10)
  },
)

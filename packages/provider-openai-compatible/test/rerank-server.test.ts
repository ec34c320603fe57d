// Reranking by a real llama.cpp server. Its small model is not a reranker: its scores mean nothing, its wire is the real one.
import { afterAll, expect, test } from 'vitest'
import { startLlamaServer } from '../../../test/support/llama-server.js'
import { createOpenAICompatibleReranker, toPresetConfig } from '../src/index.js'

const server = startLlamaServer(['--reranking'])
const documents = ['hi', 'it is a bear', 'The giant panda is a bear of China.']
const reranker = createOpenAICompatibleReranker(
  toPresetConfig('llamacpp-server', {
    baseUrl: server?.url ?? 'http://none.test',
    model: 'tinytool',
    enforceHosts: true,
  }),
)

afterAll(() => {
  server?.stop()
})

test.skipIf(!server)('a real server ranks every document, the best first', async () => {
  const { results, usage } = await reranker.rerank('What is a panda?', documents)
  expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2])
  expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a))
  expect(usage.reported && usage.inputTokens > 10).toBe(true)
})

test.skipIf(!server)('a real server gives as many results as asked for', async () => {
  expect((await reranker.rerank('What is a panda?', documents, { topN: 2 })).results).toHaveLength(2)
})

test.skipIf(!server)('a server that was not started for reranking says so', async () => {
  const other = startLlamaServer()
  try {
    const { url = '' } = other ?? {}
    const wrong = createOpenAICompatibleReranker({ baseUrl: url, model: 'tinytool' })
    await expect(wrong.rerank('q', ['d'])).rejects.toMatchObject({ status: 501 })
  } finally {
    other?.stop()
  }
})

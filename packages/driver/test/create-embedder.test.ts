import { describe, expect, test } from 'vitest'
import { createEmbedder, type EmbeddingBatch } from '../src/index.js'

const make = (
  batchSize: number,
  answer: (texts: readonly string[], call: number) => EmbeddingBatch,
  dimensions?: number,
) => {
  const asked: (readonly string[])[] = []
  const embedder = createEmbedder({
    name: 'test',
    model: 'm',
    batchSize,
    dimensions,
    embedBatch: (texts) => Promise.resolve(answer(texts, asked.push(texts))),
  })
  return { embedder, asked }
}

describe('an embedder', () => {
  test('an embedder cuts texts to the limit, keeps their order and sums what they cost', async () => {
    const { embedder, asked } = make(2, (texts) => ({
      vectors: texts.map((text) => [Number(text), 1]),
      inputTokens: texts.length * 3,
    }))
    const { vectors, usage } = await embedder.embed(['0', '1', '2', '3', '4'])
    expect(asked).toEqual([['0', '1'], ['2', '3'], ['4']])
    expect(vectors.map(([first]) => first)).toEqual([0, 1, 2, 3, 4])
    expect(usage).toMatchObject({
      inputTokens: 15,
      reported: true,
      turns: [{ inputTokens: 6 }, { inputTokens: 6 }, { inputTokens: 3 }],
    })
  })

  test('an embedder says when a part of the cost is not known', async () => {
    const { embedder } = make(1, (texts, call) => ({
      vectors: texts.map(() => [1]),
      inputTokens: call === 1 ? 3 : undefined,
    }))
    expect((await embedder.embed(['a', 'b'])).usage).toMatchObject({
      inputTokens: 3,
      reported: false,
    })
  })

  test('an embedder asks nothing for no texts', async () => {
    const { embedder, asked } = make(2, () => ({ vectors: [] }))
    expect(await embedder.embed([])).toMatchObject({ vectors: [], usage: { inputTokens: 0 } })
    expect(asked).toEqual([])
  })

  test.each<[string, readonly (readonly number[])[], number | undefined, RegExp]>([
    ['too few vectors', [[1, 2]], undefined, /2 texts gave 1 vectors/],
    ['vectors of different lengths', [[1, 2], [1]], undefined, /vector 1 has 1 dimensions, not 2/],
    ['empty vectors', [[], []], undefined, /vector 0 has 0 dimensions, not any$/],
    [
      'something that is not a number, at the start',
      [
        [NaN, 2],
        [3, 4],
      ],
      2,
      /vector 0 has no number at 0/,
    ],
    [
      'another length than was asked for',
      [
        [1, 2],
        [3, 4],
      ],
      3,
      /vector 0 has 2 dimensions, not 3/,
    ],
    [
      'something that is not a number',
      [
        [1, 2],
        [3, NaN],
      ],
      2,
      /vector 1 has no number at 1/,
    ],
  ])('an embedder refuses %s', async (_, vectors, dimensions, message) => {
    await expect(
      make(8, () => ({ vectors }), dimensions).embedder.embed(['a', 'b']),
    ).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringMatching(message) as string,
    })
  })

  test('an embedder refuses batches that differ from each other', async () => {
    const { embedder } = make(1, (_, call) => ({ vectors: [call === 1 ? [1, 2] : [1]] }))
    await expect(embedder.embed(['a', 'b'])).rejects.toMatchObject({ code: 'protocol' })
  })
})

import { afterAll, describe, expect, test, vi } from 'vitest'
import { createLlamaCppEmbedder } from '../src/index.js'
import { modelPath, unavailable } from './local-model.js'

describe.skipIf(unavailable !== undefined)('vectors of a model in this process', () => {
  const embedder = createLlamaCppEmbedder({ modelPath, gpu: false, threads: 1, contextSize: 256 })
  afterAll(() => embedder.close())
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

  test('vectors of a model in this process come in the order of their texts, of one length, and are counted', async () => {
    expect(embedder).toMatchObject({ name: 'llamacpp', model: 'tinytool' })
    const texts = ['hello', 'What is the weather in Paris?', 'hello', '日本語 🚀']
    const { vectors, usage } = await embedder.embed(texts)
    expect(vectors.map(({ length }) => length)).toEqual([128, 128, 128, 128])
    expect(vectors[0]).toEqual(vectors[2])
    expect(vectors[0]).not.toEqual(vectors[1])
    expect(usage).toMatchObject({ reported: true, outputTokens: 0 })
    expect(usage.inputTokens).toBeGreaterThan(10)
    const [alone] = (await embedder.embed(['What is the weather in Paris?'])).vectors
    expect(dot(alone!, vectors[1]!)).toBeGreaterThan(0.9999)
  })

  test('vectors of a model in this process have length 1 unless the configuration says otherwise', async () => {
    const [unit] = (await embedder.embed(['hello'])).vectors
    expect(Math.hypot(...unit!)).toBeCloseTo(1, 6)
    await using raw = createLlamaCppEmbedder({
      modelPath,
      gpu: false,
      threads: 1,
      normalize: false,
    })
    const [long] = (await raw.embed(['hello'])).vectors
    expect(Math.hypot(...long!)).toBeGreaterThan(2)
    expect(dot(long!, unit!) / Math.hypot(...long!)).toBeCloseTo(1, 4)
  })

  test('vectors of a model in this process may be of more texts than fit into a batch', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `text ${index}`)
    const { vectors, usage } = await embedder.embed(texts)
    expect(vectors).toHaveLength(300)
    expect(usage.turns).toHaveLength(2)
    expect(vectors[299]).toEqual((await embedder.embed(['text 299'])).vectors[0])
  })

  test('an evaluation that fails says so, and the next one works', async () => {
    const { LlamaEmbeddingContext } = await import('node-llama-cpp')
    const evaluation = vi
      .spyOn(LlamaEmbeddingContext.prototype, 'getEmbeddingFor')
      .mockRejectedValueOnce(new Error('Eval has failed'))
    await expect(embedder.embed(['hello'])).rejects.toMatchObject({
      code: 'server',
      type: 'evaluation-failed',
      message: expect.stringContaining('Eval has failed') as string,
    })
    evaluation.mockRestore()
    expect((await embedder.embed(['hello'])).vectors).toHaveLength(1)
  })

  test('an empty list gives no vectors, and a text that cannot be embedded is named', async () => {
    expect(await embedder.embed([])).toMatchObject({ vectors: [] })
    await expect(embedder.embed(['a', ''])).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('texts[1]'),
    })
    await expect(embedder.embed(['a', 'word '.repeat(400)])).rejects.toMatchObject({
      code: 'context-length',
      message: expect.stringMatching(/texts\[1\] has \d+ tokens, the context 256/),
    })
  })

  test('an abort ends an embedding between two texts, with its reason', async () => {
    const controller = new AbortController()
    const call = embedder.embed(
      Array.from({ length: 200 }, (_, index) => `text ${index}`),
      { signal: controller.signal },
    )
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect(embedder.embed(['a', 'b'], { deadlineMs: 0 })).rejects.toMatchObject({
      code: 'timeout',
    })
  })

  test('a closed embedder rejects calls', async () => {
    const other = createLlamaCppEmbedder({ modelPath, gpu: false, threads: 1 })
    await other.embed(['x'])
    await other.close()
    await other.close()
    await expect(other.embed(['x'])).rejects.toMatchObject({ code: 'aborted' })
    expect(await embedder.embed(['x'])).toBeDefined()
  })
})

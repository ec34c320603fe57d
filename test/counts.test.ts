// Rules for the embedders and token counts of all vendors. Their packages test the requests
// themselves.
import type { Embedder, TokenCount } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import * as anthropic from '@modelport/provider-anthropic'
import * as google from '@modelport/provider-google'
import * as ollama from '@modelport/provider-ollama'
import * as openai from '@modelport/provider-openai'
import * as compatible from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'

const apiKey = 'sk-counts-0123456789'
const vertex = { project: 'demo', location: 'us-central1', accessToken: () => 'token' }

/**
 * How a vendor's embedder is made, and how its server responds with vectors for the texts of a
 * body.
 */
interface Row {
  /** Maximum texts of a request. */
  readonly limit: number
  readonly create: (fetch: Fetch, dimensions?: number) => Embedder
  readonly texts: (body: any) => readonly string[] // oxlint-disable-line typescript/no-explicit-any -- JSON
  readonly answer: (vectors: readonly (readonly number[])[]) => unknown
  /** Input tokens the reply reports for each text; undefined where the API reports none. */
  readonly tokens: number | undefined
}

/** Backwards: the index says which is whose. */
const openaiAnswer: Row['answer'] = (vectors) => ({
  data: vectors.map((embedding, index) => ({ index, embedding })).reverse(),
  usage: { prompt_tokens: vectors.length * 3 },
})

const rows: Readonly<Record<string, Row>> = {
  openai: {
    limit: 2048,
    tokens: 3,
    answer: openaiAnswer,
    texts: (body) => body.input,
    create: (fetch, dimensions) =>
      openai.createOpenAIEmbedder({
        apiKey,
        model: 'text-embedding-3-small',
        fetch,
        ...(dimensions && { dimensions }),
      }),
  },
  'openai-compatible': {
    limit: 32,
    tokens: 3,
    answer: openaiAnswer,
    texts: (body) => body.input,
    create: (fetch, dimensions) =>
      compatible.createOpenAICompatibleEmbedder({
        baseUrl: 'http://h.test',
        model: 'm',
        fetch,
        ...(dimensions && { dimensions }),
      }),
  },
  google: {
    limit: 100,
    tokens: undefined,
    texts: (body) =>
      body.requests.map(
        (request: { content: { parts: [{ text: string }] } }) => request.content.parts[0].text,
      ),
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
    create: (fetch, dimensions) =>
      google.createGoogleEmbedder({
        apiKey,
        model: 'gemini-embedding-001',
        fetch,
        ...(dimensions && { dimensions }),
      }),
  },
  'google, Vertex AI': {
    limit: 1,
    tokens: 3,
    texts: (body) => body.instances.map(({ content }: { content: string }) => content),
    answer: (vectors) => ({
      predictions: vectors.map((values) => ({
        embeddings: { values, statistics: { token_count: 3 } },
      })),
    }),
    create: (fetch, dimensions) =>
      google.createGoogleEmbedder({
        vertex,
        model: 'gemini-embedding-001',
        fetch,
        ...(dimensions && { dimensions }),
      }),
  },
  ollama: {
    limit: 256,
    tokens: 3,
    texts: (body) => body.input,
    answer: (vectors) => ({ embeddings: vectors, prompt_eval_count: vectors.length * 3 }),
    create: (fetch, dimensions) =>
      ollama.createOllamaEmbedder({ model: 'm', fetch, ...(dimensions && { dimensions }) }),
  },
}

/** A server whose vector for a text is the number in it, and 1. */
function serve(
  { texts, answer }: Row,
  change = (vectors: readonly (readonly number[])[]): readonly (readonly number[])[] => vectors,
) {
  const sizes: number[] = []
  const fetch: Fetch = async (input, init) => {
    const asked = texts(JSON.parse(await new Request(input, init).text()))
    sizes.push(asked.length)
    return Response.json(answer(change(asked.map((text) => [Number(text), 1]))))
  }
  return { fetch, sizes }
}

describe.each(Object.entries(rows))('embeddings of %s', (_, row) => {
  const { limit, create, tokens } = row
  const texts = Array.from({ length: 2 * limit + (limit > 1 ? 1 : 0) }, (__, index) =>
    String(index),
  )

  test("embeddings go in batches of the vendor's limit, come back in order, and are summed", async () => {
    const { fetch, sizes } = serve(row)
    const { vectors, usage } = await create(fetch).embed(texts)
    expect(sizes).toEqual(limit > 1 ? [limit, limit, 1] : [1, 1])
    expect(vectors.map(([first]) => String(first))).toEqual(texts)
    expect([usage.inputTokens, usage.reported, usage.turns.length]).toEqual([
      texts.length * (tokens ?? 0),
      tokens !== undefined,
      sizes.length,
    ])
  })

  test('embeddings have the length that was asked for, and all the same', async () => {
    expect((await create(serve(row).fetch, 2).embed(texts.slice(0, 2))).vectors).toHaveLength(2)
    await expect(create(serve(row).fetch, 3).embed(['0'])).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringMatching(/vector 0 has 2 dimensions, not 3/) as string,
    })
    let calls = 0
    const uneven = serve(row, (vectors) =>
      vectors.map((vector) => (calls++ ? vector : [...vector, 1])),
    )
    await expect(create(uneven.fetch).embed(['0', '1'])).rejects.toMatchObject({ code: 'protocol' })
    await expect(
      create(serve(row, (vectors) => vectors.slice(1)).fetch).embed(['0']),
    ).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringMatching(/1 texts gave 0 vectors/) as string,
    })
  })

  test('embeddings of nothing are nothing, and nobody is asked', async () => {
    const { fetch, sizes } = serve(row)
    expect((await create(fetch).embed([])).vectors).toEqual([])
    expect(sizes).toEqual([])
  })
})

const messages = [{ role: 'user', content: 'Hi' }] as const
/** Answers any count with 42 in every vendor's form. */
const counting: Fetch = () =>
  Promise.resolve(
    Response.json({
      input_tokens: 42,
      totalTokens: 42,
      count: 42,
      prompt: 'x',
      tokens: Array.from({ length: 42 }, () => 1),
    }),
  )
const offline: Fetch = () => Promise.reject(new Error('nobody is to be asked'))
const preset = (name: compatible.PresetName, fetch: Fetch): compatible.OpenAICompatibleConfig =>
  compatible.toPresetConfig(name, {
    apiKey,
    model: 'm',
    baseUrl: compatible.presets[name].baseUrl,
    fetch,
  })

describe('a count of tokens says who counted', () => {
  test.each<[string, TokenCount['source'], () => Promise<TokenCount>]>([
    [
      'anthropic',
      'provider',
      () =>
        anthropic.countTokens({ apiKey, model: 'claude-sonnet-4-5', fetch: counting }, messages),
    ],
    [
      'openai',
      'provider',
      () => openai.countTokens({ apiKey, model: 'gpt-5.4', fetch: counting }, messages),
    ],
    [
      'google',
      'provider',
      () => google.countTokens({ apiKey, model: 'gemini-3.8-flash', fetch: counting }, messages),
    ],
    [
      'google, Vertex AI',
      'provider',
      () => google.countTokens({ vertex, model: 'gemini-3.8-flash', fetch: counting }, messages),
    ],
    ['ollama', 'estimate', () => ollama.countTokens({}, messages)],
    ...Object.entries(compatible.presets).map(
      ([name, { quirks }]): [string, TokenCount['source'], () => Promise<TokenCount>] => [
        `preset ${name}`,
        quirks.tokenizer ? 'tokenizer' : 'estimate',
        () =>
          compatible.countTokens(
            preset(name as compatible.PresetName, quirks.tokenizer ? counting : offline),
            messages,
          ),
      ],
    ),
  ])('%s: %s', async (_, source, count) => {
    const { tokens, source: said } = await count()
    expect(said).toBe(source)
    if (source === 'estimate') expect(tokens).toBeGreaterThan(0)
    else expect(tokens).toBe(42)
  })

  test('an estimate is higher with a system text, tools and calls, and refuses options that cannot be', async () => {
    const plain = (await ollama.countTokens({}, messages)).tokens
    expect((await ollama.countTokens({ tokenFactor: 2 }, messages)).tokens).toBeGreaterThan(plain)
    expect(
      (await ollama.countTokens({ defaults: { system: 'Be brief.' } }, messages)).tokens,
    ).toBeGreaterThan(plain)
    expect(
      (
        await ollama.countTokens({}, messages, {
          tools: [{ name: 'get_time', description: 'The time' }],
        })
      ).tokens,
    ).toBeGreaterThan(plain)
    await expect(ollama.countTokens({}, messages, { temperature: 9 })).rejects.toMatchObject({
      code: 'config',
    })
  })
})

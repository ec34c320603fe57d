// Images, audio and reranking, held to the rules M of the contract; the responses are those of the vendors' documentation.
import { mediaEndpoints } from '@modelport/catalog'
import { type CapabilityHarness, capabilityConformance, type WireRequest } from '@modelport/conformance'
import { toUsage, zeroCounts } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  createOpenAICompatibleImages,
  createOpenAICompatibleReranker,
  createOpenAICompatibleSpeech,
  createOpenAICompatibleTranscriber,
  presets,
  toPresetConfig,
} from '../src/index.js'

const apiKey = 'key-capability-Zx81+Canary/0123456789abcdef'
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255])
const json = { 'content-type': 'application/json' }
const responseOf = (body: unknown) => ({ headers: json, body: JSON.stringify(body) })
const failure: CapabilityHarness['failure'] = (status, message, headers = {}) => ({
  status,
  headers: { ...json, ...headers },
  pieces: [JSON.stringify({ error: { message, type: 'invalid_request_error' } })],
})

/** What is wrong with a request that should be this one. */
const violationsOf =
  (path: string, expected: object) =>
  ({ method, path: sent, body }: WireRequest): string[] => {
    const { modelport_probe: _, ...fields } = body as { readonly modelport_probe?: unknown }
    const found = JSON.stringify([method, sent, fields])
    const wanted = JSON.stringify(['POST', path, expected])
    return found === wanted ? [] : [`sent ${found}, expected ${wanted}`]
  }

const rerankBody = { model: 'm', query: 'What is a panda?', documents: ['hi', 'a bear', 'a panda'], top_n: 2 }

const harnesses: readonly CapabilityHarness[] = [
  {
    name: 'reranking',
    apiKey,
    failure,
    // The response of llama.cpp's server, in another order.
    response: responseOf({
      model: 'm',
      object: 'list',
      usage: { prompt_tokens: 40, total_tokens: 40 },
      results: [
        { index: 0, relevance_score: -1.25 },
        { index: 2, relevance_score: 2.5 },
      ],
    }),
    expected: {
      results: [
        { index: 2, score: 2.5 },
        { index: 0, score: -1.25 },
      ],
      usage: toUsage([{ ...zeroCounts, inputTokens: 40 }]),
    },
    malformed: {
      'no results': responseOf({ model: 'm' }),
      'fewer results than asked for': responseOf({ results: [{ index: 0, relevance_score: 1 }] }),
      'a result of no document': responseOf({ results: [{ index: 3, relevance_score: 1 }] }),
      'a document that comes twice': responseOf({
        results: [
          { index: 1, relevance_score: 1 },
          { index: 1, relevance_score: 2 },
        ],
      }),
      'a result without a score': responseOf({ results: [{ index: 0 }, { index: 1 }] }),
    },
    violations: violationsOf('/v1/rerank', rerankBody),
    create: (config) => {
      const reranker = createOpenAICompatibleReranker({ ...config, apiKey, baseUrl: 'http://rerank.test', model: 'm' })
      const { query, documents } = rerankBody
      return {
        call: (options) => reranker.rerank(query, documents, { ...options, topN: 2 }),
        unsupported: {},
        invalid: {
          'an empty query': (options) => reranker.rerank('', documents, options),
          'no results at all': (options) => reranker.rerank(query, documents, { ...options, topN: 0 }),
        },
      }
    },
  },
  {
    name: 'images of Together',
    apiKey,
    failure,
    response: responseOf({
      id: 'o1',
      model: 'black-forest-labs/FLUX.1-schnell',
      object: 'list',
      data: [{ index: 0, type: 'b64_json', b64_json: Buffer.from(png).toString('base64') }],
    }),
    expected: { images: [{ data: png, mediaType: 'image/png' }], usage: toUsage([{ ...zeroCounts }], 0, false) },
    malformed: { 'no image': responseOf({ data: [] }) },
    violations: violationsOf('/v1/images/generations', {
      model: 'flux',
      prompt: 'A red cube',
      width: 1024,
      height: 768,
      output_format: 'png',
      response_format: 'base64',
    }),
    create: (config) => {
      const images = createOpenAICompatibleImages(toPresetConfig('together', { ...config, apiKey, model: 'flux' }))
      return {
        call: (options) => images.generateImages('A red cube', { ...options, size: '1024x768', format: 'png' }),
        unsupported: {
          'a quality': (options) => images.generateImages('A cube', { ...options, quality: 'high' }),
          'a format that is not documented': (options) =>
            images.generateImages('A cube', { ...options, format: 'webp' }),
          'images to edit': (options) =>
            images.generateImages('A cube', { ...options, images: [{ data: png, mediaType: 'image/png' }] }),
          'an aspect ratio': (options) => images.generateImages('A cube', { ...options, aspectRatio: '1:1' }),
        },
        invalid: { 'a size in words': (options) => images.generateImages('A cube', { ...options, size: 'auto' }) },
      }
    },
  },
  {
    name: 'speech of Groq',
    apiKey,
    failure,
    file: true,
    response: { headers: { 'content-type': 'audio/wav' }, body: Uint8Array.from([82, 73, 70, 70, 255, 0, 1]) },
    expected: {
      data: Uint8Array.from([82, 73, 70, 70, 255, 0, 1]),
      mediaType: 'audio/wav',
      usage: toUsage([{ ...zeroCounts }], 0, false),
    },
    malformed: { 'JSON in place of a file': responseOf({ audio: null }) },
    violations: violationsOf('/openai/v1/audio/speech', {
      model: 'canopylabs/orpheus-v1-english',
      input: 'Hello',
      voice: 'troy',
      response_format: 'wav',
    }),
    create: (config) => {
      const model = 'canopylabs/orpheus-v1-english'
      const speech = createOpenAICompatibleSpeech(toPresetConfig('groq', { ...config, apiKey, model }))
      return {
        call: (options) => speech.speak('Hello', { ...options, voice: 'troy', format: 'wav' }),
        unsupported: {
          'a speed': (options) => speech.speak('Hello', { ...options, voice: 'troy', speed: 2 }),
          instructions: (options) => speech.speak('Hello', { ...options, voice: 'troy', instructions: 'Sing' }),
          'another format': (options) => speech.speak('Hello', { ...options, voice: 'troy', format: 'flac' }),
        },
        invalid: { 'no voice': (options) => speech.speak('Hello', options) },
      }
    },
  },
]

for (const harness of harnesses) capabilityConformance({ describe, test }, harness)

const answering = (...answers: readonly object[]) => {
  const sent: { readonly url: string; readonly body: unknown }[] = []
  const fetch = async (input: unknown, { body, headers }: RequestInit = {}) => {
    const form =
      body instanceof Uint8Array && (await new Response(body as BodyInit, { headers: headers as never }).formData())
    const read = form ? Object.fromEntries(form) : (JSON.parse(body as string) as unknown)
    sent.push({ url: String(input), body: read })
    return Response.json(answers[sent.length - 1] ?? answers.at(-1))
  }
  return { fetch, sent }
}

test('no documents are ranked without a request', async () => {
  const { fetch, sent } = answering({})
  const reranker = createOpenAICompatibleReranker({ baseUrl: 'http://h.test', model: 'm', fetch })
  expect((await reranker.rerank('q', [])).results).toEqual([])
  expect(sent).toEqual([])
})

test('a total of tokens alone counts as input, wherever the server writes it', async () => {
  const results = [{ index: 0, relevance_score: 1 }]
  const { fetch } = answering(
    { results, usage: { total_tokens: 7 } },
    { results, meta: { tokens: { input_tokens: 9 } } },
  )
  const reranker = createOpenAICompatibleReranker({ baseUrl: 'http://h.test', model: 'm', fetch })
  expect((await reranker.rerank('q', ['d'])).usage.inputTokens).toBe(7)
  expect((await reranker.rerank('q', ['d'])).usage.inputTokens).toBe(9)
})

test('Groq transcribes with all options, and writes the duration as text', async () => {
  const { fetch, sent } = answering({ text: 'Hi', duration: '1.5', language: 'English' })
  const config = toPresetConfig('groq', { apiKey, model: 'whisper-large-v3', fetch })
  const audio = { data: Uint8Array.from([1, 2]), mediaType: 'audio/ogg; codecs=opus' }
  const result = await createOpenAICompatibleTranscriber(config).transcribe(audio, {
    timestamps: 'segment',
    prompt: 'p',
  })
  expect(result).toMatchObject({ text: 'Hi', durationSeconds: 1.5, language: 'English' })
  expect(sent[0]?.url).toBe('https://api.groq.com/openai/v1/audio/transcriptions')
  expect(sent[0]?.body).toMatchObject({ response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' })
})

test('Mistral gets no field that it does not document', async () => {
  const { fetch, sent } = answering({ text: 'Hi', usage: { prompt_tokens: 4, completion_tokens: 2 } })
  const transcriber = createOpenAICompatibleTranscriber(
    toPresetConfig('mistral', { apiKey, model: 'voxtral-mini-latest', fetch }),
  )
  const audio = { data: Uint8Array.from([1, 2]), mediaType: 'audio/mpeg' }
  expect((await transcriber.transcribe(audio, { language: 'en' })).usage.inputTokens).toBe(4)
  expect(Object.keys(sent[0]?.body as object)).toEqual(['file', 'model', 'language'])
  await expect(transcriber.transcribe(audio, { timestamps: 'word' })).rejects.toMatchObject({ code: 'unsupported' })
})

test('Grok takes an aspect ratio, and returns bytes because it is asked to', async () => {
  const { fetch, sent } = answering({ data: [{ b64_json: Buffer.from(png).toString('base64') }] })
  const images = createOpenAICompatibleImages(toPresetConfig('grok', { apiKey, model: 'grok-imagine-image', fetch }))
  await images.generateImages('A cube', { aspectRatio: '16:9', count: 1 })
  expect(sent[0]).toEqual({
    url: 'https://api.x.ai/v1/images/generations',
    body: { model: 'grok-imagine-image', prompt: 'A cube', n: 1, aspect_ratio: '16:9', response_format: 'b64_json' },
  })
})

test('a vendor that documents no endpoint is refused before anything is sent', () => {
  const creators = {
    images: createOpenAICompatibleImages,
    speech: createOpenAICompatibleSpeech,
    transcription: createOpenAICompatibleTranscriber,
    rerank: createOpenAICompatibleReranker,
  } as const
  for (const name of Object.keys(presets) as (keyof typeof presets)[]) {
    for (const [kind, create] of Object.entries(creators)) {
      const config = toPresetConfig(name, { apiKey, model: 'm', baseUrl: 'http://h.test' })
      const documented = mediaEndpoints[name]?.[kind as keyof typeof creators]
      if (documented) expect(create(config)).toMatchObject({ name, model: 'm' })
      else expect(() => create(config)).toThrow(expect.objectContaining({ code: 'unsupported' }))
    }
  }
  expect(Object.keys(mediaEndpoints).filter((name) => !(name in presets))).toEqual([])
})

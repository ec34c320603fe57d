// The capabilities besides text, held to the rules M of the contract; the responses are those of the vendor's documentation.

import { type CapabilityHarness, capabilityConformance, type WireRequest } from '@modelport/conformance'
import { type MediaBytes, toUsage, zeroCounts } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createOpenAIImages, createOpenAISpeech, createOpenAITranscriber } from '../src/index.js'
import { recordingFetch } from './support.js'

const apiKey = 'sk-capability-Zx81+Canary/0123456789abcdef'
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 128, 7])
const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const json = { 'content-type': 'application/json' }
const wav: MediaBytes = { data: Uint8Array.from([82, 73, 70, 70, 0, 1, 254, 255]), mediaType: 'audio/wav' }
const nothingReported = toUsage([{ ...zeroCounts }], 0, false)

const failure: CapabilityHarness['failure'] = (status, message, headers = {}) => ({
  status,
  headers: { ...json, ...headers },
  pieces: [JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } })],
})

/** What is wrong with a request that should have this path, and a body with these fields. */
function violationsOf(path: string, fields: Readonly<Record<string, unknown>>, allowed: readonly string[]) {
  return ({ method, path: sent, headers, body }: WireRequest): string[] => {
    const object = (body ?? {}) as Readonly<Record<string, unknown>>
    return [
      ...(method === 'POST' && sent === path ? [] : [`${method} ${sent}`]),
      ...(headers['content-type'] === 'application/json' ? [] : [`content-type ${headers['content-type']}`]),
      ...Object.entries(fields).flatMap(([name, value]) =>
        JSON.stringify(object[name]) === JSON.stringify(value) ? [] : [`${name} is ${JSON.stringify(object[name])}`],
      ),
      ...Object.keys(object).filter((name) => ![...allowed, ...Object.keys(fields), 'modelport_probe'].includes(name)),
    ]
  }
}

/** The same for a form: its fields as text, a file by name and type. */
function formViolations(path: string, fields: Readonly<Record<string, string>>) {
  return ({ method, path: sent, headers, body }: WireRequest): string[] => {
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1]
    if (!boundary || typeof body !== 'string') return [`content-type ${headers['content-type']}`]
    const parts = body.split(`--${boundary}`).slice(1, -1)
    const found = parts.map((part) =>
      /^\r\ncontent-disposition: form-data; ([^\r]*)\r\n(?:content-type: ([^\r]*)\r\n)?\r\n([^]*)\r\n$/.exec(part),
    )
    const names = found.map((match) => (match?.[2] ? `${match[1]} ${match[2]}` : `${match?.[1]}=${match?.[3]}`))
    const wanted = Object.entries(fields).map(([name, value]) => (value ? `name="${name}"=${value}` : name))
    return [
      ...(method === 'POST' && sent === path ? [] : [`${method} ${sent}`]),
      ...wanted.filter((one) => !names.includes(one)).map((one) => `no ${one} in ${names.join(' | ')}`),
      ...(names.length - names.filter((one) => one.includes('modelport_probe')).length === wanted.length
        ? []
        : ['another number of fields']),
    ]
  }
}

const usage = {
  input_tokens: 50,
  output_tokens: 272,
  total_tokens: 322,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
}
const imageUsage = toUsage([
  { ...zeroCounts, inputTokens: 50, outputTokens: 272, inputByModality: { text: 10, image: 40 } },
])
const imagesResponse = {
  headers: json,
  body: JSON.stringify({
    created: 1_780_000_000,
    background: 'opaque',
    output_format: 'png',
    data: [{ b64_json: base64(png) }, { b64_json: base64(jpeg), revised_prompt: 'A red cube, lit from the left' }],
    usage,
  }),
}
const imagesExpected = {
  images: [
    { data: png, mediaType: 'image/png' },
    { data: jpeg, mediaType: 'image/jpeg', revisedPrompt: 'A red cube, lit from the left' },
  ],
  usage: imageUsage,
}
const responseOf = (body: unknown) => ({ headers: json, body: JSON.stringify(body) })
const malformedImages = {
  'no data': responseOf({ created: 1 }),
  'an empty list': responseOf({ created: 1, data: [] }),
  'an image without bytes': responseOf({ data: [{ b64_json: base64(png) }, {}] }),
  'bytes that are not base64': responseOf({ data: [{ b64_json: 'not base64!' }] }),
  'bytes of no known format': responseOf({ data: [{ b64_json: base64(Uint8Array.from([1, 2, 3])) }] }),
  'JSON that is not an object': responseOf(5),
  null: responseOf(null),
}

const image: MediaBytes = { data: png, mediaType: 'image/png' }

const harnesses: readonly CapabilityHarness[] = [
  {
    name: 'openai images',
    apiKey,
    failure,
    response: imagesResponse,
    expected: imagesExpected,
    malformed: malformedImages,
    violations: violationsOf(
      '/v1/images/generations',
      {
        model: 'gpt-image-2',
        prompt: 'A red cube',
        n: 2,
        size: '1024x1024',
        quality: 'low',
        background: 'opaque',
        output_format: 'png',
      },
      [],
    ),
    create: (config) => {
      const images = createOpenAIImages({ ...config, apiKey, model: 'gpt-image-2' })
      const full = { count: 2, size: '1024x1024', quality: 'low', background: 'opaque', format: 'png' } as const
      return {
        call: (options) => images.generateImages('A red cube', { ...options, ...full }),
        unsupported: {
          'an aspect ratio': (options) => images.generateImages('A cube', { ...options, aspectRatio: '16:9' }),
        },
        invalid: {
          'an empty prompt': (options) => images.generateImages(' ', options),
          'no image at all': (options) => images.generateImages('A cube', { ...options, count: 0 }),
          'too many images': (options) => images.generateImages('A cube', { ...options, count: 11 }),
          'a mask without an image': (options) => images.generateImages('A cube', { ...options, mask: image }),
        },
      }
    },
  },
  {
    name: 'openai image edits',
    apiKey,
    failure,
    response: imagesResponse,
    expected: imagesExpected,
    malformed: malformedImages,
    violations: formViolations('/v1/images/edits', {
      model: 'gpt-image-2',
      prompt: 'Paint it blue',
      size: '1024x1536',
      'name="image[]"; filename="image-0.png" image/png': '',
      'name="image[]"; filename="image-1.jpg" image/jpeg': '',
      'name="mask"; filename="mask.png" image/png': '',
    }),
    create: (config) => {
      const images = createOpenAIImages({ ...config, apiKey, model: 'gpt-image-2' })
      const second = { data: jpeg, mediaType: 'image/jpeg' }
      return {
        call: (options) =>
          images.generateImages('Paint it blue', {
            ...options,
            size: '1024x1536',
            images: [image, second],
            mask: image,
          }),
        unsupported: {
          'an image of another format': (options) =>
            images.generateImages('Edit', { ...options, images: [{ data: png, mediaType: 'image/tiff' }] }),
        },
        invalid: {
          'too many images to edit': (options) =>
            images.generateImages('Edit', { ...options, images: Array.from({ length: 17 }, () => image) }),
          'a vendor field that a form cannot hold': (options) =>
            images.generateImages('Edit', { ...options, images: [image], vendor: { nested: { a: 1 } } }),
        },
      }
    },
  },
  {
    name: 'openai speech',
    apiKey,
    failure,
    file: true,
    response: {
      headers: { 'content-type': 'audio/mpeg' },
      body: Uint8Array.from([0xff, 0xfb, 0x90, 0, 1, 2, 3, 4, 5, 0xff]),
    },
    expected: {
      data: Uint8Array.from([0xff, 0xfb, 0x90, 0, 1, 2, 3, 4, 5, 0xff]),
      mediaType: 'audio/mpeg',
      usage: nothingReported,
    },
    malformed: { 'JSON in place of a file': { headers: json, body: '{"audio":null}' } },
    violations: violationsOf(
      '/v1/audio/speech',
      {
        model: 'gpt-4o-mini-tts',
        input: 'Hello',
        voice: 'coral',
        response_format: 'mp3',
        speed: 1.5,
        instructions: 'Cheerfully',
      },
      [],
    ),
    create: (config) => {
      const speech = createOpenAISpeech({ ...config, apiKey, model: 'gpt-4o-mini-tts' })
      const full = { voice: 'coral', format: 'mp3', speed: 1.5, instructions: 'Cheerfully' } as const
      return {
        call: (options) => speech.speak('Hello', { ...options, ...full }),
        unsupported: {},
        invalid: {
          'an empty text': (options) => speech.speak('', options),
          'a speed out of range': (options) => speech.speak('Hello', { ...options, speed: 5 }),
        },
      }
    },
  },
  {
    name: 'openai transcription',
    apiKey,
    failure,
    response: responseOf({
      task: 'transcribe',
      language: 'english',
      duration: 8.47,
      text: 'The beach was a popular spot.',
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 3.32,
          text: ' The beach',
          tokens: [50364],
          temperature: 0,
          avg_logprob: -0.28,
        },
      ],
      words: [{ word: 'The', start: 0, end: 0.24 }],
      usage: { type: 'duration', seconds: 9 },
    }),
    expected: {
      text: 'The beach was a popular spot.',
      language: 'english',
      durationSeconds: 8.47,
      segments: [{ text: ' The beach', start: 0, end: 3.32 }],
      words: [{ text: 'The', start: 0, end: 0.24 }],
      usage: nothingReported,
    },
    malformed: {
      'no text': responseOf({ usage: { type: 'duration', seconds: 1 } }),
      'a segment without times': responseOf({ text: 'a', segments: [{ text: 'a' }] }),
      'JSON that is not an object': responseOf('text'),
    },
    violations: formViolations('/v1/audio/transcriptions', {
      'name="file"; filename="audio.wav" audio/wav': '',
      model: 'whisper-1',
      language: 'en',
      prompt: 'Names: Ada',
      temperature: '0',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'word',
    }),
    create: (config) => {
      const transcriber = createOpenAITranscriber({ ...config, apiKey, model: 'whisper-1' })
      const full = { language: 'en', prompt: 'Names: Ada', temperature: 0, timestamps: 'word' } as const
      return {
        call: (options) => transcriber.transcribe(wav, { ...options, ...full }),
        unsupported: {
          'a kind of file that the API does not take': (options) =>
            transcriber.transcribe({ data: wav.data, mediaType: 'audio/midi' }, options),
        },
        invalid: {
          'an empty recording': (options) =>
            transcriber.transcribe({ data: new Uint8Array(), mediaType: 'audio/wav' }, options),
        },
      }
    },
  },
]

for (const harness of harnesses) capabilityConformance({ describe, test }, harness)

test('a transcription by a model that counts tokens reports them', async () => {
  const { fetch } = recordingFetch({
    text: 'Hi',
    usage: {
      type: 'tokens',
      input_tokens: 14,
      input_token_details: { text_tokens: 0, audio_tokens: 14 },
      output_tokens: 3,
      total_tokens: 17,
    },
  })
  const { usage: counted } = await createOpenAITranscriber({ apiKey, model: 'gpt-transcribe', fetch }).transcribe(wav)
  expect([counted.inputTokens, counted.outputTokens, counted.reported]).toEqual([14, 3, true])
})

test('one image to edit is the field "image", and its bytes arrive unchanged', async () => {
  let form: FormData | undefined
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    form = await new Response(init.body as Uint8Array<ArrayBuffer>, {
      headers: init.headers as Record<string, string>,
    }).formData()
    return Response.json({ data: [{ b64_json: base64(png) }] })
  }
  await createOpenAIImages({ apiKey, model: 'gpt-image-2', fetch }).generateImages('Edit "this"\r\nline', {
    images: [image],
  })
  expect([...(form?.keys() ?? [])]).toEqual(['model', 'prompt', 'image'])
  expect(form?.get('prompt')).toBe('Edit "this"\r\nline')
  expect(new Uint8Array(await (form?.get('image') as File).arrayBuffer())).toEqual(png)
})

test('the address of an image is refused, since modelport fetches none', async () => {
  const { fetch } = recordingFetch({ data: [{ url: 'https://images.example/1.png' }] })
  const images = createOpenAIImages({ apiKey, model: 'gpt-image-2', fetch })
  await expect(images.generateImages('A cube')).rejects.toMatchObject({ code: 'unsupported' })
})

test('speech uses the voice of its configuration, and the type of the format if the server names none', async () => {
  const { fetch, sent } = recordingFetch(() => new Response(Uint8Array.from([1, 2])))
  const speech = createOpenAISpeech({ apiKey, model: 'gpt-4o-mini-tts', voice: 'sage', fetch })
  expect((await speech.speak('Hi', { format: 'flac' })).mediaType).toBe('audio/flac')
  expect(sent[0]?.body).toEqual({ model: 'gpt-4o-mini-tts', input: 'Hi', voice: 'sage', response_format: 'flac' })
})

test('an Azure deployment is asked at its own address', async () => {
  const { fetch, sent } = recordingFetch({ data: [{ b64_json: base64(png) }] })
  const azure = { endpoint: 'https://r.openai.azure.com', deployment: 'pictures', apiVersion: '2025-04-01-preview' }
  await createOpenAIImages({ apiKey, azure, model: 'gpt-image-2', fetch }).generateImages('A cube')
  expect(sent[0]?.url).toBe(
    'https://r.openai.azure.com/openai/deployments/pictures/images/generations?api-version=2025-04-01-preview',
  )
  expect(sent[0]?.headers.get('api-key')).toBe(apiKey)
})

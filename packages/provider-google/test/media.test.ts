// Images and speech, held to the rules M of the contract; the responses are those of the documentation and of the corpus.
import { type CapabilityHarness, capabilityConformance } from '@modelport/conformance'
import { toUsage, zeroCounts } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { corpusCases } from '../../../test/support/corpus.js'
import { createGoogleImages, createGoogleSpeech } from '../src/index.js'

const apiKey = 'AIza-capability-Zx81+Canary/0123456789abcdef'
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255])
const json = { 'content-type': 'application/json; charset=UTF-8' }
const bytes = (data: Buffer) => Uint8Array.from(data)
const responseOf = (parts: readonly object[], more: object = {}) => ({
  headers: json,
  body: JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: 6,
      candidatesTokenCount: 1290,
      totalTokenCount: 1296,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    },
    ...more,
  }),
})
const usage = toUsage([{ ...zeroCounts, inputTokens: 6, outputTokens: 1290, outputByModality: { image: 1290 } }])
const inline = (mimeType: string, data: Buffer) => ({ inlineData: { mimeType, data: data.toString('base64') } })
const failure: CapabilityHarness['failure'] = (status, message, headers = {}) => ({
  status,
  headers: { ...json, ...headers },
  pieces: [JSON.stringify({ error: { code: status, message } })],
})
const violationsOf =
  (path: string, expected: object): CapabilityHarness['violations'] =>
  ({ method, path: sent, body }) => {
    const { modelport_probe: _, ...fields } = body as { readonly modelport_probe?: unknown }
    const found = JSON.stringify([method, sent, fields])
    const wanted = JSON.stringify(['POST', path, expected])
    return found === wanted ? [] : [`sent ${found}, expected ${wanted}`]
  }

const harnesses: readonly CapabilityHarness[] = [
  {
    name: 'google images',
    apiKey,
    failure,
    response: responseOf([
      { thought: true, ...inline('image/png', Buffer.from([1])) },
      { text: 'Here:' },
      inline('image/png', png),
    ]),
    expected: { images: [{ data: bytes(png), mediaType: 'image/png' }], usage },
    malformed: {
      'text alone': responseOf([{ text: 'I cannot.' }]),
      'no candidates': { headers: json, body: '{}' },
      'bytes that are not base64': responseOf([{ inlineData: { mimeType: 'image/png', data: '!' } }]),
      null: { headers: json, body: 'null' },
    },
    violations: violationsOf('/v1beta/models/gemini-2.5-flash-image:generateContent', {
      contents: [{ role: 'user', parts: [inline('image/png', png), { text: 'Make it red' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9' } },
    }),
    create: (config) => {
      const images = createGoogleImages({ ...config, apiKey, model: 'gemini-2.5-flash-image' })
      const input = { data: bytes(png), mediaType: 'image/png' }
      const refuse = (more: object) => (options: object) => images.generateImages('A cube', { ...options, ...more })
      return {
        call: (options) => images.generateImages('Make it red', { ...options, aspectRatio: '16:9', images: [input] }),
        unsupported: {
          'a count': refuse({ count: 2 }),
          'a size': refuse({ size: '1024x1024' }),
          'a quality': refuse({ quality: 'high' }),
          'a background': refuse({ background: 'opaque' }),
          'a mask': refuse({ mask: input }),
          'a format of the Gemini API': refuse({ format: 'png' }),
        },
        invalid: { 'an empty prompt': (options) => images.generateImages('', options) },
      }
    },
  },
  {
    name: 'google speech',
    apiKey,
    failure,
    response: responseOf([inline('audio/L16;codec=pcm;rate=24000', Buffer.from([0, 1, 255, 3]))]),
    expected: { data: Uint8Array.from([0, 1, 255, 3]), mediaType: 'audio/L16;codec=pcm;rate=24000', usage },
    malformed: { 'no sound': responseOf([{ text: 'Hello' }]) },
    violations: violationsOf('/v1beta/models/gemini-3.8-flash-tts:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Say cheerfully: Hello' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
      },
    }),
    create: (config) => {
      const speech = createGoogleSpeech({ ...config, apiKey, model: 'gemini-3.8-flash-tts' })
      const refuse = (more: object) => (options: object) => speech.speak('Hello', { ...options, ...more })
      return {
        call: (options) => speech.speak('Say cheerfully: Hello', { ...options, voice: 'Puck' }),
        unsupported: {
          'a format': refuse({ format: 'mp3' }),
          'a speed': refuse({ speed: 2 }),
          instructions: refuse({ instructions: 'Sing' }),
        },
        invalid: { 'an empty text': (options) => speech.speak(' ', options) },
      }
    },
  },
]

for (const harness of harnesses) capabilityConformance({ describe, test }, harness)

test.each([
  ['a blocked prompt', { candidates: [], promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
  ['a filtered image', { candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Unable to show it' }] }],
])('%s is a content filter, not a protocol error', async (_, answer) => {
  const images = createGoogleImages({
    apiKey,
    model: 'gemini-2.5-flash-image',
    fetch: () => Promise.resolve(Response.json(answer)),
  })
  await expect(images.generateImages('A cube')).rejects.toMatchObject({ code: 'content-filter' })
})

test('vendor fields of the generation join those of modelport', async () => {
  let body: unknown
  const fetch = (_: unknown, init: RequestInit = {}) => {
    body = JSON.parse(init.body as string)
    return Promise.resolve(Response.json(JSON.parse(responseOf([inline('image/png', png)]).body)))
  }
  const images = createGoogleImages({ apiKey, model: 'gemini-3-pro-image', fetch })
  await images.generateImages('A cube', { vendor: { generationConfig: { seed: 7 } } })
  expect(body).toMatchObject({ generationConfig: { responseModalities: ['TEXT', 'IMAGE'], seed: 7 } })
})

test('an Imagen model is refused', () => {
  expect(() => createGoogleImages({ apiKey, model: 'imagen-4.0-generate-001' })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
})

test('an image of Vertex AI has the format that was asked for', async () => {
  const found = corpusCases('gemini').find(
    ({ vendor, features }) => vendor === 'google-vertex' && features.includes('image-output'),
  )
  let sent: any // eslint-disable-line @typescript-eslint/no-explicit-any -- JSON
  const vertex = { project: 'demo', location: 'global', accessToken: () => 'token-0123456789' }
  const images = createGoogleImages({
    model: 'gemini-3-pro-image-preview',
    vertex,
    fetch: (_: unknown, init: RequestInit = {}) => {
      sent = JSON.parse(init.body as string)
      return Promise.resolve(new Response(found?.response.body, { headers: json }))
    },
  })
  const { images: made, usage: counted } = await images.generateImages('A paper boat', { format: 'jpeg' })
  expect(made.map(({ mediaType, data }) => [mediaType, data[0]])).toEqual([['image/jpeg', 0xff]])
  expect(counted.reported).toBe(true)
  expect(sent.generationConfig.responseModalities).toEqual(['TEXT', 'IMAGE'])
  expect(sent.generationConfig.imageConfig.imageOutputOptions.mimeType).toBe('image/jpeg')
})

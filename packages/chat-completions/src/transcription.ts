import {
  type MediaBytes,
  type Transcriber,
  type Transcription,
  type TranscriptionOptions,
  type TranscriptSpan,
} from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import type { FormField } from '@modelport/driver'
import { namedError } from '@modelport/driver'
import { type MediaEndpoint, toMediaUsage, unsupported, withVendorFields } from './media-endpoint.js'
import { asItems, asObject } from './wire.js'

/** How a server's Transcriptions API differs from OpenAI's. */
export interface TranscriptionDialect {
  /** Options that the server does not document. */
  readonly lacks?: readonly ('language' | 'prompt' | 'temperature' | 'timestamps')[]
  /** False if the server documents no `response_format`. Default true. */
  readonly verbose?: boolean
}

/** Files that the API takes, by media type: the server reads the kind from the file's name. */
const extensions: Readonly<Record<string, string>> = {
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'mp4',
  'video/mp4': 'mp4',
  'audio/m4a': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/webm': 'webm',
  'video/webm': 'webm',
}

/**
 * A transcriber by `POST /audio/transcriptions`, as a form.
 * @see https://developers.openai.com/api/reference/resources/audio/subresources/transcriptions (as in openai 7.55.0 `resources/audio/transcriptions`, read 2026-11-22)
 */
export function createTranscription(endpoint: MediaEndpoint, dialect: TranscriptionDialect = {}): Transcriber {
  const { name, model } = endpoint
  return {
    name,
    model,
    transcribe: async (audio, options = {}) => {
      checkSettings(`${name}: options of transcribe`, options, optionNames.transcription)
      for (const option of dialect.lacks ?? [])
        if (options[option] !== undefined)
          throw unsupported(name, `this server documents no transcription option "${option}"`)
      const form = withVendorFields(toForm(name, model, audio, options, dialect), options.vendor)
      return fromWire(name, await endpoint.json('/audio/transcriptions', { form }, options))
    },
  }
}

function toForm(
  name: string,
  model: string,
  { data, mediaType }: MediaBytes,
  { language, prompt, temperature, timestamps }: TranscriptionOptions,
  { verbose = true }: TranscriptionDialect,
): FormField[] {
  const extension = extensions[mediaType.split(';')[0]?.trim().toLowerCase() ?? '']
  if (!extension)
    throw unsupported(
      name,
      `audio of the type ${JSON.stringify(mediaType)}; give FLAC, MP3, MP4, M4A, OGG, WAV or WebM`,
    )
  if (!data.length) throw namedError(name, 'invalid-request', 'the recording is empty')
  const fields: readonly (readonly [string, string | number | undefined])[] = [
    ['model', model],
    ['language', language],
    ['prompt', prompt],
    ['temperature', temperature],
    ['response_format', verbose ? (timestamps ? 'verbose_json' : 'json') : undefined],
    ['timestamp_granularities[]', timestamps],
  ]
  return [
    ['file', { data, mediaType, fileName: `audio.${extension}` }],
    ...fields.flatMap(([field, value]): FormField[] => (value === undefined ? [] : [[field, String(value)]])),
  ]
}

function fromWire(name: string, response: unknown): Transcription {
  const { text, language, duration, segments, words, usage } = asObject(response)
  if (typeof text !== 'string') throw namedError(name, 'protocol', 'the response has no text')
  // Some servers write the number as text.
  const seconds = Number(duration ?? asObject(usage)['seconds'] ?? NaN)
  return {
    text,
    ...(typeof language === 'string' && language && { language }),
    ...(Number.isFinite(seconds) && { durationSeconds: seconds }),
    ...(Array.isArray(segments) && { segments: toSpans(name, segments, 'text') }),
    ...(Array.isArray(words) && { words: toSpans(name, words, 'word') }),
    usage: toMediaUsage(usage),
  }
}

function toSpans(name: string, items: unknown, field: 'text' | 'word'): TranscriptSpan[] {
  return asItems(items).map((item) => {
    const { start, end, [field]: text } = item
    if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string')
      throw namedError(name, 'protocol', `a ${field === 'text' ? 'segment' : 'word'} has no text or no times`)
    return { text, start, end }
  })
}

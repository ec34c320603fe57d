import { type SpeechGenerator, type SpeechOptions } from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { defined, namedError } from '@modelport/driver'
import { checkText, type MediaEndpoint, toMediaUsage, unsupported } from './media-endpoint.js'

/** How a server's Speech API differs from OpenAI's. */
export interface SpeechDialect {
  /** Formats that the server documents. Default: all of {@link SpeechOptions.format}. */
  readonly formats?: readonly NonNullable<SpeechOptions['format']>[]
  /** Options that the server does not document. */
  readonly lacks?: readonly ('speed' | 'instructions')[]
}

const mediaTypes: Readonly<Record<NonNullable<SpeechOptions['format']>, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg; codecs=opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** What the API makes when no format is set. */
const usualFormat = 'mp3'

/**
 * A speech generator by `POST /audio/speech`. `voice` is the one used when a call names none; the API requires one.
 * @see https://developers.openai.com/api/reference/resources/audio/subresources/speech (as in openai 7.55.0 `resources/audio/speech`, read 2026-11-22)
 */
export function createSpeech(
  endpoint: MediaEndpoint,
  usualVoice: string | undefined,
  { formats, lacks = [] }: SpeechDialect = {},
): SpeechGenerator {
  const { name, model } = endpoint
  return {
    name,
    model,
    speak: async (text, options = {}) => {
      checkSettings(`${name}: options of speak`, options, optionNames.speech)
      const { voice = usualVoice, format, speed, instructions } = options
      checkText(name, 'the text to speak', text)
      if (!voice) throw namedError(name, 'invalid-request', 'the API needs a voice; set voice')
      for (const option of lacks)
        if (options[option] !== undefined) throw unsupported(name, `this server documents no speech option "${option}"`)
      if (format !== undefined && formats && !formats.includes(format))
        throw unsupported(name, `the format "${format}"; this server documents ${formats.join(', ')}`)
      if (speed !== undefined && !(speed >= 0.25 && speed <= 4))
        throw namedError(name, 'invalid-request', `speed must be 0.25 to 4, not ${speed}`)
      const body = defined({ model, input: text, voice, response_format: format, speed, instructions })
      const { data, contentType } = await endpoint.bytes('/audio/speech', { body }, options)
      const named = /^audio\//i.test(contentType)
      return {
        data,
        mediaType: named ? contentType : mediaTypes[format ?? usualFormat],
        usage: toMediaUsage(undefined),
      }
    },
  }
}

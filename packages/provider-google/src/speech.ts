import type { SpeechGenerator } from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { checkText, filesOf, unsupported } from './media.js'
import { providerName } from './model-state.js'

/** Configuration of {@link createGoogleSpeech}; `model` is a model that speaks, for example `gemini-3.8-flash-tts`. */
export interface GoogleSpeechConfig extends GoogleConfig {
  /** The voice of calls that name none. Default `Kore`. */
  readonly voice?: string
}

/**
 * A speech generator by `generateContent`. The kind of the sound is the model's to choose; older models return samples without a header,
 * with their rate in the media type. How to speak is written into the text: `Say cheerfully: …`.
 * @see https://ai.google.dev/gemini-api/docs/speech-generation and `SpeechConfig` of @google/genai 3.1.0 (read 2026-11-22)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work.
 */
export function createGoogleSpeech(config: GoogleSpeechConfig): SpeechGenerator {
  requireConfig(config, 'createGoogleSpeech', [...configNames, 'voice'], fieldNames)
  const { voice: usualVoice = 'Kore', ...common } = config
  const ask = filesOf(common)
  return {
    name: providerName,
    model: config.model,
    speak: async (text, options = {}) => {
      checkSettings(`${providerName}: options of speak`, options, optionNames.speech)
      checkText('the text to speak', text)
      for (const name of ['format', 'speed', 'instructions'] as const)
        if (options[name] !== undefined) throw unsupported(`this API takes no speech option "${name}"`)
      const { voice = usualVoice } = options
      const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } }
      const config = { responseModalities: ['AUDIO'], speechConfig }
      const { files, usage } = await ask('audio', [{ text }], config, options)
      const [sound] = files
      if (!sound || files.length > 1) throw unsupported('the reply has several sounds, which modelport does not join')
      return { ...sound, usage }
    },
  }
}

import { asText, type JsonObject } from '@modelport/core'
import { toBase64 } from '@modelport/core/text'
import { decodeBase64, type Sink, type Turn } from '@modelport/driver'
import { asObject } from './wire.js'

/**
 * Formats that a request can ask for.
 * @see https://developers.openai.com/api/docs/guides/audio (as in openai 7.55.0
 * `ChatCompletionAudioParam`, read 2026-11-24)
 */
const mediaTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  opus: 'audio/ogg; codecs=opus',
  pcm16: 'audio/pcm; rate=24000',
}

/**
 * Collects the audio of a reply: whole, or in pieces whose bytes follow each other. The wire does
 * not name its format, but the request does.
 */
export class SpokenReply {
  readonly #sink: Sink
  readonly #mediaType: string | undefined
  readonly #pieces: Uint8Array[] = []
  #lost = false

  constructor(sink: Sink, { options }: Turn) {
    this.#sink = sink
    this.#mediaType = mediaTypes[asText(asObject(options.vendor?.['audio'])['format'])]
  }

  add({ data }: Partial<JsonObject>): void {
    const bytes =
      asText(data) && this.#mediaType !== undefined ? decodeBase64(asText(data)) : undefined
    if (bytes) this.#pieces.push(bytes)
    else this.#lost ||= Boolean(data)
  }

  end(): void {
    if (this.#lost)
      this.#sink.warning(
        'the audio of the reply was left out: its format is not in vendor.audio.format, or it is not base64',
      )
    else if (this.#pieces.length && this.#mediaType !== undefined) {
      const whole = new Uint8Array(this.#pieces.reduce((sum, { length }) => sum + length, 0))
      let at = 0
      for (const piece of this.#pieces) {
        whole.set(piece, at)
        at += piece.length
      }
      const source = { type: 'base64', data: toBase64(whole), mediaType: this.#mediaType } as const
      this.#sink.part({ type: 'audio', source })
    }
  }
}

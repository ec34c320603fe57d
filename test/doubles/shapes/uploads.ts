// What is uploaded as a form, written from the types of the package `openai` and the reference of the API, since a form has texts and files where the types
// have numbers and streams. A test compares the names with those of the installed package.
// @see https://developers.openai.com/api/reference/resources/audio/subresources/transcriptions (read 2026-11-25)
// @see https://developers.openai.com/api/reference/resources/images (read 2026-11-25)
// @see https://developers.openai.com/api/reference/resources/files (read 2026-11-25)
import { list, object, oneOf, string } from './forms.ts'

const number = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }
const whole = { type: 'string', pattern: '^\\d+$' }
const boolean = oneOf('true', 'false')
const file = object({ 'fileName!': { type: 'string', pattern: '.' }, mediaType: string, 'size!': { type: 'integer' } })

/** The shapes. */
export const uploadShapes: {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
} = {
  $id: 'uploads',
  source: 'the types of openai and the reference of its API, read 2026-11-25',
  definitions: {
    transcription: object({
      'file!': file,
      'model!': string,
      chunking_strategy: string,
      'include[]': list(oneOf('logprobs')),
      'keywords[]': list(string),
      'known_speaker_names[]': list(string, { maxItems: 4 }),
      'known_speaker_references[]': list(string, { maxItems: 4 }),
      language: string,
      'languages[]': list(string),
      prompt: string,
      response_format: oneOf('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'),
      stream: boolean,
      temperature: number,
      'timestamp_granularities[]': list(oneOf('word', 'segment')),
    }),
    imageEdit: object({
      image: file,
      'image[]': list(file),
      'prompt!': string,
      background: oneOf('transparent', 'opaque', 'auto'),
      complexity: oneOf('low', 'medium', 'high'),
      frame_count: whole,
      frame_duration_ms: whole,
      input_fidelity: oneOf('high', 'low'),
      markup: file,
      mask: file,
      model: string,
      n: whole,
      output_compression: whole,
      output_format: oneOf('png', 'jpeg', 'webp', 'gif'),
      partial_images: whole,
      quality: oneOf('low', 'medium', 'high', 'xhigh', 'max', 'auto', 'standard'),
      response_format: oneOf('url', 'b64_json'),
      safety_identifier: string,
      size: string,
      stream: boolean,
      user: string,
    }),
    file: object({
      'file!': file,
      'purpose!': oneOf('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'),
      'expires_after[anchor]': oneOf('created_at'),
      'expires_after[seconds]': whole,
    }),
  },
}

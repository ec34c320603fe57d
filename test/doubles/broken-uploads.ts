import { type BrokenRequest, post, row, user } from './broken-requests.ts'
import { toSentFile } from './form.ts'
import { parse } from './refusals.ts'
import type { Fields, SentRequest } from './sent-request.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const png = (width = 1): Uint8Array =>
  Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, width, 0, 0, 0, 1)
const sound = toSentFile(encode('RIFF'), 'audio.wav', 'audio/wav')
const picture = toSentFile(png(), 'image.png', 'image/png')
const transcribes = (more: Fields): SentRequest =>
  post('https://api.openai.com/v1/audio/transcriptions', { file: sound, model: 'whisper-1', ...more })
const edits = (more: Fields): SentRequest =>
  post('https://api.openai.com/v1/images/edits', { image: picture, prompt: 'Red', model: 'gpt-image-2', ...more })
const batchLine = (more: Fields = {}): Fields => ({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/responses',
  body: { model: 'gpt-4.1', input: 'Hi' },
  ...more,
})
const uploads = (lines: readonly unknown[], name = 'batch.jsonl'): SentRequest =>
  post('https://api.openai.com/v1/files', {
    purpose: 'batch',
    file: toSentFile(
      encode(lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')),
      name,
    ),
  })
/** A body of bytes, as it is on the wire. */
const form = (url: string, text: string, type = 'multipart/form-data; boundary=b'): SentRequest => ({
  ...post(url, {}, { 'content-type': type }),
  body: parse(encode(text), type),
})
const part = (head: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`
const recording = part('name="file"; filename="a.wav"', 'RIFF')
const whisper = part('name="model"', 'whisper-1')
const transcriptionUrl = 'https://api.openai.com/v1/audio/transcriptions'

/** Uploads that the vendor takes. */
export const rightUploads: readonly SentRequest[] = [
  transcribes({ response_format: 'verbose_json', 'timestamp_granularities[]': ['word'], temperature: '0.5' }),
  form(transcriptionUrl, `${recording}${whisper}--b--\r\n`),
  edits({ mask: picture, n: '2' }),
  edits({ image: undefined, 'image[]': [picture, picture] }),
  uploads([batchLine(), '', batchLine({ custom_id: 'b' })]),
  uploads([batchLine({ url: '/v1/chat/completions', body: { model: 'm', messages: [user] } })]),
]

/** Uploads that break one rule each. */
export const brokenUploads: readonly BrokenRequest[] = [
  row('form', '', form(transcriptionUrl, `${recording}${whisper}`)),
  row('form', '', form(transcriptionUrl, `${recording}${whisper}--b--\r\n`, 'multipart/form-data')),
  row('form', '', form(transcriptionUrl, `\r\n${recording}${whisper}--b--\r\n`)),
  row('form', '', form(transcriptionUrl, `${recording}${part('name=model', 'x')}--b--\r\n`)),
  row('form', '', form(transcriptionUrl, `${recording}${whisper}--b--\r\nmore`)),
  row('form', '', post(transcriptionUrl, { file: 'x' }, { 'content-type': 'application/json' })),
  row('shape', 'model', form(transcriptionUrl, `${recording}${whisper}${whisper}--b--\r\n`)),
  row('shape', 'file', form(transcriptionUrl, `${part('name="file"', 'RIFF')}${whisper}--b--\r\n`)),
  row('shape', 'file.fileName', transcribes({ file: toSentFile(encode('x')) })),
  row('shape', 'temperature', transcribes({ temperature: 'low' })),
  row('unknown-field', 'seed', edits({ seed: '1' })),
  row('transcription-file-name', 'file', transcribes({ file: toSentFile(encode('x'), 'audio.aiff') })),
  row('transcription-file-size', 'file', transcribes({ file: toSentFile(new Uint8Array(), 'a.wav') })),
  row('transcription-file-size', 'file', transcribes({ file: { fileName: 'a.wav', size: 30_000_000 } })),
  row(
    'transcription-timestamps',
    'timestamp_granularities[]',
    transcribes({ 'timestamp_granularities[]': ['word'], response_format: 'json' }),
  ),
  row(
    'transcription-formats',
    'response_format',
    transcribes({ model: 'gpt-4o-transcribe', response_format: 'verbose_json' }),
  ),
  row('transcription-options', 'language', transcribes({ language: 'English' })),
  row('transcription-options', 'temperature', transcribes({ temperature: '1.5' })),
  row('transcription-options', 'include[]', transcribes({ 'include[]': ['logprobs'] })),
  row('edit-image-types', 'image', edits({ image: toSentFile(png(), 'image.png') })),
  row('edit-image-types', 'image', edits({ image: toSentFile(png(), 'image', 'image/png') })),
  row('edit-image-types', 'image', edits({ image: toSentFile(encode('GIF89a'), 'image.png', 'image/png') })),
  row('edit-image-types', 'mask', edits({ mask: toSentFile(encode('x'), 'm.jpg', 'image/jpeg') })),
  row('edit-image-sizes', 'mask', edits({ mask: toSentFile(png(2), 'm.png', 'image/png') })),
  row('edit-image-sizes', 'image', edits({ image: { fileName: 'a.png', mediaType: 'image/png', size: 60_000_000 } })),
  row('edit-images', 'image', edits({ 'image[]': [picture] })),
  row('edit-images', 'image', edits({ image: undefined })),
  row('edit-images', 'image[]', edits({ image: undefined, 'image[]': Array.from({ length: 17 }, () => picture) })),
  row('edit-options', 'n', edits({ n: '11' })),
  row('edit-options', 'prompt', edits({ prompt: ' ' })),
  row('edit-options', 'output_compression', edits({ output_compression: '50' })),
  row('edit-options', 'background', edits({ background: 'transparent', output_format: 'jpeg' })),
  row('edit-options', 'response_format', edits({ response_format: 'b64_json' })),
  row(
    'file-sizes',
    'file',
    post('https://api.openai.com/v1/files', { purpose: 'user_data', file: { fileName: 'a.pdf', size: 600_000_000 } }),
  ),
  row('batch-file-name', 'file', uploads([batchLine()], 'batch.json')),
  row('batch-lines', 'file:2', uploads([batchLine(), '{'])),
  row('batch-lines', 'file:1.custom_id', uploads([batchLine({ custom_id: undefined })])),
  row('batch-lines', 'file:1.method', uploads([batchLine({ method: 'GET' })])),
  row('batch-lines', 'file:1.url', uploads([batchLine({ url: 'https://api.openai.com/v1/responses' })])),
  row('batch-lines', 'file', uploads([' '])),
  row('batch-line-ids', 'file:2.custom_id', uploads([batchLine(), batchLine()])),
  row(
    'batch-one-endpoint',
    'file:2',
    uploads([
      batchLine(),
      batchLine({ custom_id: 'b', url: '/v1/chat/completions', body: { model: 'gpt-4.1', messages: [user] } }),
    ]),
  ),
  row(
    'batch-one-model',
    'file:2',
    uploads([batchLine(), batchLine({ custom_id: 'b', body: { model: 'gpt-5', input: 'Hi' } })]),
  ),
  row(
    'batch-streams-nothing',
    'file:1.body.stream',
    uploads([batchLine({ body: { model: 'gpt-4.1', input: 'Hi', stream: true } })]),
  ),
  row(
    'responses-fewest-tokens',
    'file:1.body.max_output_tokens',
    uploads([batchLine({ body: { model: 'gpt-4.1', input: 'Hi', max_output_tokens: 1 } })]),
  ),
  row('unknown-field', 'file:1.body.messages', uploads([batchLine({ body: { model: 'gpt-4.1', messages: [user] } })])),
]

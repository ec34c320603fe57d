import { type BrokenRequest, post, row, user } from './broken-requests.ts'
import { toSentFile } from './form.ts'
import { parse } from './refusals.ts'
import type { Fields, SentRequest } from './sent-request.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const filesUrl = 'https://api.openai.com/v1/files'
const page = toSentFile(encode('%PDF'), 'a.pdf', 'application/pdf')
const files = (more: Fields): SentRequest =>
  post(filesUrl, { purpose: 'user_data', file: page, ...more })
const batchLine = (more: Fields = {}): Fields => ({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/responses',
  body: { model: 'gpt-4.1', input: 'Hi' },
  ...more,
})
const uploads = (lines: readonly unknown[], name = 'batch.jsonl'): SentRequest =>
  post(filesUrl, {
    purpose: 'batch',
    file: toSentFile(
      encode(lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')),
      name,
    ),
  })
/** A body of bytes, as it is on the wire. */
const form = (
  url: string,
  text: string,
  type = 'multipart/form-data; boundary=b',
): SentRequest => ({
  ...post(url, {}, { 'content-type': type }),
  body: parse(encode(text), type),
})
const part = (head: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`
const document = part('name="file"; filename="a.pdf"', '%PDF')
const purpose = part('name="purpose"', 'user_data')

const anthropic = (more: Fields): SentRequest =>
  post(
    'https://api.anthropic.com/v1/files',
    { file: page, ...more },
    { 'anthropic-version': '2023-06-01' },
  )
const google = (body: Fields): SentRequest =>
  post('https://generativelanguage.googleapis.com/upload/v1beta/files', body, {
    'x-goog-upload-command': 'start',
  })

/** Uploads that the vendor takes. */
export const rightUploads: readonly SentRequest[] = [
  anthropic({ expires_in_seconds: '3600' }),
  google({ file: { display_name: 'a.pdf' } }),
  files({ 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' }),
  form(filesUrl, `${document}${purpose}--b--\r\n`),
  uploads([batchLine(), '', batchLine({ custom_id: 'b' })]),
  uploads([batchLine({ url: '/v1/chat/completions', body: { model: 'm', messages: [user] } })]),
]

/** Uploads that break one rule each. */
export const brokenUploads: readonly BrokenRequest[] = [
  row('form', '', form(filesUrl, `${document}${purpose}`)),
  row('form', '', form(filesUrl, `${document}${purpose}--b--\r\n`, 'multipart/form-data')),
  row('form', '', form(filesUrl, `\r\n${document}${purpose}--b--\r\n`)),
  row('form', '', form(filesUrl, `${document}${part('name=purpose', 'x')}--b--\r\n`)),
  row('form', '', form(filesUrl, `${document}${purpose}--b--\r\nmore`)),
  row('form', '', post(filesUrl, { file: 'x' }, { 'content-type': 'application/json' })),
  row('shape', 'purpose', form(filesUrl, `${document}${purpose}${purpose}--b--\r\n`)),
  row('shape', 'file', form(filesUrl, `${part('name="file"', '%PDF')}${purpose}--b--\r\n`)),
  row('shape', 'file.fileName', files({ file: toSentFile(encode('x')) })),
  row('shape', 'expires_after[seconds]', files({ 'expires_after[seconds]': 'soon' })),
  row('unknown-field', 'seed', files({ seed: '1' })),
  row('file-sizes', 'file', files({ file: toSentFile(new Uint8Array(), 'a.pdf') })),
  row('file-sizes', 'file', files({ file: { fileName: 'a.pdf', size: 600_000_000 } })),
  row('unknown-field', 'purpose', anthropic({ purpose: 'user_data' })),
  row(
    'anthropic-file-sizes',
    'file',
    anthropic({ file: { fileName: 'a.pdf', size: 600_000_000 } }),
  ),
  row('anthropic-file-sizes', 'expires_in_seconds', anthropic({ expires_in_seconds: '60' })),
  row('unknown-field', 'file.displayname', google({ file: { displayname: 'a.pdf' } })),
  row('batch-file-name', 'file', uploads([batchLine()], 'batch.json')),
  row('batch-lines', 'file:2', uploads([batchLine(), '{'])),
  row('batch-lines', 'file:1.custom_id', uploads([batchLine({ custom_id: undefined })])),
  row('batch-lines', 'file:1.method', uploads([batchLine({ method: 'GET' })])),
  row(
    'batch-lines',
    'file:1.url',
    uploads([batchLine({ url: 'https://api.openai.com/v1/responses' })]),
  ),
  row('batch-lines', 'file', uploads([' '])),
  row('batch-line-ids', 'file:2.custom_id', uploads([batchLine(), batchLine()])),
  row(
    'batch-one-endpoint',
    'file:2',
    uploads([
      batchLine(),
      batchLine({
        custom_id: 'b',
        url: '/v1/chat/completions',
        body: { model: 'gpt-4.1', messages: [user] },
      }),
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
  row(
    'unknown-field',
    'file:1.body.messages',
    uploads([batchLine({ body: { model: 'gpt-4.1', messages: [user] } })]),
  ),
]

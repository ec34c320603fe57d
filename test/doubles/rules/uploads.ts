import type { SentFile } from '../form.ts'
import { asText, type Fields, fieldsOf, isFields, listOf, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'

const dialects = ['form'] as const
const speech = 'https://developers.openai.com/api/docs/guides/speech-to-text'
const transcriptions = 'https://developers.openai.com/api/reference/resources/audio/subresources/transcriptions'
const images = 'https://developers.openai.com/api/reference/resources/images'
const files = 'https://developers.openai.com/api/reference/resources/files'
const batches = 'https://developers.openai.com/api/docs/guides/batch'
const mebibyte = 1024 * 1024

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const fileOf = (request: SentRequest, name = 'file'): Partial<SentFile> => fieldsOf(bodyOf(request)[name])
const endingOf = ({ fileName = '' }: Partial<SentFile>): string => /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
const numberOf = (value: unknown): number | undefined => (typeof value === 'string' ? Number(value) : undefined)
const sizeBreach = ({ size = 0 }: Partial<SentFile>, most: number, path: string): readonly Breach[] => [
  ...breach(!size, path, 'The file is empty.'),
  ...breach(size > most, path, `Maximum content size limit (${most}) exceeded (${size} bytes read)`),
]

const sounds = 'flac mp3 mp4 mpeg mpga m4a ogg wav webm'.split(' ')
const imageTypes: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
}
const isImage: Readonly<Record<string, (head: string) => boolean>> = {
  'image/png': (head) => head.startsWith('\u0089PNG\r\n'),
  'image/jpeg': (head) => head.startsWith('\u00ff\u00d8\u00ff'),
  'image/webp': (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
}

/** The images of a form, each with its path. */
const imagesOf = (request: SentRequest): readonly (readonly [Partial<SentFile>, string])[] => {
  const { image, 'image[]': several = [], mask } = bodyOf(request)
  return [
    ...(isFields(image) ? [[image, 'image'] as const] : []),
    ...listOf(several).map((one, index) => [one, `image[${index}]`] as const),
    ...(isFields(mask) ? [[mask, 'mask'] as const] : []),
  ]
}
const headOf = ({ data = new Uint8Array() }: Partial<SentFile>): string =>
  Buffer.from(data.subarray(0, 24)).toString('latin1')
/** Width and height of a PNG, '' where they are not there. */
const pngSize = (file: Partial<SentFile>): string => {
  const head = headOf(file)
  return isImage['image/png']?.(head) && head.length >= 24 ? head.slice(16, 24) : ''
}

/** A line of the file of a batch; its number counts from 1, as the vendor counts. */
export interface BatchLine {
  readonly number: number
  readonly path: string
  /** Undefined where the line is not an object. */
  readonly line: Fields | undefined
}

/** The lines of a file for a batch; none where a file is for something else. */
export function batchLines(request: SentRequest): readonly BatchLine[] {
  if (bodyOf(request)['purpose'] !== 'batch') return []
  const { data = new Uint8Array() } = fileOf(request)
  return new TextDecoder()
    .decode(data)
    .split('\n')
    .flatMap((text, index) => {
      if (!text.trim()) return []
      return [{ number: index + 1, path: `file:${index + 1}`, line: parseObject(text) }]
    })
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Lines whose value differs from that of the first one. */
function differing(request: SentRequest, valueOf: (line: Fields) => unknown, message: string): readonly Breach[] {
  const lines = batchLines(request)
  const first = valueOf(lines[0]?.line ?? {})
  return lines.flatMap(({ line, path }) => breach(line && valueOf(line) !== first, path, message))
}

const batchUrls = [
  '/v1/responses',
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/videos',
]

export const uploadRules: readonly Rule[] = [
  {
    name: 'transcription-file-name',
    dialects,
    apis: ['openai-transcriptions'],
    says: `the name of the recording ends in one of ${sounds.join(', ')}: the server reads its kind from it`,
    source: speech,
    check: (request) =>
      breach(
        !sounds.includes(endingOf(fileOf(request))),
        'file',
        `Invalid file format. Supported formats: ${sounds.join(', ')}`,
      ),
  },
  {
    name: 'transcription-file-size',
    dialects,
    apis: ['openai-transcriptions'],
    says: 'the recording is not empty and has at most 25 MiB',
    source: speech,
    check: (request) => sizeBreach(fileOf(request), 25 * mebibyte, 'file'),
  },
  {
    name: 'transcription-timestamps',
    dialects,
    apis: ['openai-transcriptions'],
    says: 'times of words or segments come only as `verbose_json`',
    source: transcriptions,
    check: (request) => {
      const { 'timestamp_granularities[]': times, response_format: format } = bodyOf(request)
      return breach(
        times !== undefined && format !== 'verbose_json',
        'timestamp_granularities[]',
        'timestamp_granularities[] requires response_format verbose_json',
      )
    },
  },
  {
    name: 'transcription-formats',
    dialects,
    apis: ['openai-transcriptions'],
    says: 'the models `gpt-4o-transcribe` answer in `json` only, the one that tells speakers apart in `json`, `text` or `diarized_json`',
    source: transcriptions,
    check: (request) => {
      const { model, response_format: format = 'json' } = bodyOf(request)
      const known = String(model).startsWith('gpt-4o-transcribe-diarize')
        ? ['json', 'text', 'diarized_json']
        : /^gpt-4o(-mini)?-transcribe/.test(String(model))
          ? ['json']
          : undefined
      return breach(
        known && !known.includes(String(format)),
        'response_format',
        `response_format '${String(format)}' is not compatible with model '${String(model)}'. Use '${known?.join("', '") ?? ''}' instead.`,
      )
    },
  },
  {
    name: 'transcription-options',
    dialects,
    apis: ['openai-transcriptions'],
    says: '`temperature` is 0 to 1, `language` a code of ISO 639; `include[]` comes with `json` and not with `whisper-1`',
    source: transcriptions,
    check: (request) => {
      const { temperature, language, model, 'include[]': include, response_format: format = 'json' } = bodyOf(request)
      return [
        ...outside(numberOf(temperature), 0, 1, 'temperature'),
        ...breach(
          language !== undefined && !/^[a-z]{2,3}$/.test(asText(language)),
          'language',
          `Invalid language '${asText(language)}'. Language parameter must be specified in ISO-639-1 format.`,
        ),
        ...breach(
          include !== undefined && (format !== 'json' || model === 'whisper-1'),
          'include[]',
          'logprobs are only supported with the response format json and models after whisper-1',
        ),
      ]
    },
  },
  {
    name: 'edit-image-types',
    dialects,
    apis: ['openai-image-edits'],
    says: 'an image has the type PNG, JPEG or WebP, and a name and bytes of that type; a mask is a PNG',
    source: 'https://github.com/openai/openai-node/issues/1468',
    check: (request) =>
      imagesOf(request).flatMap(([file, path]) => {
        const { mediaType = 'application/octet-stream', data } = file
        const endings = imageTypes[mediaType]
        const isKnown = endings && (path !== 'mask' || mediaType === 'image/png')
        if (!isKnown)
          return breach(
            true,
            path,
            `Invalid file '${path}': unsupported mimetype ('${mediaType}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`,
          )
        return [
          ...breach(!endings.includes(endingOf(file)), path, `the name of the file is not one of ${mediaType}`),
          ...breach(data?.length && !isImage[mediaType]?.(headOf(file)), path, 'Invalid image file or mode.'),
        ]
      }),
  },
  {
    name: 'edit-image-sizes',
    dialects,
    apis: ['openai-image-edits'],
    says: 'an image has less than 50 MB, a mask less than 4 MB and the width and height of the first image',
    source: images,
    check: (request) => {
      const all = imagesOf(request)
      const [first = {}] = all.map(([file]) => file)
      return all.flatMap(([file, path]) => [
        ...sizeBreach(file, path === 'mask' ? 4_000_000 : 50_000_000, path),
        ...breach(
          path === 'mask' && pngSize(file) && pngSize(first) && pngSize(file) !== pngSize(first),
          path,
          'Invalid mask image format - mask size does not match image size',
        ),
      ])
    },
  },
  {
    name: 'edit-images',
    dialects,
    apis: ['openai-image-edits'],
    says: 'there is one field `image`, or 1 to 16 of the name `image[]`',
    source: images,
    check: (request) => {
      const { image, 'image[]': several } = bodyOf(request)
      return [
        ...breach(!image && !listOf(several).length, 'image', "Missing required parameter: 'image'."),
        ...breach(image && several, 'image', "Duplicate parameter: 'image'"),
        ...breach(listOf(several).length > 16, 'image[]', `${listOf(several).length} images, more than 16`),
      ]
    },
  },
  {
    name: 'edit-options',
    dialects,
    apis: ['openai-image-edits'],
    says: 'the prompt has 1 to 32,000 characters, `n` is 1 to 10, `partial_images` 0 to 3, `output_compression` 0 to 100 and not for PNG; what is transparent is not JPEG; `response_format` is not for `gpt-image`',
    source: images,
    check: (request) => {
      const { prompt, n, partial_images: partial, output_compression: compression, ...rest } = bodyOf(request)
      const { output_format: format = 'png', background, model, response_format: response } = rest
      return [
        ...outside(String(prompt).trim().length, 1, 32_000, 'prompt'),
        ...outside(numberOf(n), 1, 10, 'n'),
        ...outside(numberOf(partial), 0, 3, 'partial_images'),
        ...outside(numberOf(compression), 0, 100, 'output_compression'),
        ...breach(
          compression !== undefined && format !== 'webp' && format !== 'jpeg',
          'output_compression',
          'Compression less than 100 is not supported for PNG output format',
        ),
        ...breach(
          background === 'transparent' && format === 'jpeg',
          'background',
          'Transparent background is not supported for JPEG output format',
        ),
        ...breach(
          response !== undefined && String(model).startsWith('gpt-image'),
          'response_format',
          "Unknown parameter: 'response_format'.",
        ),
      ]
    },
  },
  {
    name: 'file-sizes',
    dialects,
    apis: ['openai-files'],
    says: 'a file is not empty and has at most 512 MB, one for a batch 200 MB',
    source: files,
    check: (request) =>
      sizeBreach(fileOf(request), bodyOf(request)['purpose'] === 'batch' ? 200_000_000 : 512_000_000, 'file'),
  },
  {
    name: 'batch-file-name',
    dialects,
    apis: ['openai-files'],
    says: 'the name of a file for a batch ends in `.jsonl`',
    source: 'https://github.com/BerriAI/litellm/pull/37527',
    check: (request) =>
      breach(
        bodyOf(request)['purpose'] === 'batch' && endingOf(fileOf(request)) !== 'jsonl',
        'file',
        'Invalid file format for Batch API. Must be .jsonl',
      ),
  },
  {
    name: 'batch-lines',
    dialects,
    apis: ['openai-files'],
    says: 'each line is an object with `custom_id`, the method POST, a `url` that batches know and a `body`; there are 1 to 50,000',
    source: batches,
    check: (request) => {
      const lines = batchLines(request)
      return [
        ...breach(bodyOf(request)['purpose'] === 'batch' && !lines.length, 'file', 'The file has no lines.'),
        ...breach(lines.length > 50_000, 'file', `${lines.length} lines, more than 50000`),
        ...lines.flatMap(({ line, path, number }) =>
          line
            ? [
                ...breach(
                  !line['custom_id'] || typeof line['custom_id'] !== 'string',
                  `${path}.custom_id`,
                  'is missing',
                ),
                ...breach(line['method'] !== 'POST', `${path}.method`, 'must be POST'),
                ...breach(!batchUrls.includes(String(line['url'])), `${path}.url`, 'is not an endpoint of batches'),
                ...breach(!isFields(line['body']), `${path}.body`, 'is missing'),
              ]
            : breach(true, path, `Line ${number} is not valid JSON.`),
        ),
      ]
    },
  },
  {
    name: 'batch-line-ids',
    dialects,
    apis: ['openai-files'],
    says: 'no two lines have the same `custom_id`',
    source:
      'https://community.openai.com/t/batch-the-custom-id-for-this-request-is-a-duplicate-of-another-request/723696',
    check: (request) => {
      const seen = new Set<unknown>()
      return batchLines(request).flatMap(({ line, path }) => {
        const id = line?.['custom_id']
        const isTwice = id !== undefined && seen.has(id)
        seen.add(id)
        return breach(
          isTwice,
          `${path}.custom_id`,
          'The custom_id for this request is a duplicate of another request. The custom_id parameter must be unique for each request in a batch.',
        )
      })
    },
  },
  {
    name: 'batch-one-endpoint',
    dialects,
    apis: ['openai-files'],
    says: 'all lines ask the same `url`',
    source: 'https://github.com/openai/openai-python/issues/2497',
    check: (request) =>
      differing(request, (line) => line['url'], 'The URL provided for this request does not match the batch endpoint.'),
  },
  {
    name: 'batch-one-model',
    dialects,
    apis: ['openai-files'],
    says: 'all lines ask the same model',
    source: batches,
    check: (request) =>
      differing(request, (line) => fieldsOf(line['body'])['model'], 'All requests of a file are for a single model.'),
  },
  {
    name: 'batch-streams-nothing',
    dialects,
    apis: ['openai-files'],
    says: 'no line asks for a stream',
    source: batches,
    check: (request) =>
      batchLines(request).flatMap(({ line, path }) =>
        breach(
          fieldsOf(line?.['body'])['stream'] === true,
          `${path}.body.stream`,
          'Streaming is not supported in batches.',
        ),
      ),
  },
]

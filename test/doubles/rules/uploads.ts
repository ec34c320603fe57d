import type { SentFile } from '../form.ts'
import { type Fields, fieldsOf, isFields, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'

const dialects = ['form'] as const
const files = 'https://developers.openai.com/api/reference/resources/files'
const batches = 'https://developers.openai.com/api/docs/guides/batch'

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const fileOf = (request: SentRequest): Partial<SentFile> => fieldsOf(bodyOf(request)['file'])
const endingOf = ({ fileName = '' }: Partial<SentFile>): string =>
  /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
const sizeBreach = (
  { size = 0 }: Partial<SentFile>,
  most: number,
  path: string,
): readonly Breach[] => [
  ...breach(!size, path, 'The file is empty.'),
  ...breach(
    size > most,
    path,
    `Maximum content size limit (${most}) exceeded (${size} bytes read)`,
  ),
]

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
function differing(
  request: SentRequest,
  valueOf: (line: Fields) => unknown,
  message: string,
): readonly Breach[] {
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
    name: 'file-sizes',
    dialects,
    apis: ['openai-files'],
    says: 'a file is not empty and has at most 512 MB, one for a batch 200 MB',
    source: files,
    check: (request) =>
      sizeBreach(
        fileOf(request),
        bodyOf(request)['purpose'] === 'batch' ? 200_000_000 : 512_000_000,
        'file',
      ),
  },
  {
    name: 'anthropic-file-sizes',
    dialects,
    apis: ['anthropic-files'],
    says: 'a file is not empty and has at most 500 MB; it expires after an hour to 90 days',
    source: 'https://platform.claude.com/docs/en/build-with-claude/files',
    check: (request) => [
      ...sizeBreach(fileOf(request), 500_000_000, 'file'),
      ...outside(
        Number(bodyOf(request)['expires_in_seconds'] ?? 3600),
        3600,
        7_776_000,
        'expires_in_seconds',
      ),
    ],
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
        ...breach(
          bodyOf(request)['purpose'] === 'batch' && !lines.length,
          'file',
          'The file has no lines.',
        ),
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
                ...breach(
                  !batchUrls.includes(String(line['url'])),
                  `${path}.url`,
                  'is not an endpoint of batches',
                ),
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
      differing(
        request,
        (line) => line['url'],
        'The URL provided for this request does not match the batch endpoint.',
      ),
  },
  {
    name: 'batch-one-model',
    dialects,
    apis: ['openai-files'],
    says: 'all lines ask the same model',
    source: batches,
    check: (request) =>
      differing(
        request,
        (line) => fieldsOf(line['body'])['model'],
        'All requests of a file are for a single model.',
      ),
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

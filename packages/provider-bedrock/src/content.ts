import {
  type Content,
  type ContentPart,
  type FilePart,
  LlmError,
  type MediaSource,
  type SystemMessage,
} from '@modelport/core'
import { withVendor } from '@modelport/driver'
import type { WireBlock } from './wire.js'

const imageFormats = ['png', 'jpeg', 'gif', 'webp']

/**
 * Formats of documents by media type.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html (as
 * in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

/** Gives each document of a request a name that no other has. */
export type NameDocument = (name: string | undefined) => string

/**
 * Names for the documents of one request: at most 200 letters, digits, single spaces, hyphens,
 * parentheses and square brackets, without the extension; a repeated one gets a number.
 * @see https://github.com/vercel/ai/pull/20366 (read 2026-11-27): the limit
 * @see https://github.com/maximhq/bifrost/issues/7003 (read 2026-11-27): "Messages can't contain
 * duplicate document names"
 */
export function createDocumentNames(): NameDocument {
  const counts = new Map<string, number>()
  return (name = '') => {
    const bare = name.replace(/(?<=.)[.][a-z0-9]{1,5}$/i, '')
    const fit =
      bare
        .replace(/[^a-z0-9()[\]-]+/gi, ' ')
        .trim()
        .slice(0, 190) || 'document'
    const count = (counts.get(fit.toLowerCase()) ?? 0) + 1
    counts.set(fit.toLowerCase(), count)
    return count === 1 ? fit : `${fit} (${count})`
  }
}

/** True for text the API takes: it refuses blank text blocks. */
const isSayable = (text: unknown): text is string => typeof text === 'string' && text.trim() !== ''

/** Text blocks of a text. */
export const textBlocks = (text: string): WireBlock[] => (isSayable(text) ? [{ text }] : [])

/**
 * A mark after what is to be kept in the cache.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CachePointBlock.html (as
 * in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export const cachePoint = (lifetime: 'auto' | 'hour'): WireBlock => ({
  cachePoint: { type: 'default', ...(lifetime === 'hour' && { ttl: '1h' }) },
})

/** What a system message says. */
export const finishedSystem = (content: SystemMessage['content']): WireBlock[] =>
  typeof content === 'string'
    ? textBlocks(content)
    : content.flatMap((part) => finished(part, textBlocks(part.text), 'a system part'))

/** What the user, or a tool, says. `where` is for errors. */
export function userBlocks(content: Content, where: string, nameOf: NameDocument): WireBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part, index) =>
    finished(part, partBlocks(part, `${where}.content[${index}]`, nameOf), where),
  )
}

/** What the model said; it can only have been text. */
export function assistantBlocks(content: Content, where: string): WireBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part, index) => {
    if (part.type === 'text') return finished(part, textBlocks(part.text), where)
    throw unsupported(
      `${where}.content[${index}]: an assistant message holds only text; move it into a user message`,
    )
  })
}

/** The blocks with the vendor fields of their part, and the mark of the cache behind them. */
const finished = (
  { cache, vendor }: ContentPart,
  blocks: readonly WireBlock[],
  where: string,
): WireBlock[] => {
  const merged = blocks.map((block) => withVendor(block, vendor, `vendor of ${where}`))
  return cache && merged.length ? [...merged, cachePoint(cache)] : merged
}

const unsupported = (message: string): LlmError => new LlmError('unsupported', message)

function partBlocks(part: ContentPart, where: string, nameOf: NameDocument): WireBlock[] {
  if (part.type === 'text') return textBlocks(part.text)
  if (part.type === 'audio')
    throw unsupported(`${where}: sound is not supported; send a transcript`)
  return [part.type === 'image' ? imageBlock(part.source, where) : fileBlock(part, where, nameOf)]
}

function imageBlock(source: MediaSource, where: string): WireBlock {
  const format =
    source.mediaType
      ?.toLowerCase()
      .replace(/^image[/]/, '')
      .replace(/^jpg$/, 'jpeg') ?? ''
  if (!imageFormats.includes(format))
    throw unsupported(
      `${where}: an image of type ${source.mediaType ?? '(none given)'}; Converse takes ${imageFormats.join(', ')}`,
    )
  return { image: { format, source: toSource(source, where) } }
}

function fileBlock({ source, name }: FilePart, where: string, nameOf: NameDocument): WireBlock {
  const mediaType = (source.mediaType ?? 'application/pdf')
    .toLowerCase()
    .replace(/;.*$/s, '')
    .trim()
  if (mediaType.startsWith('image/')) return imageBlock(source, where)
  const format = documentFormats[mediaType]
  if (format === undefined)
    throw unsupported(
      `${where}: a document of type ${mediaType}; Converse takes ${Object.values(documentFormats).join(', ')}`,
    )
  return { document: { format, name: nameOf(name), source: toSource(source, where) } }
}

/** Bytes, or an object of S3: Bedrock fetches nothing else. */
function toSource(source: MediaSource, where: string): object {
  if (source.type === 'base64') return { bytes: source.data }
  if (source.type === 'url' && source.url.startsWith('s3://'))
    return { s3Location: { uri: source.url } }
  throw unsupported(
    `${where}: Bedrock fetches only addresses of S3 (s3://bucket/key); give the bytes themselves`,
  )
}

import {
  type Content,
  type ContentPart,
  type FilePart,
  type ImagePart,
  LlmError,
  type MediaSource,
  type TextPart,
} from '@modelport/core'
import { withVendor } from '@modelport/driver'
import { cacheMark } from './cache-mark.js'
import type { WireBlock } from './wire.js'

/** Where a part stands, for errors. */
type Where = string

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** True for text the API takes: it refuses blocks that hold nothing but white space. */
export const isSayable = (text: unknown): text is string =>
  typeof text === 'string' && text.trim() !== ''

/** Text blocks of a text. */
export const textBlocks = (text: string): WireBlock[] =>
  isSayable(text) ? [{ type: 'text', text }] : []

/** What the user, or a tool, says. `citations` asks for citations of documents. */
export function userBlocks(content: Content, where: Where, citations: boolean): WireBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part, index) => {
    const place = `${where}.content[${index}]`
    return partBlocks(part, place, citations).map((block) => finished(block, part, place))
  })
}

/** A block with the mark of the cache and the vendor fields of its part. */
export const finished = (
  block: WireBlock,
  { cache, vendor }: ContentPart,
  where: Where,
): WireBlock =>
  withVendor(cache ? { ...block, ...cacheMark[cache] } : block, vendor, `vendor of ${where}`)

/** What the model said; it can only have been text. */
export function assistantBlocks(content: Content, where: Where): WireBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  return content.flatMap((part, index) => {
    if (part.type === 'text')
      return textBlocks(part.text).map((block) =>
        finished(block, part, `${where}.content[${index}]`),
      )
    throw unsupported(
      `${where}.content[${index}]: an assistant message cannot hold ${part.type} content; move it into a user message`,
    )
  })
}

const unsupported = (message: string): LlmError => new LlmError('unsupported', message)

function partBlocks(part: ContentPart, where: Where, citations: boolean): WireBlock[] {
  switch (part.type) {
    case 'text':
      return part.found ? searchResult(part.found, textBlocks(part.text)) : textBlocks(part.text)
    case 'image':
      return [imageBlock(part.source, where)]
    case 'file':
      return [fileBlock(part, where, citations)]
    case 'audio':
      throw unsupported(`${where}: the Messages API takes no audio; send a transcript`)
  }
}

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/search-results (as in
 * @anthropic-ai/sdk 1.11.0 `SearchResultBlockParam`, read 2026-11-24)
 */
const searchResult = (
  { url, title = url }: NonNullable<TextPart['found']>,
  content: WireBlock[],
): WireBlock[] =>
  content.length
    ? [{ type: 'search_result', source: url, title, content, citations: { enabled: true } }]
    : []

/** @see https://platform.claude.com/docs/en/build-with-claude/vision (read 2026-11-21) */
function imageBlock(source: ImagePart['source'], where: Where): WireBlock {
  if (source.type === 'file') return { type: 'image', source: { type: 'file', file_id: source.id } }
  if (source.type === 'url') return { type: 'image', source: { type: 'url', url: source.url } }
  const mediaType = source.mediaType.toLowerCase()
  if (!imageTypes.includes(mediaType)) {
    throw unsupported(
      `${where}: an image of type ${source.mediaType}; the API takes ${imageTypes.join(', ')}`,
    )
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } }
}

/** @see https://platform.claude.com/docs/en/build-with-claude/pdf-support (read 2026-11-21) */
function fileBlock({ source, name }: FilePart, where: Where, citations: boolean): WireBlock {
  const mediaType = (source.mediaType ?? 'application/pdf').toLowerCase()
  if (imageTypes.includes(mediaType)) return imageBlock(source, where)
  return {
    type: 'document',
    source: documentSource(source, mediaType, where),
    ...(name && { title: name }),
    ...(citations && { citations: { enabled: true } }),
  }
}

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/files (as in @anthropic-ai/sdk 1.11.0
 * `FileDocumentSource`, read 2026-11-24)
 */
function documentSource(source: MediaSource, mediaType: string, where: Where): object {
  if (source.type === 'file') return { type: 'file', file_id: source.id }
  if (mediaType === 'application/pdf') {
    return source.type === 'url'
      ? { type: 'url', url: source.url }
      : { type: 'base64', media_type: mediaType, data: source.data }
  }
  const isText = /^text\/|[/+](json|xml|yaml)$/.test(mediaType)
  if (!isText)
    throw unsupported(
      `${where}: a document of type ${mediaType}; the API takes application/pdf and text`,
    )
  if (source.type === 'url')
    throw unsupported(
      `${where}: the API fetches PDFs only; give the text itself instead of its address`,
    )
  return { type: 'text', media_type: 'text/plain', data: decodeText(source.data, where) }
}

/** UTF-8 text out of base64. */
function decodeText(data: string, where: Where): string {
  try {
    let escaped = ''
    for (const character of atob(data))
      escaped += `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    return decodeURIComponent(escaped)
  } catch {
    throw new LlmError('invalid-request', `${where}: the document is not UTF-8 text in base64`)
  }
}

import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'
import { type Content, type ContentPart, isObject } from '@modelport/core'
import { toPlainWords } from './plain-words.js'

/**
 * The part of an MCP result that the model sees. Structured content is shown where the server gave
 * no text for it, without the bytes of pictures and files that the result has as content already.
 */
export function toContent({ content, structuredContent }: CallToolResult): Content {
  const parts = content.map(toPart)
  if (structuredContent !== undefined && !parts.some(({ type }) => type === 'text')) {
    const shown = withoutBytesOf(parts, structuredContent)
    parts.push(text(JSON.stringify(shown)))
  }
  const [first] = parts
  if (!first) return ''
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}

/** Replaces each text that repeats the bytes of a part: as text they would cost their length. */
function withoutBytesOf(parts: readonly ContentPart[], value: unknown): unknown {
  const kinds = new Map<string, string>()
  for (const part of parts)
    if (part.type !== 'text' && part.source.type === 'base64')
      kinds.set(part.source.data, part.type)
  if (!kinds.size) return value

  const replace = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const data = one.startsWith('data:') ? one.slice(one.indexOf(',') + 1) : one
      const kind = kinds.get(data)
      return kind === undefined ? one : `(the bytes of the ${kind} of this result)`
    }
    if (Array.isArray(one)) return one.map(replace)
    if (!isObject(one)) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, replace(inner)]))
  }
  return replace(value)
}

/**
 * Marks a result with its server in its first line, for the model and for whoever reads the
 * transcript.
 */
export function markContent(content: Content, server: string): Content {
  const mark = `[from MCP server "${toPlainWords(server, 100)}"]`
  return typeof content === 'string' ? `${mark}\n${content}` : [text(mark), ...content]
}

const text = (value: string): ContentPart => ({ type: 'text', text: value })

/** A block of a result or prompt as a part. */
export function toPart(block: ContentBlock): ContentPart {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
    case 'audio':
      return {
        type: block.type,
        source: { type: 'base64', data: block.data, mediaType: block.mimeType },
      }
    case 'resource_link':
      return text(
        [`Resource ${block.name}: ${block.uri}`, block.mimeType, block.description]
          .filter(Boolean)
          .join(', '),
      )
    case 'resource':
      return toEmbedded(block.resource)
  }
}

/** What a resource holds, as a part. */
export function toEmbedded(resource: ReadResourceResult['contents'][number]): ContentPart {
  if ('text' in resource) return text(resource.text)
  const { blob: data, mimeType: mediaType = 'application/octet-stream', uri } = resource
  const source = { type: 'base64', data, mediaType } as const
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  if (mediaType.startsWith('audio/')) return { type: 'audio', source }
  return { type: 'file', source, name: uri.slice(uri.lastIndexOf('/') + 1) || uri }
}

import type { Content, ContentPart } from '@modelport/core'
import type { JsonValue } from '../base/json.js'
import { createPart as make, type Part } from '../models/part.js'

/**
 * The parts that the model can read, as content of a message. Calls and approvals are not among
 * them.
 */
export function toContent(parts: readonly Part[]): Content {
  const content = parts.flatMap(toContentPart)
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === content.length ? texts.join('\n\n') : content
}

function toContentPart(part: Part): readonly ContentPart[] {
  const text = (value: string): readonly ContentPart[] =>
    value ? [{ type: 'text', text: value }] : []
  switch (part.type) {
    case 'text':
      return text(part.content)
    case 'infer':
      return text([part.content.user, part.content.prompt].filter(Boolean).join('\n\n'))
    case 'tool_call':
    case 'request':
      return []
    case 'bytes':
      return [media(part.mediaType, { data: part.content }, part.filename)]
    case 'uri':
      return part.mediaType?.startsWith('image/')
        ? [media(part.mediaType, { url: part.content }, part.filename)]
        : text(part.content)
    default:
      return text(typeof part.content === 'string' ? part.content : JSON.stringify(part.content))
  }
}

function media(
  mediaType = 'application/octet-stream',
  at: { readonly data: string } | { readonly url: string },
  name: string | undefined,
): ContentPart {
  const source =
    'data' in at
      ? ({ type: 'base64', data: at.data, mediaType } as const)
      : ({ type: 'url', url: at.url, mediaType } as const)
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  if (mediaType.startsWith('audio/')) return { type: 'audio', source }
  return { type: 'file', source, ...(name !== undefined && { name }) }
}

/** What a model said, as parts. */
export function fromContent(content: Content): readonly Part[] {
  if (typeof content === 'string') return [make.text(content)]
  return content.map((part): Part => {
    if (part.type === 'text') return make.text(part.text)
    const { source } = part
    if (source.type === 'file') return make.text(`[file ${source.id}]`)
    const filename = part.type === 'file' && part.name !== undefined ? { filename: part.name } : {}
    return source.type === 'base64'
      ? { type: 'bytes', content: source.data, mediaType: source.mediaType, ...filename }
      : {
          type: 'uri',
          content: source.url,
          ...(source.mediaType && { mediaType: source.mediaType }),
          ...filename,
        }
  })
}

/** What a tool returned, as a JSON value. */
export function toJsonValue(value: unknown): JsonValue {
  if (value === undefined) return null
  try {
    return JSON.parse(JSON.stringify(value)) as JsonValue
  } catch {
    return null
  }
}

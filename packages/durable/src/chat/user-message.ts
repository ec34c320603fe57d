import { createPart, type Message, type Part } from '@modelport/agent'
import type { Content, ContentPart, MediaSource } from '@modelport/core'
import type { ChatUiPart } from './ui-message.js'

/** The parts of a message of a page, for an agent. */
export const partsOfContent = (content: Content): readonly Part[] =>
  typeof content === 'string' ? [createPart.text(content)] : content.map(partOf)

function partOf(part: ContentPart): Part {
  if (part.type === 'text') return createPart.text(part.text)
  const { source } = part
  switch (source.type) {
    case 'base64':
      return createPart.bytes(source.data, { mediaType: source.mediaType })
    case 'url':
      return createPart.uri(
        source.url,
        source.mediaType === undefined ? {} : { mediaType: source.mediaType },
      )
    case 'file':
      return createPart.text(`[file ${source.id}]`)
  }
}

/** The parts of a message as content that a model reads. */
export const contentOfParts = (parts: readonly Part[]): readonly ContentPart[] =>
  parts.flatMap((part): readonly ContentPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.content }]
    if (part.type !== 'bytes' && part.type !== 'uri') return []
    const mediaType = part.mediaType ?? 'application/octet-stream'
    const source: MediaSource =
      part.type === 'bytes'
        ? { type: 'base64', data: part.content, mediaType }
        : { type: 'url', url: part.content, mediaType }
    if (mediaType.startsWith('image/')) return [{ type: 'image', source }]
    if (mediaType.startsWith('audio/')) return [{ type: 'audio', source }]
    return [{ type: 'file', source }]
  })

/** A message of the user as the page shows it. */
export const uiPartsOf = ({ parts }: Message): readonly ChatUiPart[] =>
  parts.flatMap((part): readonly ChatUiPart[] => {
    const mediaType = part.mediaType ?? 'application/octet-stream'
    if (part.type === 'text') return [{ type: 'text', text: part.content }]
    if (part.type === 'bytes')
      return [{ type: 'file', mediaType, url: `data:${mediaType};base64,${part.content}` }]
    if (part.type === 'uri') return [{ type: 'file', mediaType, url: part.content }]
    return []
  })

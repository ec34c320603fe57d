import type { ContentBlock } from '@modelcontextprotocol/server'
import type { Content, ContentPart } from '@modelport/core'

/** What a tool or a prompt says, as blocks of the protocol. */
export const toBlocks = (content: Content): ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toBlock)

function toBlock(part: ContentPart): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { type, source } = part
  const name = (type === 'file' ? part.name : undefined) ?? type
  if (source.type === 'url')
    return {
      type: 'resource_link',
      name,
      uri: source.url,
      ...(source.mediaType !== undefined && { mimeType: source.mediaType }),
    }
  // Only the provider that has the file can read it.
  if (source.type === 'file')
    return { type: 'text', text: `(${type}: file ${source.id} of ${source.origin})` }
  const { data, mediaType: mimeType } = source
  if (type !== 'file') return { type, data, mimeType }
  const uri = URL.canParse(name) ? name : `file:///${encodeURIComponent(name)}`
  const resource = mimeType.startsWith('text/')
    ? { uri, mimeType, text: new TextDecoder().decode(toBytes(data)) }
    : { uri, mimeType, blob: data }
  return { type: 'resource', resource }
}

const toBytes = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

import type { Part } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { compactObject, type Hydrator, partContent } from '@modelport/serve/wire'

/** A part in Protolink's form. */
export const toProtolinkPart = (part: Part): JsonObject =>
  compactObject({
    type: part.type === 'other' ? part.wireType : part.type,
    content: partContent.toPartContent(part),
    metadata: part.metadata,
    filename: part.filename,
    media_type: part.mediaType,
  })

/** Reads a part in Protolink's form. */
export function readProtolinkPart(source: Hydrator): Part {
  const type = source.requiredString('type')
  const part = partContent.readPartContent(source, type, 'content')
  const metadata = source.object('metadata')
  const filename = source.string('filename')
  const mediaType = source.string('media_type')
  return { ...part, ...compactObject({ metadata, filename, mediaType }) }
}

import type { Part, TaskState } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { compactObject, type Hydrator, partContent } from '@modelport/serve/wire'
import { fromProtolinkState, toProtolinkState } from './state-names.js'

/** A part in Protolink's form. */
export const toProtolinkPart = (part: Part): JsonObject =>
  compactObject({
    type: partContent.wireTypeOf(part),
    content: partContent.toPartContent(withStateName(part, toProtolinkState)),
    metadata: part.metadata,
    filename: part.filename,
    media_type: part.mediaType,
  })

/** Reads a part in Protolink's form. */
export function readProtolinkPart(source: Hydrator): Part {
  const type = source.requiredString('type')
  const part = withStateName(partContent.readPartContent(source, type, 'content'), (state) => state)
  const metadata = source.object('metadata')
  const filename = source.string('filename')
  const mediaType = source.string('media_type')
  return { ...part, ...compactObject({ metadata, filename, mediaType }) }
}

/** A status part whose state has the other name, if it is one that tasks have. */
function withStateName<P extends Part>(part: P, rename: (state: TaskState) => string): P {
  if (part.type !== 'status') return part
  const state = fromProtolinkState(part.content.state)
  if (state === undefined) return part
  return { ...part, content: { ...part.content, state: rename(state) } }
}

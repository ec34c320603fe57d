// What a wire is written with: the protocols of other packages import it.
export { cardResponse } from './a2a/card-endpoint.js'
export { checkJsonLimits, Hydrator } from './base/hydrate.js'
export { compactObject, objectAt } from './base/json.js'
export type { ClientProtocol, ProtocolClient } from './connection/client-protocol.js'
export type { Connection, Outgoing } from './connection/connection.js'
export {
  readExtension,
  readMap,
  readOpenApiScheme,
  readPublisher,
  readRequirements,
  readSignature,
  readWireCapabilities,
  toWireCapabilities,
} from './wire/card-parts.js'
export { compactHistory } from './wire/compact-history.js'
export { readCompaction, readCompactionResult, toCompaction } from './wire/compaction.js'
export type { RequestContext } from './wire/endpoint.js'
export { toAgentError } from './wire/error-forms.js'
export { extensionUri } from './wire/extension.js'
export { readPartContent, toPartContent } from './wire/part-content.js'
export { readObject } from './wire/reading.js'
export type { JsonReply, Reply } from './wire/reply.js'
export { jsonReply, setHeader } from './wire/reply.js'
export { readRunContext, toRunContext } from './wire/run-context.js'
export type { ServerSentEvent } from './wire/sse.js'
export type { Endpoint, Wire } from './wire/wire.js'

export { a2a } from './a2a/a2a.js'
export { toA2aCard } from './a2a/card-codec.js'
export { chatCompletions } from './chat-completions/chat-completions.js'
export type { AgentClientOptions } from './client/client-options.js'
export { createAgentClient } from './client/http-client.js'
export type { ClientAuth, ConnectionOptions } from './connection/connection.js'
export {
  type Authentication,
  type Authenticator,
  createAuthenticator,
} from './server/authenticate.js'
export type { EndpointDescription } from './server/endpoint-table.js'
export { createAgentServer } from './server/server.js'
export type { AgentServer, AgentServerOptions, Refusal } from './server/server-options.js'
export type { RequestContext, ServedAgent } from './wire/endpoint.js'
export type { EventSink, EventStream, ServerSentEvent } from './wire/event-stream.js'
export type { EndpointReply, PlainReply } from './wire/reply.js'
export type { EventStreamOptions, EventStreams } from './wire/sse.js'
export type { Endpoint, FailedRequest, Wire } from './wire/wire.js'

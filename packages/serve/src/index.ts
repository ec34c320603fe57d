export { a2a } from './a2a/a2a.js'
export { fromA2aCard, toA2aCard } from './a2a/card-codec.js'
export type { CardSigningKey, CardVerification } from './a2a/card-signing.js'
export { signCard, verifyCard } from './a2a/card-signing.js'
export type { A2aTaskOptions } from './a2a/task-codec.js'
export { fromA2aTask, toA2aTask } from './a2a/task-codec.js'
export type {
  A2aArtifact,
  A2aMessage,
  A2aPart,
  A2aPushConfig,
  A2aSendRequest,
  A2aStatus,
  A2aStreamResponse,
  A2aTask,
  A2aTaskState,
} from './a2a/types.js'
export { a2aV03 } from './a2a-v03/a2a-v03.js'
export type { AgUiTaskOptions } from './ag-ui/task-events.js'
export { fromAgUiTaskEvents, toAgUiTaskEvents } from './ag-ui/task-events.js'
export { chatCompletions } from './chat-completions/chat-completions.js'
export type { AgentClientOptions } from './client/client-options.js'
export { createAgentClient } from './client/http-client.js'
export type { ClientAuth, ConnectionOptions } from './connection/connection.js'
export type { PushOptions, PushRequest, PushSender } from './push/push.js'
export type { Authentication } from './server/authenticate.js'
export type { EndpointDescription } from './server/openapi.js'
export type { AgentServer, AgentServerOptions, Refusal } from './server/server-options.js'
export { createAgentServer } from './server/server.js'
export type { StreamOptions } from './wire/sse.js'
export { extensionUri } from './wire/extension.js'

export type { AgentErrorDetails, AgentErrorReason, Violation } from './base/agent-error.js'
export { AgentError, isAgentError } from './base/agent-error.js'
export type { JsonValue } from './base/json.js'
export type { Entropy } from './base/ids.js'
export { createId, systemEntropy } from './base/ids.js'
export type { Artifact } from './models/artifact.js'
export { addArtifactPart, addArtifactText, createArtifact, forAction } from './models/artifact.js'
export type { Message, MessageRole } from './models/message.js'
export { addPart, addText, createMessage, messages } from './models/message.js'
export type {
  ApprovalContent,
  ErrorContent,
  InferContent,
  Part,
  PartOf,
  PartType,
  RouteContent,
  StatusContent,
  ToolCallContent,
  ToolOutputContent,
} from './models/part.js'
export { contentOf, parts, textOfParts } from './models/part.js'
export type { StateChange, Task, TaskFields } from './models/task.js'
export {
  addArtifact,
  addMessage,
  begin,
  cancel,
  complete,
  createInferTask,
  createTask,
  emptyTask,
  fail,
  lastItem,
  requireInput,
  stateHistory,
  updateState,
} from './models/task.js'
export type { TaskEvent, TaskEventBody, TaskRecord } from './models/task-event.js'
export { applyEvent, checkEvents, foldTask, taskOf } from './models/task-event.js'
export type { TaskState } from './models/task-state.js'
export { isInterrupted, isTerminal, mayTransition, taskStates } from './models/task-state.js'
export type { AgentStore } from './session/agent-store.js'
export type { ChildCancel, ChildCancels } from './session/child-cancels.js'
export type { Inbox, InboxItem, InboxItemBody } from './session/inbox.js'
export { createMemoryStore } from './session/memory-store.js'
export type { Outbox, OutboxRow, PushConfig, PushConfigStore } from './session/outbox.js'
export type { SessionEntry, SessionEntryBody, SessionHead, SessionKey, SessionStore } from './session/session-store.js'
export { foldSession } from './session/session-store.js'
export type { HeldTask, StoredTurn, TaskLeases } from './session/task-leases.js'
export type {
  MessageClaim,
  NewTaskEvent,
  StoredTask,
  TaskHead,
  TaskKey,
  TaskOfMessage,
  TaskPage,
  TaskQuery,
  TaskStore,
} from './session/task-store.js'
export type { AgentCapabilities } from './models/capabilities.js'
export { defaultCapabilities, enabled } from './models/capabilities.js'
export type {
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentRole,
  AgentSkill,
  CardFields,
  CardSignature,
  SecurityScheme,
} from './models/card.js'
export {
  agentRoles,
  cardViolations,
  createCard,
  createSkill,
  mimeTypes,
  toPromptText,
} from './models/card.js'
export type { HistoryCompactionRequest } from './models/compaction-control.js'
export { extensionUri } from './wire/extension.js'
export { fromA2aCard, toA2aCard } from './wire/a2a/card-codec.js'
export type { CardSigningKey, CardVerification } from './wire/a2a/card-signing.js'
export { signCard, verifyCard } from './wire/a2a/card-signing.js'
export type { A2aTaskOptions } from './wire/a2a/task-codec.js'
export { readA2aTask as fromA2aTask, toA2aTask } from './wire/a2a/task-codec.js'
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
} from './wire/a2a/types.js'
export type { AgUiTaskOptions } from './ag-ui/task-events.js'
export { fromAgUiTaskEvents, toAgUiTaskEvents } from './ag-ui/task-events.js'
export { fromProtolinkCard, toProtolinkCard } from './wire/protolink/card-codec.js'
export {
  fromProtolinkArtifact,
  fromProtolinkMessage,
  fromProtolinkTask,
  toProtolinkArtifact,
  toProtolinkMessage,
  toProtolinkTask,
} from './wire/protolink/task-codec.js'
export type { Agent, AgentHandler, AgentSettings, ApprovalSettings, TaskContext, TaskOutcome } from './run/agent.js'
export { createAgent } from './run/agent.js'
export type { ExecuteOptions } from './run/execute-task.js'
export { executeTask } from './run/execute-task.js'
export type { HostOptions } from './run/host-options.js'
export type { Accepted, IncomingMessage } from './run/host.js'
export { AgentHost } from './run/host.js'
export type { AgentPolicy, PolicyChange, PolicyEffect, PolicyRequest } from './run/policy.js'
export type { AgentRunContext, ForeignContext } from './run/run-context.js'
export type { GrantedLimits } from './wire/protolink/run-context-codec.js'
export type { OpenRequest, RequestDecision } from './run/settle-request.js'
export { openRequests, settleRequest } from './run/settle-request.js'
export type { Authentication } from './server/authenticate.js'
export type { EndpointDescription } from './server/openapi.js'
export type { PushOptions, PushRequest, PushSender } from './server/push.js'
export type { AgentServer, AgentServerOptions, Refusal } from './server/server-options.js'
export { createAgentServer } from './server/server.js'
export type { StreamOptions } from './server/sse.js'
export type { AgentTargetOptions } from './client/agent-target.js'
export { toAgentTarget } from './client/agent-target.js'
export type { AgentClient, ApprovalDecision, ClientEvent, ListOptions, SendOptions, TaskList } from './client/client.js'
export { answerOf, approvalsOf } from './client/client.js'
export type { AgentClientOptions, ClientAuth } from './client/connection.js'
export type { AgentDirectory, DirectoryQuery } from './client/directory.js'
export { createDirectory } from './client/directory.js'
export { createAgentClient } from './client/http-client.js'
export { createLocalClient } from './client/local-client.js'
export type { BoundTarget, ChildOutcome } from './run/sub-agent.js'

export type { AgentErrorDetails, AgentErrorReason, Violation } from './base/agent-error.js'
export { AgentError, isAgentError } from './base/agent-error.js'
export type { Entropy, IdPrefix } from './base/ids.js'
export { createId, systemEntropy } from './base/ids.js'
export type { JsonValue } from './base/json.js'
export { type AgentTargetOptions, toAgentTarget } from './client/agent-target.js'
export type {
  AgentClient,
  ClientEvent,
  DeliverOptions,
  ListOptions,
  SendOptions,
  TaskList,
} from './client/client.js'
export { answerOf, checkSendOptions, toDecisionParts } from './client/client.js'
export { createLocalClient, type LocalClientOptions } from './client/local-client.js'
export { type ArtifactChunk, TaskStory } from './client/task-story.js'
export type { Artifact } from './models/artifact.js'
export { answerArtifactId, createArtifact } from './models/artifact.js'
export type { AgentCapabilities } from './models/capabilities.js'
export { defaultCapabilities, enabledCapabilities } from './models/capabilities.js'
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
export { agentRoles, createCard, createSkill } from './models/card.js'
export type { HistoryCompactionRequest } from './models/compaction-control.js'
export type { Message, MessageRole } from './models/message.js'
export { createMessage } from './models/message.js'
export type {
  ErrorContent,
  InferContent,
  Part,
  PartFields,
  PartMakers,
  PartType,
  RequestContent,
  RequestDecision,
  RouteContent,
  StatusContent,
  ToolCallContent,
  ToolOutputContent,
  UncertainOutcome,
} from './models/part.js'
export { createPart, textOfParts } from './models/part.js'
export type { Task, TaskFields } from './models/task.js'
export {
  addArtifact,
  addMessage,
  createTask,
  isCutOff,
  replyOf,
  requestsOf,
  updateState,
} from './models/task.js'
export type { TaskEvent, TaskEventBody, TaskRecord } from './models/task-event.js'
export { checkEvents, foldTask } from './models/task-event.js'
export type { TaskState } from './models/task-state.js'
export { isInterrupted, isTerminal, taskStates } from './models/task-state.js'
export type {
  Agent,
  AgentHandler,
  AgentSettings,
  DecisionSettings,
  HandlerEffect,
  HandlerResult,
  TaskContext,
  TaskOutcome,
} from './run/agent.js'
export { createAgent } from './run/agent.js'
export { cancelRequests } from './run/cancel-requests.js'
export type { CompactedSession } from './run/compact-session.js'
export { type ExecuteTaskOptions, executeTask } from './run/execute-task.js'
export { AgentHost } from './run/host.js'
export type { HostOptions } from './run/host-options.js'
export type { Accepted, IncomingMessage } from './run/incoming-message.js'
export { cancelWork } from './run/pending-work.js'
export type { AgentPolicy, PolicyChange, PolicyEffect, PolicyRequest } from './run/policy.js'
export type { LateResult } from './run/result-webhook.js'
export type { AgentRunContext, ForeignContext, GrantedLimits } from './run/run-context.js'
export { readForeignContext } from './run/run-context.js'
export type { OpenRequest } from './run/settle-request.js'
export { openRequests, settleRequest } from './run/settle-request.js'
export type { AgentStore } from './session/agent-store.js'
export type { ChildCancel, ChildCancels } from './session/child-cancels.js'
export { forgetRequests } from './session/forget-requests.js'
export type { Inbox, InboxItem, InboxItemBody } from './session/inbox.js'
export { createMemoryStore } from './session/memory-store.js'
export { sessionBusy } from './session/session-busy.js'
export type {
  SessionEntry,
  SessionEntryBody,
  SessionHead,
  SessionKey,
  SessionStore,
} from './session/session-store.js'
export { foldSession, nameOfSession } from './session/session-store.js'
export type { HeldTask, TaskLeases, TaskTurn } from './session/task-leases.js'
export type {
  MessageClaim,
  NewTaskEvent,
  ResultGrant,
  StoredTask,
  TaskHead,
  TaskKey,
  TaskOfMessage,
  TaskPage,
  TaskQuery,
  TaskStore,
} from './session/task-store.js'

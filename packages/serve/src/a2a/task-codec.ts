import {
  type Artifact,
  createId,
  type Entropy,
  type JsonValue,
  type Message,
  type MessageRole,
  type Part,
  systemEntropy,
  type Task,
  type TaskState,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { Hydrator } from '../base/hydrate.js'
import { compactObject, objectAt } from '../base/json.js'
import { extensionUri } from '../wire/extension.js'
import { isTypedPart, readPartContent, toPartContent } from '../wire/part-content.js'
import type { A2aArtifact, A2aMessage, A2aPart, A2aStatus, A2aTask, A2aTaskState } from './types.js'

const wireStates: Readonly<Record<TaskState, A2aTaskState>> = {
  unknown: 'TASK_STATE_UNSPECIFIED',
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
}

const innerStates = new Map(
  Object.entries(wireStates).map(([inner, wire]) => [wire, inner as TaskState]),
)

/** The state on the wire. */
export const toA2aState = (state: TaskState): A2aTaskState => wireStates[state]

/** The state of the wire. */
export const fromA2aState = (state: A2aTaskState): TaskState => innerStates.get(state) ?? 'unknown'

/** The time, ISO 8601 in UTC. */
const nowOf = (entropy: Entropy): string => new Date(entropy.now()).toISOString()

/** Key of metadata that names the type of a part; Protolink writes and reads the same. */
const partTypeKey = 'protolinkPartType'

/**
 * A part on the wire. Types that A2A lacks keep their name in the metadata, under Protolink's own
 * key.
 */
export function toA2aPart(part: Part): A2aPart {
  const { filename, mediaType, metadata } = part
  const marked = (type: string, extra?: JsonValue) => ({
    ...metadata,
    [partTypeKey]: type,
    ...(extra !== undefined && { [extensionUri]: extra }),
  })
  const rest = compactObject({ metadata, filename, mediaType })
  switch (part.type) {
    case 'text':
      return { text: part.content, ...rest }
    case 'json':
      return { data: part.content, ...rest }
    case 'bytes':
      return { raw: part.content, ...rest }
    case 'uri':
      return { url: part.content, ...rest }
    case 'infer': {
      const content = toPartContent(part)
      return { text: part.content.prompt ?? '', ...rest, metadata: marked('infer', content) }
    }
    case 'infer_output':
      return typeof part.content === 'string'
        ? { text: part.content, ...rest, metadata: marked('infer_output') }
        : { data: part.content, ...rest, metadata: marked('infer_output') }
    case 'request':
      return { data: { approval: toPartContent(part) }, ...rest, metadata: marked('approval') }
    case 'other':
      return { data: part.content, ...rest, metadata: marked(part.wireType) }
    default:
      return { data: toPartContent(part), ...rest, metadata: marked(part.type) }
  }
}

/**
 * A part of the wire, whose shape was checked. A typed part whose content does not fit its type is
 * read as plain JSON or text.
 * @throws {AgentError} `invalid-params` — it is a decision with a field of another type
 */
export function fromA2aPart(wire: A2aPart): Part {
  const { [partTypeKey]: type, [extensionUri]: extra, ...metadata } = wire.metadata ?? {}
  const rest = compactObject({
    metadata: Object.keys(metadata).length ? metadata : undefined,
    filename: wire.filename,
    mediaType: wire.mediaType,
  })
  const typed =
    typeof type === 'string'
      ? typedPart(type, wire, extra as JsonValue | undefined)
      : untypedApproval(wire)
  if (typed) return { ...typed, ...rest }
  if (wire.text !== undefined) return { type: 'text', content: wire.text, ...rest }
  if (wire.raw !== undefined) return { type: 'bytes', content: wire.raw, ...rest }
  if (wire.url !== undefined) return { type: 'uri', content: wire.url, ...rest }
  return { type: 'json', content: wire.data ?? null, ...rest }
}

function untypedApproval(wire: A2aPart): Part | undefined {
  const approval = isObject(wire.data) && wire.data['approval']
  return isObject(approval) && 'request_id' in approval
    ? typedPart('approval', wire, undefined)
    : undefined
}

function typedPart(type: string, wire: A2aPart, extra: JsonValue | undefined): Part | undefined {
  const own = wire.text ?? wire.data
  if (type === 'infer') return read('infer', extra ?? { prompt: own ?? '' })
  if (type === 'approval') return isObject(own) ? read('approval', own['approval']) : undefined
  if (type === 'infer_output' || isTypedPart(type) || wire.data !== undefined)
    return read(type, own)
  return undefined
}

function read(type: string, content: unknown): Part | undefined {
  try {
    return Hydrator.run('Part', { content }, (source) => readPartContent(source, type, 'content'))
  } catch (error) {
    // Whoever decides must not be left with a task that waits on: the sender reads which field is
    // wrong.
    if (type === 'approval' && isObject(content) && 'approved' in content) throw error
    return undefined
  }
}

/** Which task a message belongs to. */
export interface A2aAddress {
  readonly taskId?: string
  readonly contextId?: string
}

const plainRoles: Readonly<Record<MessageRole, 'ROLE_USER' | 'ROLE_AGENT'>> = {
  user: 'ROLE_USER',
  agent: 'ROLE_AGENT',
  assistant: 'ROLE_AGENT',
  system: 'ROLE_AGENT',
}

const ownMessageFields = ({ role, timestamp, parts }: Message): JsonObject => ({
  ...((role === 'assistant' || role === 'system') && { role }),
  timestamp,
  ...(!parts.length && { empty: true }),
})

/** A message on the wire. @param extension true sends what only our declared extension has */
export function toA2aMessage(
  message: Message,
  address: A2aAddress,
  extension: boolean,
): A2aMessage {
  const { parts, metadata, extensions, referenceTaskIds } = message
  return {
    messageId: message.id,
    ...address,
    role: plainRoles[message.role],
    parts: parts.length ? parts.map(toA2aPart) : [{ text: '' }],
    ...withMetadata(metadata, extension ? ownMessageFields(message) : undefined),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
  }
}

/** The field `metadata`, with our own fields if there are any. */
const withMetadata = (
  metadata: JsonObject | undefined,
  own: JsonObject | undefined,
): { readonly metadata?: JsonObject } =>
  own ? { metadata: { ...metadata, [extensionUri]: own } } : hasFields(metadata) ? { metadata } : {}

const hasFields = (value: JsonObject | undefined): value is JsonObject => {
  for (const _ in value) return true
  return false
}

/** A message of the wire, whose shape was checked. */
export function fromA2aMessage(wire: A2aMessage, entropy: Entropy = systemEntropy): Message {
  const { [extensionUri]: _, ...metadata } = wire.metadata ?? {}
  const own = objectAt(wire.metadata, extensionUri)
  const { role, timestamp } = own
  const plain = wire.role === 'ROLE_AGENT' ? 'agent' : 'user'
  return {
    id: wire.messageId,
    role: plain === 'agent' && (role === 'assistant' || role === 'system') ? role : plain,
    parts: own['empty'] === true ? [] : wire.parts.map(fromA2aPart),
    timestamp: typeof timestamp === 'string' ? timestamp : nowOf(entropy),
    ...compactObject({
      metadata: Object.keys(metadata).length ? metadata : undefined,
      extensions: wire.extensions,
      referenceTaskIds: wire.referenceTaskIds,
    }),
  }
}

const ownArtifactFields = ({
  kind,
  timestamp,
  uri,
  mediaType,
  actionId,
  parts,
}: Artifact): JsonObject =>
  compactObject({
    kind,
    timestamp,
    uri,
    mediaType,
    actionId,
    empty: parts.length ? undefined : true,
  })

/** An artifact on the wire. @param extension true sends what only our declared extension has */
export function toA2aArtifact(artifact: Artifact, extension: boolean): A2aArtifact {
  const { id, name, description, parts, metadata, extensions } = artifact
  return {
    artifactId: id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: parts.length ? parts.map(toA2aPart) : [{ text: '' }],
    ...withMetadata(metadata, extension ? ownArtifactFields(artifact) : undefined),
    ...(extensions && { extensions }),
  }
}

/** An artifact of the wire, whose shape was checked. */
export function fromA2aArtifact(wire: A2aArtifact, entropy: Entropy = systemEntropy): Artifact {
  const { [extensionUri]: _, ...metadata } = wire.metadata ?? {}
  const own = objectAt(wire.metadata, extensionUri)
  const text = (key: string) => (typeof own[key] === 'string' ? own[key] : undefined)
  return {
    id: wire.artifactId,
    parts: own['empty'] === true ? [] : wire.parts.map(fromA2aPart),
    metadata,
    timestamp: text('timestamp') ?? nowOf(entropy),
    kind: text('kind') ?? 'result',
    ...compactObject({
      name: wire.name,
      description: wire.description,
      uri: text('uri'),
      mediaType: text('mediaType'),
      actionId: text('actionId'),
      extensions: wire.extensions,
    }),
  }
}

/** Which parts of a task are sent. */
export interface A2aTaskOptions {
  /** Maximum messages of the history, newest last. Unset: all. */
  readonly historyLength?: number
  /** False leaves the artifacts out. Default true. */
  readonly artifacts?: boolean
  /**
   * True sends what only our declared extension has, for example flow state, times of messages and
   * kinds of artifacts. Default false.
   */
  readonly extension?: boolean
}

const toA2aStatus = (task: Task, address: A2aAddress, extension: boolean): A2aStatus => ({
  state: toA2aState(task.state),
  ...(task.statusMessage && { message: toA2aMessage(task.statusMessage, address, extension) }),
  timestamp: task.statusAt,
})

/** Ids of a task on the wire. */
export const addressOf = (task: Task): { readonly taskId: string; readonly contextId: string } => ({
  taskId: task.id,
  contextId: task.sessionId,
})

/** A task on the wire. */
export function toA2aTask(task: Task, options: A2aTaskOptions = {}): A2aTask {
  const { historyLength, artifacts = true, extension = false } = options
  const shown =
    historyLength === undefined
      ? task.messages
      : historyLength > 0
        ? task.messages.slice(-historyLength)
        : []
  const { state_history: _, run_context: __, reply_message: ___, ...plain } = task.metadata
  const metadata = extension ? { ...task.metadata, [extensionUri]: ownFields(task) } : plain
  const address = addressOf(task)
  return {
    id: task.id,
    contextId: task.sessionId,
    status: toA2aStatus(task, address, extension),
    ...(artifacts && {
      artifacts: task.artifacts.map((artifact) => toA2aArtifact(artifact, extension)),
    }),
    ...(shown.length && {
      history: shown.map((message) => toA2aMessage(message, address, extension)),
    }),
    ...(hasFields(metadata) && { metadata }),
  }
}

const ownFields = (task: Task): Readonly<Record<string, JsonValue>> =>
  compactObject({
    createdAt: task.createdAt,
    flowState: Object.keys(task.flowState).length ? (task.flowState as JsonValue) : undefined,
    last: task.last,
  })

/** A task of the wire, whose shape was checked. */
export function fromCheckedTask(wire: A2aTask, entropy: Entropy = systemEntropy): Task {
  const { [extensionUri]: _, ...metadata } = wire.metadata ?? {}
  const own = objectAt(wire.metadata, extensionUri)
  const at = wire.status.timestamp ?? nowOf(entropy)
  const { createdAt, last } = own
  return {
    id: wire.id,
    sessionId: wire.contextId ?? createId('ctx', entropy),
    state: fromA2aState(wire.status.state),
    ...(wire.status.message && { statusMessage: fromA2aMessage(wire.status.message, entropy) }),
    statusAt: at,
    messages: (wire.history ?? []).map((message) => fromA2aMessage(message, entropy)),
    artifacts: (wire.artifacts ?? []).map((artifact) => fromA2aArtifact(artifact, entropy)),
    metadata,
    flowState: objectAt(own, 'flowState'),
    createdAt: typeof createdAt === 'string' ? createdAt : at,
    ...((last === 'message' || last === 'artifact') && { last }),
  }
}

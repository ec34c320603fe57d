import {
  type Artifact,
  createId,
  createMessage,
  type Entropy,
  type Message,
  systemEntropy,
  type Task,
  type TaskState,
  taskStates,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import {
  checkJsonLimits,
  compactObject,
  extensionUri,
  Hydrator,
  objectAt,
} from '@modelport/serve/wire'
import { readProtolinkPart, toProtolinkPart } from './part-codec.js'
import { fromProtolinkState, isForeignState, toProtolinkState, wireStates } from './state-names.js'
import { fromProtolinkMetadata, lastChangeOf, toProtolinkMetadata } from './task-metadata.js'

/** One message in Protolink's form. */
export const toProtolinkMessage = (message: Message): JsonObject =>
  compactObject({
    id: message.id,
    role: message.role,
    parts: message.parts.map(toProtolinkPart),
    timestamp: message.timestamp,
    metadata: message.metadata,
    extensions: message.extensions,
    reference_task_ids: message.referenceTaskIds,
  })

/** An artifact in Protolink's form. */
export const toProtolinkArtifact = (artifact: Artifact): JsonObject =>
  compactObject({
    id: artifact.id,
    parts: artifact.parts.map(toProtolinkPart),
    metadata: artifact.metadata,
    timestamp: artifact.timestamp,
    kind: artifact.kind,
    name: artifact.name,
    description: artifact.description,
    uri: artifact.uri,
    media_type: artifact.mediaType,
    action_id: artifact.actionId,
    extensions: artifact.extensions,
  })

/**
 * The message that repeats an answer artifact, so that Protolink peers do not see the text twice.
 */
const messageOfAnswer = (task: Task, artifact: Artifact): Message | undefined => {
  if (artifact.kind !== 'answer') return undefined
  const content = JSON.stringify(artifact.parts)
  return task.messages.findLast(
    ({ role, parts }) => role === 'agent' && JSON.stringify(parts) === content,
  )
}

/** A task in Protolink's form. */
export function toProtolinkTask(task: Task): JsonObject {
  const answers: JsonObject[] = []
  const shown = task.artifacts.filter((artifact, index) => {
    const message = messageOfAnswer(task, artifact)
    if (message)
      answers.push({
        index,
        message_id: message.id,
        artifact: toProtolinkArtifact({ ...artifact, parts: [] }),
      })
    return !message
  })
  const { metadata, original } = toProtolinkMetadata(task)
  const extension = compactObject({
    state: isForeignState(task.state) ? task.state : undefined,
    status_of: toProtolinkState(task.state),
    status_at: task.statusAt,
    status_message: task.statusMessage && toProtolinkMessage(task.statusMessage),
    answers: answers.length ? answers : undefined,
    last: task.last,
    ...original,
  })
  return {
    id: task.id,
    state: toProtolinkState(task.state),
    messages: task.messages.map(toProtolinkMessage),
    artifacts: shown.map(toProtolinkArtifact),
    metadata: {
      ...metadata,
      run_context: { ...objectAt(metadata, 'run_context'), session_id: task.sessionId },
      [extensionUri]: extension,
    },
    flow_state: structuredClone(task.flowState),
    created_at: task.createdAt,
  }
}

const readMessage =
  (entropy: Entropy) =>
  (source: Hydrator): Message => {
    const metadata = source.object('metadata')
    const extensions = source.strings('extensions')
    const references = source.strings('reference_task_ids')
    return {
      id: source.string('id') ?? createId('msg', entropy),
      role: source.oneOf('role', ['user', 'agent', 'assistant', 'system']) ?? 'user',
      parts: source.list('parts', readProtolinkPart),
      timestamp: source.string('timestamp') ?? new Date(entropy.now()).toISOString(),
      ...(metadata && { metadata }),
      ...(source.raw('extensions') !== undefined && { extensions }),
      ...(source.raw('reference_task_ids') !== undefined && { referenceTaskIds: references }),
    }
  }

const readArtifact =
  (entropy: Entropy) =>
  (source: Hydrator): Artifact => ({
    id: source.string('id') ?? createId('art', entropy),
    parts: source.list('parts', readProtolinkPart),
    metadata: source.object('metadata') ?? {},
    timestamp: source.string('timestamp') ?? new Date(entropy.now()).toISOString(),
    kind: source.string('kind') ?? 'result',
    ...compactObject({
      name: source.string('name'),
      description: source.string('description'),
      uri: source.string('uri'),
      mediaType: source.string('media_type'),
      actionId: source.string('action_id'),
      extensions: source.raw('extensions') === undefined ? undefined : source.strings('extensions'),
    }),
  })

/**
 * Reads one message in Protolink's form.
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export function fromProtolinkMessage(wire: unknown, entropy: Entropy = systemEntropy): Message {
  checkJsonLimits(wire)
  return Hydrator.run('Message', wire, readMessage(entropy))
}

/**
 * Reads a task in Protolink's form. Fields that are not known stay in the metadata, under
 * `protolink_extra`.
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export function fromProtolinkTask(wire: unknown, entropy: Entropy = systemEntropy): Task {
  checkJsonLimits(wire)
  return Hydrator.run('Task', wire, (source) => readTask(source, entropy))
}

function readTask(source: Hydrator, entropy: Entropy): Task {
  const now = new Date(entropy.now()).toISOString()
  const wireState = fromProtolinkState(source.oneOf('state', wireStates)) ?? 'submitted'
  const all = source.object('metadata') ?? {}
  const { [extensionUri]: _, run_context: runContext, ...wireMetadata } = all
  const extension = objectAt(all, extensionUri)
  const { session_id: session, ...context } = isObject(runContext) ? runContext : {}
  const metadata = fromProtolinkMetadata(wireMetadata, extension)
  const messages = source.list('messages', readMessage(entropy))
  const shown = source.list('artifacts', readArtifact(entropy))
  const artifacts = withAnswers(shown, messages, extension['answers'], entropy)
  const createdAt = source.string('created_at') ?? now
  const id = source.string('id') ?? createId('task', entropy)
  const flowState = source.object('flow_state') ?? {}
  // What nothing above has read, so it stands last.
  const extra = source.rest()
  const { last } = extension
  return {
    id,
    sessionId: typeof session === 'string' && session ? session : createId('ctx', entropy),
    ...readStatus({ wireState, extension, metadata, createdAt }, entropy),
    messages,
    artifacts,
    metadata: {
      ...metadata,
      ...(Object.keys(context).length && { run_context: context }),
      ...(Object.keys(extra).length && { protolink_extra: extra }),
    },
    flowState,
    createdAt,
    ...((last === 'message' || last === 'artifact') && { last }),
  }
}

/** What says where a task stands. */
interface StatusSource {
  readonly wireState: TaskState
  readonly extension: JsonObject
  readonly metadata: JsonObject
  readonly createdAt: string
}

/**
 * Where a task stands. The extension says it exactly, unless Protolink changed the state since it
 * was written. A task that Protolink failed has its reason at `metadata.error`.
 */
function readStatus(
  { wireState, extension, metadata, createdAt }: StatusSource,
  entropy: Entropy,
): Pick<Task, 'state' | 'statusMessage' | 'statusAt'> {
  const { state, status_of: statusOf, status_at: statusAt, status_message: message } = extension
  const isChanged = statusOf !== undefined && fromProtolinkState(statusOf) !== wireState
  const changedAt = lastChangeOf(metadata) ?? createdAt

  const { error } = metadata
  const failure = wireState === 'failed' && typeof error === 'string' ? error : ''
  const reason = failure ? createMessage('agent', failure, entropy) : undefined
  if (isChanged)
    return { state: wireState, ...(reason && { statusMessage: reason }), statusAt: changedAt }

  const exact = taskStates.find((name) => name === state)
  const written = readOptional(message, readMessage(entropy))
  const statusMessage = written ?? (statusOf === undefined ? reason : undefined)
  return {
    state: exact && toProtolinkState(exact) === toProtolinkState(wireState) ? exact : wireState,
    ...(statusMessage && { statusMessage }),
    statusAt: typeof statusAt === 'string' ? statusAt : changedAt,
  }
}

function readOptional<T>(value: unknown, read: (source: Hydrator) => T): T | undefined {
  try {
    return isObject(value) ? Hydrator.run('', value, read) : undefined
  } catch {
    return undefined
  }
}

/** Puts the answers back that {@link toProtolinkTask} left out. */
function withAnswers(
  artifacts: readonly Artifact[],
  messages: readonly Message[],
  answers: unknown,
  entropy: Entropy,
): readonly Artifact[] {
  if (!Array.isArray(answers)) return artifacts
  const restored = [...artifacts]
  for (const entry of answers as readonly unknown[]) {
    if (!isObject(entry)) continue
    const message = messages.find(({ id }) => id === entry['message_id'])
    const artifact = readOptional(entry['artifact'], readArtifact(entropy))
    const { index } = entry
    if (message && artifact && typeof index === 'number')
      restored.splice(index, 0, { ...artifact, parts: message.parts })
  }
  return restored
}

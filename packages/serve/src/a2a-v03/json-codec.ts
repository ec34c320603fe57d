import { AgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { decodeProto } from '../a2a/proto-json.js'
import type { A2aMessage, A2aPart, A2aPushConfig, A2aSendRequest, A2aStreamResponse, A2aTask } from '../a2a/types.js'
import { compactObject, mapItems } from '../base/json.js'

/** The state as A2A 0.3 writes it: `TASK_STATE_INPUT_REQUIRED` is `input-required`. */
const toLegacyState = (state: string): string =>
  state === 'TASK_STATE_UNSPECIFIED' ? 'unknown' : state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')

const fromLegacyState = (state: unknown): string =>
  typeof state === 'string' && state !== 'unknown'
    ? `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`
    : 'TASK_STATE_UNSPECIFIED'

function toLegacyPart(part: A2aPart): JsonObject {
  const { metadata, filename, mediaType } = part
  if (part.text !== undefined) return compactObject({ kind: 'text', text: part.text, metadata })
  if (part.raw === undefined && part.url === undefined) {
    const data = isObject(part.data) ? part.data : { value: part.data ?? null }
    return compactObject({ kind: 'data', data, metadata })
  }
  const at = part.raw === undefined ? { uri: part.url } : { bytes: part.raw }
  return compactObject({ kind: 'file', file: compactObject({ ...at, mimeType: mediaType, name: filename }), metadata })
}

function fromLegacyPart(part: unknown): JsonObject {
  if (!isObject(part)) return {}
  const { kind, metadata, file } = part
  if (kind === 'file' && isObject(file)) {
    const at = file['bytes'] === undefined ? { url: file['uri'] } : { raw: file['bytes'] }
    return compactObject({ ...at, mediaType: file['mimeType'], filename: file['name'], metadata })
  }
  if (kind === 'data') return compactObject({ data: part['data'], metadata })
  return compactObject({ text: part['text'], metadata })
}

const partsOf = (value: unknown): unknown => mapItems(value, fromLegacyPart)

/** A message of A2A 0.3. */
export const toLegacyMessage = (message: A2aMessage): JsonObject => ({
  kind: 'message',
  ...message,
  role: message.role === 'ROLE_USER' ? 'user' : 'agent',
  parts: message.parts.map(toLegacyPart),
})

const fromLegacyMessage = (message: unknown): unknown => {
  if (!isObject(message)) return message
  const { kind: _, role, parts, ...rest } = message
  return {
    ...rest,
    role: role === 'agent' ? 'ROLE_AGENT' : role === 'user' ? 'ROLE_USER' : role,
    parts: partsOf(parts),
  }
}

const toLegacyStatus = ({ state, message, timestamp }: A2aTask['status']): JsonObject =>
  compactObject({ state: toLegacyState(state), message: message && toLegacyMessage(message), timestamp })

const fromLegacyStatus = (status: unknown): unknown =>
  isObject(status)
    ? compactObject({
        state: fromLegacyState(status['state']),
        message: status['message'] === undefined ? undefined : fromLegacyMessage(status['message']),
        timestamp: status['timestamp'],
      })
    : status

/** A task of A2A 0.3. */
export const toLegacyTask = (task: A2aTask): JsonObject => ({
  kind: 'task',
  ...task,
  contextId: task.contextId ?? '',
  status: toLegacyStatus(task.status),
  ...(task.artifacts && {
    artifacts: task.artifacts.map((artifact) => ({ ...artifact, parts: artifact.parts.map(toLegacyPart) })),
  }),
  ...(task.history && { history: task.history.map(toLegacyMessage) }),
})

const fromLegacyArtifact = (artifact: unknown): unknown =>
  isObject(artifact) ? { ...artifact, parts: partsOf(artifact['parts']) } : artifact

/** A task of A2A 0.3, read. @throws {AgentError} `invalid-params` */
export const fromLegacyTask = (task: unknown): A2aTask =>
  decodeProto(
    'Task',
    isObject(task)
      ? compactObject({
          id: task['id'],
          contextId: task['contextId'],
          metadata: task['metadata'],
          status: fromLegacyStatus(task['status']),
          artifacts: mapItems(task['artifacts'], fromLegacyArtifact),
          history: mapItems(task['history'], fromLegacyMessage),
        })
      : task,
  )

/** True for a state that ends a stream of A2A 0.3. */
export const isLegacyEnd = (state: string): boolean =>
  /^TASK_STATE_(?:COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED)$/.test(state)

/** One event of a stream of A2A 0.3. */
export function toLegacyEvent({ task, message, statusUpdate, artifactUpdate }: A2aStreamResponse): JsonObject {
  if (task) return toLegacyTask(task)
  if (message) return toLegacyMessage(message)
  if (statusUpdate)
    return {
      kind: 'status-update',
      ...statusUpdate,
      status: toLegacyStatus(statusUpdate.status),
      final: isLegacyEnd(statusUpdate.status.state),
    }
  if (!artifactUpdate) throw new AgentError('internal', 'The stream has an event without content')
  const { artifact } = artifactUpdate
  return {
    kind: 'artifact-update',
    ...artifactUpdate,
    artifact: { ...artifact, parts: artifact.parts.map(toLegacyPart) },
  }
}

/** An event of a stream of A2A 0.3, or the result of `message/send`, read. @throws {AgentError} `invalid-params` */
export function fromLegacyEvent(event: unknown): A2aStreamResponse {
  if (!isObject(event)) return decodeProto('StreamResponse', event)
  switch (event['kind']) {
    case 'message':
      return decodeProto('StreamResponse', { message: fromLegacyMessage(event) })
    case 'status-update':
      return decodeProto('StreamResponse', { statusUpdate: { ...event, status: fromLegacyStatus(event['status']) } })
    case 'artifact-update':
      return decodeProto('StreamResponse', {
        artifactUpdate: { ...event, artifact: fromLegacyArtifact(event['artifact']) },
      })
    default:
      return { task: fromLegacyTask(event) }
  }
}

/** A push configuration of A2A 0.3, read. */
export function fromLegacyPushConfig(config: unknown, taskId?: unknown): A2aPushConfig {
  if (!isObject(config)) return decodeProto('TaskPushNotificationConfig', config)
  const { authentication, ...rest } = config
  const schemes = isObject(authentication) && Array.isArray(authentication['schemes']) ? authentication['schemes'] : []
  const first: unknown = schemes[0]
  return decodeProto('TaskPushNotificationConfig', {
    // A configuration of 0.3 without an id is found under the id of its task.
    ...(taskId !== undefined && { taskId, id: taskId }),
    ...rest,
    ...(isObject(authentication) && {
      authentication: compactObject({ scheme: first, credentials: authentication['credentials'] }),
    }),
  })
}

/** A push configuration of A2A 0.3. */
export function toLegacyPushConfig({ taskId, tenant: _, authentication, ...rest }: A2aPushConfig): JsonObject {
  const { scheme, credentials } = authentication ?? {}
  const pushNotificationConfig = compactObject({
    ...rest,
    authentication: scheme === undefined ? undefined : compactObject({ schemes: [scheme], credentials }),
  })
  return { taskId: taskId ?? '', pushNotificationConfig }
}

/** The parameters of `message/send`, read. @throws {AgentError} `invalid-params` */
export function fromLegacySend(params: unknown): A2aSendRequest {
  if (!isObject(params)) return decodeProto('SendMessageRequest', params)
  const { message, configuration, metadata } = params
  const { blocking, pushNotificationConfig, acceptedOutputModes, historyLength } = isObject(configuration)
    ? configuration
    : {}
  return decodeProto(
    'SendMessageRequest',
    compactObject({
      message: fromLegacyMessage(message),
      metadata,
      configuration: isObject(configuration)
        ? compactObject({
            acceptedOutputModes,
            historyLength,
            returnImmediately: blocking === false ? true : undefined,
            taskPushNotificationConfig:
              pushNotificationConfig === undefined ? undefined : fromLegacyPushConfig(pushNotificationConfig),
          })
        : configuration,
    }),
  )
}

/** The parameters of `message/send`. */
export const toLegacySend = ({ message, configuration, metadata }: A2aSendRequest): JsonObject =>
  compactObject({
    message: toLegacyMessage(message),
    metadata,
    configuration:
      configuration &&
      compactObject({
        acceptedOutputModes: configuration.acceptedOutputModes ?? [],
        historyLength: configuration.historyLength,
        blocking: !configuration.returnImmediately,
      }),
  })

import { AgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { decodeProto } from '../a2a/proto-json.js'
import type { A2aMessage, A2aPart, A2aPushConfig, A2aSendRequest, A2aStreamResponse, A2aTask } from '../a2a/types.js'
import { compactObject, mapItems } from '../base/json.js'
import { fromLegacyPushConfig, isLegacyEnd, toLegacyPushConfig } from './json-codec.js'

// The HTTP+JSON binding of A2A 0.3 speaks ProtoJSON of the 0.3 proto, not the objects with `kind` of its JSON-RPC binding.

/** 0.3 spells the state with two L. */
const toState = (state: string): string => (state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state)
const fromState = (state: unknown): unknown => (state === 'TASK_STATE_CANCELLED' ? 'TASK_STATE_CANCELED' : state)

function toPart({ text, raw, url, data, metadata, filename, mediaType }: A2aPart): JsonObject {
  if (text !== undefined) return compactObject({ text, metadata })
  if (raw === undefined && url === undefined)
    return compactObject({ data: { data: isObject(data) ? data : { value: data ?? null } }, metadata })
  const at = raw === undefined ? { fileWithUri: url } : { fileWithBytes: raw }
  return compactObject({ file: compactObject({ ...at, mimeType: mediaType, name: filename }), metadata })
}

/** The first of several spellings of a field: ProtoJSON readers accept the JSON name and the proto name. */
const pick = (source: Readonly<Record<string, unknown>>, ...names: readonly string[]): unknown =>
  source[names.find((name) => source[name] !== undefined && source[name] !== null) ?? '']

function fromPart(part: unknown): unknown {
  if (!isObject(part)) return part
  const { text, file, data, metadata } = part
  if (isObject(file))
    return compactObject({
      url: pick(file, 'fileWithUri', 'file_with_uri'),
      raw: pick(file, 'fileWithBytes', 'file_with_bytes'),
      mediaType: pick(file, 'mimeType', 'mime_type'),
      filename: file['name'],
      metadata,
    })
  if (data !== undefined) return compactObject({ data: isObject(data) ? data['data'] : data, metadata })
  return compactObject({ text, metadata })
}

const toMessage = (message: A2aMessage): JsonObject => {
  const { parts, referenceTaskIds: _, ...rest } = message
  return { ...rest, content: parts.map(toPart) }
}

const fromMessage = (message: unknown): unknown => {
  if (!isObject(message)) return message
  const { content, parts, ...rest } = message
  return { ...rest, parts: mapItems(content ?? parts, fromPart) }
}

const toStatus = ({ state, message, timestamp }: A2aTask['status']): JsonObject =>
  compactObject({ state: toState(state), message: message && toMessage(message), timestamp })

const fromStatus = (status: unknown): unknown => {
  if (!isObject(status)) return status
  const message = pick(status, 'message', 'update')
  return compactObject({
    state: fromState(status['state']),
    message: message === undefined ? undefined : fromMessage(message),
    timestamp: status['timestamp'],
  })
}

const toArtifact = (artifact: NonNullable<A2aTask['artifacts']>[number]): JsonObject => ({
  ...artifact,
  parts: artifact.parts.map(toPart),
})

const fromArtifact = (artifact: unknown): unknown =>
  isObject(artifact) ? { ...artifact, parts: mapItems(artifact['parts'], fromPart) } : artifact

/** A task of A2A 0.3 as ProtoJSON. */
export const toLegacyProtoTask = ({ status, artifacts, history, ...rest }: A2aTask): JsonObject => ({
  ...rest,
  status: toStatus(status),
  ...(artifacts && { artifacts: artifacts.map(toArtifact) }),
  ...(history && { history: history.map(toMessage) }),
})

const readTask = (task: unknown): unknown =>
  isObject(task)
    ? {
        ...task,
        status: fromStatus(task['status']),
        artifacts: mapItems(task['artifacts'], fromArtifact),
        history: mapItems(task['history'], fromMessage),
      }
    : task

/** A task of A2A 0.3 as ProtoJSON, read. @throws {AgentError} `invalid-params` */
export const fromLegacyProtoTask = (task: unknown): A2aTask => decodeProto('Task', readTask(task))

/** An event of a stream of A2A 0.3 as ProtoJSON; also the response of `message:send`. */
export function toLegacyProtoEvent({ task, message, statusUpdate, artifactUpdate }: A2aStreamResponse): JsonObject {
  if (task) return { task: toLegacyProtoTask(task) }
  if (message) return { message: toMessage(message) }
  if (statusUpdate) {
    const { status, ...rest } = statusUpdate
    return { statusUpdate: { ...rest, status: toStatus(status), final: isLegacyEnd(status.state) } }
  }
  if (!artifactUpdate) throw new AgentError('internal', 'The stream has an event without content')
  return { artifactUpdate: { ...artifactUpdate, artifact: toArtifact(artifactUpdate.artifact) } }
}

/** An event of a stream of A2A 0.3 as ProtoJSON, read. @throws {AgentError} `invalid-params` */
export function fromLegacyProtoEvent(event: unknown): A2aStreamResponse {
  if (!isObject(event)) return decodeProto('StreamResponse', event)
  const { task } = event
  const message = pick(event, 'message', 'msg')
  const status = pick(event, 'statusUpdate', 'status_update')
  const artifact = pick(event, 'artifactUpdate', 'artifact_update')
  return decodeProto(
    'StreamResponse',
    compactObject({
      task: readTask(task),
      message: message === undefined ? undefined : fromMessage(message),
      statusUpdate: isObject(status) ? { ...status, status: fromStatus(status['status']) } : status,
      artifactUpdate: isObject(artifact) ? { ...artifact, artifact: fromArtifact(artifact['artifact']) } : artifact,
    }),
  )
}

/** The body of `message:send` of A2A 0.3, read. @throws {AgentError} `invalid-params` */
export function fromLegacyProtoSend(body: Readonly<Record<string, unknown>>): A2aSendRequest {
  const { configuration, metadata } = body
  const message = fromMessage(pick(body, 'message', 'request'))
  if (!isObject(configuration))
    return decodeProto('SendMessageRequest', compactObject({ message, metadata, configuration }))
  const historyLength = pick(configuration, 'historyLength', 'history_length')
  const push = pick(configuration, 'pushNotification', 'push_notification')
  return decodeProto(
    'SendMessageRequest',
    compactObject({
      message,
      metadata,
      configuration: compactObject({
        acceptedOutputModes: pick(configuration, 'acceptedOutputModes', 'accepted_output_modes'),
        // The proto of 0.3 cannot say that the length is unset: 0 is.
        historyLength: historyLength === 0 ? undefined : historyLength,
        returnImmediately: configuration['blocking'] === true ? undefined : true,
        taskPushNotificationConfig: push === undefined ? undefined : fromLegacyPushConfig(push),
      }),
    }),
  )
}

/** The body of `message:send` of A2A 0.3. */
export const toLegacyProtoSend = ({ message, configuration, metadata }: A2aSendRequest): JsonObject =>
  compactObject({
    message: toMessage(message),
    metadata,
    configuration: compactObject({
      acceptedOutputModes: configuration?.acceptedOutputModes,
      historyLength: configuration?.historyLength,
      blocking: !configuration?.returnImmediately,
    }),
  })

/** A push configuration of A2A 0.3 as ProtoJSON: its name is a path. */
export function toLegacyProtoPushConfig(config: A2aPushConfig): JsonObject {
  const { taskId, pushNotificationConfig } = toLegacyPushConfig(config)
  return { name: `tasks/${String(taskId)}/pushNotificationConfigs/${config.id ?? ''}`, pushNotificationConfig }
}

/** A push configuration of A2A 0.3 as ProtoJSON, read. @throws {AgentError} `invalid-params` */
export function fromLegacyProtoPushConfig(body: Readonly<Record<string, unknown>>, taskId: string): A2aPushConfig {
  const wrapped = pick(body, 'config', 'pushNotificationConfig', 'push_notification_config') ?? body
  const inner = isObject(wrapped)
    ? (pick(wrapped, 'pushNotificationConfig', 'push_notification_config') ?? wrapped)
    : wrapped
  return fromLegacyPushConfig(inner, taskId)
}

import { AgentError, isAgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import {
  cancelTask,
  getExtendedCard,
  getTask,
  sendMessage,
  streamMessage,
  subscribeToTask,
} from '../a2a/a2a-operations.js'
import { decodeProto } from '../a2a/proto-json.js'
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from '../a2a/push-operations.js'
import type { RpcMethod, RpcResult } from '../a2a/rpc-method.js'
import type { RequestContext } from '../wire/endpoint.js'
import { legacyCardFields } from './card-codec.js'
import { fromLegacyPushConfig, fromLegacySend, toLegacyEvent, toLegacyPushConfig, toLegacyTask } from './json-codec.js'

const fieldOf = (params: unknown, ...names: readonly string[]): unknown => {
  const found = isObject(params) ? names.find((name) => params[name] !== undefined) : undefined
  return isObject(params) && found !== undefined ? params[found] : undefined
}

const configKey = (params: unknown) => ({
  taskId: fieldOf(params, 'id', 'taskId'),
  id: fieldOf(params, 'pushNotificationConfigId') ?? fieldOf(params, 'id', 'taskId'),
})

const encode: Extract<RpcResult, { readonly events: unknown }>['encode'] = ({ response }) => toLegacyEvent(response)

/** The extended card with the fields of 0.3. @throws {AgentError} `extended-card-not-configured`: 0.3 has no other refusal */
export async function legacyExtendedCard(context: RequestContext): Promise<JsonObject> {
  try {
    // Signatures of 1.0 do not cover the fields of 0.3.
    const { signatures: _, ...card } = await getExtendedCard(context)
    return { ...card, ...legacyCardFields(context.card()) }
  } catch (error) {
    if (isAgentError(error, 'unsupported-operation'))
      throw new AgentError('extended-card-not-configured', error.message, { cause: error })
    throw error
  }
}

/** The methods of A2A 0.3, as a layer over those of 1.0. */
export const legacyMethods: Readonly<Record<string, RpcMethod>> = {
  'message/send': async (context, params) => {
    return { value: toLegacyEvent(await sendMessage(context, fromLegacySend(params))) }
  },
  'message/stream': async (context, params) => ({
    events: await streamMessage(context, fromLegacySend(params)),
    encode,
  }),
  'tasks/get': async (context, params) => ({
    value: toLegacyTask(await getTask(context, decodeProto('GetTaskRequest', params))),
  }),
  'tasks/cancel': async (context, params) => ({
    value: toLegacyTask(await cancelTask(context, decodeProto('CancelTaskRequest', params))),
  }),
  'tasks/resubscribe': async (context, params) => ({
    events: await subscribeToTask(context, decodeProto('SubscribeToTaskRequest', params)),
    encode,
  }),
  'tasks/pushNotificationConfig/set': async (context, params) => {
    const config = fromLegacyPushConfig(fieldOf(params, 'pushNotificationConfig'), fieldOf(params, 'taskId'))
    return { value: toLegacyPushConfig(await createPushConfig(context, config)) }
  },
  'tasks/pushNotificationConfig/get': async (context, params) => {
    const key = decodeProto('GetTaskPushNotificationConfigRequest', configKey(params))
    return { value: toLegacyPushConfig(await getPushConfig(context, key)) }
  },
  'tasks/pushNotificationConfig/list': async (context, params) => {
    const request = decodeProto('ListTaskPushNotificationConfigsRequest', { taskId: fieldOf(params, 'id', 'taskId') })
    return { value: ((await listPushConfigs(context, request)).configs ?? []).map(toLegacyPushConfig) }
  },
  'tasks/pushNotificationConfig/delete': async (context, params) => {
    await deletePushConfig(context, decodeProto('DeleteTaskPushNotificationConfigRequest', configKey(params)))
    return { value: null }
  },
  'agent/getAuthenticatedExtendedCard': async (context) => ({ value: await legacyExtendedCard(context) }),
}

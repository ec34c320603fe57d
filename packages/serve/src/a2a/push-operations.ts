import { AgentError, createId, type PushConfig, type TaskKey } from '@modelport/agent'
import { invalidParams } from '../base/invalid-params.js'
import { compactObject } from '../base/json.js'
import type { RequestContext } from '../wire/endpoint.js'
import type { ProtoMessages } from './proto-json.js'
import type { A2aPushConfig } from './types.js'

const keyOf = (principal: string, id: string): TaskKey => ({ principal, id })

/** @throws {AgentError} `push-not-supported` */
export function checkPush(context: RequestContext): void {
  if (!context.push || !context.card().capabilities.pushNotifications)
    throw new AgentError('push-not-supported', 'The agent does not send push notifications')
}

/** Checks a push configuration of the wire. @throws {AgentError} `push-not-supported`, `invalid-params` */
export function readPushConfig(context: RequestContext, wire: A2aPushConfig): Omit<PushConfig, 'taskId'> {
  checkPush(context)
  context.push?.checkUrl(wire.url)
  const { id = '', token, authentication } = wire
  for (const [name, value] of Object.entries({
    token,
    scheme: authentication?.scheme,
    credentials: authentication?.credentials,
  }))
    if (value !== undefined && !/^[\x20-\x7e]{0,4096}$/.test(value))
      throw new AgentError(
        'invalid-params',
        `The ${name} of a push configuration must be at most 4,096 characters of printable ASCII: it is sent in a header`,
      )
  // The protocol sets no limits; all of it is stored with the task.
  if (id.length > 200)
    throw new AgentError('invalid-params', 'The id of a push configuration must be at most 200 characters')
  return {
    id: id === '' ? createId('push', context.host.entropy) : id,
    url: wire.url,
    ...compactObject({ token, authentication }),
  }
}

/** A notification would be stored until it is delivered. */
export const noPushOffRecord = (): AgentError =>
  new AgentError('invalid-params', 'A task off the record has no push notifications; subscribe to it')

/** CreateTaskPushNotificationConfig. */
export async function createPushConfig(context: RequestContext, request: A2aPushConfig): Promise<A2aPushConfig> {
  const config = readPushConfig(context, request)
  if (!request.taskId) throw invalidParams('/taskId', 'a required field is missing', 'taskId is missing')
  const key = keyOf(context.principal, request.taskId)
  const { head } = await context.host.get(key, context.served.agent.name)
  if (head.record.offRecord) throw noPushOffRecord()
  const stored: PushConfig = { ...config, taskId: request.taskId }
  const known = await context.host.store.pushConfigs.list(key)
  if (known.length >= 20 && !known.some(({ id }) => id === stored.id))
    throw new AgentError('invalid-params', 'The task has 20 push configurations; delete one first')
  await context.host.store.pushConfigs.put(key, stored)
  context.push?.watch(key, head.seq)
  return stored
}

async function checkPushTask(context: RequestContext, taskId: string): Promise<void> {
  checkPush(context)
  await context.host.get(keyOf(context.principal, taskId), context.served.agent.name)
}

/** GetTaskPushNotificationConfig. */
export async function getPushConfig(
  context: RequestContext,
  { taskId, id }: ProtoMessages['GetTaskPushNotificationConfigRequest'],
): Promise<A2aPushConfig> {
  await checkPushTask(context, taskId)
  const found = await context.host.store.pushConfigs.get(keyOf(context.principal, taskId), id)
  if (found) return found
  throw new AgentError('task-not-found', 'The push configuration does not exist or is not accessible')
}

const invalid = (field: string, message: string): AgentError =>
  invalidParams(`/${field}`, message, `${field} ${message}`)

/** ListTaskPushNotificationConfigs. */
export async function listPushConfigs(
  context: RequestContext,
  { taskId, pageSize, pageToken }: ProtoMessages['ListTaskPushNotificationConfigsRequest'],
): Promise<ProtoMessages['ListTaskPushNotificationConfigsResponse']> {
  await checkPushTask(context, taskId)
  const all = await context.host.store.pushConfigs.list(keyOf(context.principal, taskId))
  const from = pageToken ? all.findIndex(({ id }) => id === pageToken) + 1 : 0
  if (pageToken && !from) throw invalid('pageToken', 'is not one that this server gave out; start from the first page')
  if (pageSize !== undefined && pageSize < 0) throw invalid('pageSize', `must not be negative, got ${pageSize}`)
  const page = all.slice(from, pageSize ? from + pageSize : undefined)
  const last = page.at(-1)
  return { configs: page, nextPageToken: last && from + page.length < all.length ? last.id : '' }
}

/** DeleteTaskPushNotificationConfig. */
export async function deletePushConfig(
  context: RequestContext,
  { taskId, id }: ProtoMessages['DeleteTaskPushNotificationConfigRequest'],
): Promise<void> {
  await checkPushTask(context, taskId)
  await context.host.store.pushConfigs.delete(keyOf(context.principal, taskId), id)
}

import type { AgentError } from '@modelport/agent'
import {
  type A2aStreamEvent,
  cancelTask,
  getTask,
  sendMessage,
  streamMessage,
  subscribeToTask,
} from '../a2a/a2a-operations.js'
import { respondWithStream } from '../a2a/json-rpc.js'
import { decodeProto } from '../a2a/proto-json.js'
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from '../a2a/push-operations.js'
import type { RequestContext } from '../wire/endpoint.js'
import { toRpcError } from '../wire/error-forms.js'
import { readObject } from '../wire/reading.js'
import { jsonReply, type Reply } from '../wire/reply.js'
import type { BindingRow, Endpoint, FailedRequest } from '../wire/wire.js'
import {
  fromLegacyProtoPushConfig,
  fromLegacyProtoSend,
  toLegacyProtoEvent,
  toLegacyProtoPushConfig,
  toLegacyProtoTask,
} from './proto-codec.js'
import { legacyExtendedCard } from './rpc-methods.js'

const stream = (context: RequestContext, events: AsyncIterator<A2aStreamEvent>): Reply =>
  respondWithStream(
    context,
    events,
    ({ response }) => toLegacyProtoEvent(response),
    (error) => ({ event: 'error', data: JSON.stringify(toRpcError(error)) }),
  )

const idOf = ({ params }: RequestContext): string => params['id'] ?? ''
const configOf = ({ params }: RequestContext) => ({ taskId: params['id'] ?? '', id: params['configId'] ?? '' })

const subscribe = async (context: RequestContext): Promise<Reply> =>
  stream(context, await subscribeToTask(context, decodeProto('SubscribeToTaskRequest', { id: idOf(context) })))

const rows: readonly BindingRow[] = [
  {
    name: 'Send',
    method: 'POST',
    path: '/v1/message:send',
    summary: 'Sends a message.',
    source: 'body',
    mode: 'response',
    handle: async (context) =>
      jsonReply(toLegacyProtoEvent(await sendMessage(context, fromLegacyProtoSend(await readObject(context))))),
  },
  {
    name: 'Stream',
    method: 'POST',
    path: '/v1/message:stream',
    summary: 'Sends a message and streams what happens to its task.',
    source: 'body',
    mode: 'stream',
    handle: async (context) =>
      stream(context, await streamMessage(context, fromLegacyProtoSend(await readObject(context)))),
  },
  {
    name: 'Get',
    method: 'GET',
    path: '/v1/tasks/{id}',
    summary: 'Gives a task as it is now.',
    source: 'query',
    mode: 'response',
    handle: async (context) => {
      const { searchParams } = context.url
      const historyLength = searchParams.get('historyLength') ?? searchParams.get('history_length')
      const request = { id: idOf(context), ...(historyLength !== null && { historyLength }) }
      return jsonReply(toLegacyProtoTask(await getTask(context, decodeProto('GetTaskRequest', request))))
    },
  },
  {
    name: 'Cancel',
    method: 'POST',
    path: '/v1/tasks/{id}:cancel',
    summary: 'Cancels a task.',
    source: 'path',
    mode: 'response',
    handle: async (context) => jsonReply(toLegacyProtoTask(await cancelTask(context, { id: idOf(context) }))),
  },
  ...(['GET', 'POST'] as const).map(
    (method): BindingRow => ({
      name: 'Subscribe',
      method,
      path: '/v1/tasks/{id}:subscribe',
      summary: 'Streams a task: first as it is now, then what happens to it.',
      source: 'path',
      mode: 'stream',
      handle: subscribe,
    }),
  ),
  {
    name: 'SetPushConfig',
    method: 'POST',
    path: '/v1/tasks/{id}/pushNotificationConfigs',
    summary: 'Adds an address that notifications of a task are sent to.',
    source: 'body',
    mode: 'response',
    handle: async (context) => {
      const config = fromLegacyProtoPushConfig(await readObject(context), idOf(context))
      return jsonReply(toLegacyProtoPushConfig(await createPushConfig(context, config)))
    },
  },
  {
    name: 'GetPushConfig',
    method: 'GET',
    path: '/v1/tasks/{id}/pushNotificationConfigs/{configId}',
    summary: 'Gives one push configuration of a task.',
    source: 'path',
    mode: 'response',
    handle: async (context) => jsonReply(toLegacyProtoPushConfig(await getPushConfig(context, configOf(context)))),
  },
  {
    name: 'ListPushConfigs',
    method: 'GET',
    path: '/v1/tasks/{id}/pushNotificationConfigs',
    summary: 'Lists the push configurations of a task.',
    source: 'path',
    mode: 'response',
    handle: async (context) => {
      const { configs = [] } = await listPushConfigs(context, { taskId: idOf(context) })
      return jsonReply({ configs: configs.map(toLegacyProtoPushConfig) })
    },
  },
  {
    name: 'DeletePushConfig',
    method: 'DELETE',
    path: '/v1/tasks/{id}/pushNotificationConfigs/{configId}',
    summary: 'Removes a push configuration.',
    source: 'path',
    mode: 'response',
    handle: async (context) => {
      await deletePushConfig(context, configOf(context))
      return jsonReply({})
    },
  },
  {
    name: 'Card',
    method: 'GET',
    path: '/v1/card',
    summary: 'Gives authenticated callers the fuller card.',
    source: 'none',
    mode: 'response',
    handle: async (context) => jsonReply(await legacyExtendedCard(context)),
  },
]

/** The HTTP+JSON binding of A2A 0.3. */
export const legacyRestEndpoints: readonly Endpoint[] = rows.map((row) => ({
  ...row,
  name: `${row.name} (0.3)`,
  wire: 'A2A 0.3',
  version: '0.3',
  fail: (error: AgentError, { status, headers }: FailedRequest) => jsonReply(toRpcError(error), { status, headers }),
}))

import { decodeProto, type ProtoMessages } from './proto-json.js'
import { shapes } from './shapes.js'
import {
  type A2aStreamEvent,
  cancelTask,
  checkStreaming,
  getExtendedCard,
  getTask,
  listTasks,
  sendMessage,
  streamMessage,
  subscribeToTask,
} from './a2a-operations.js'
import { checkPush, createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-operations.js'
import type { RequestContext } from '../wire/endpoint.js'
import type { BindingRow, Endpoint } from '../wire/wire.js'
import { toHttpError } from '../wire/error-forms.js'
import { extensionHeaders, lastEventId, respondWithStream } from './json-rpc.js'
import { readObject } from '../wire/reading.js'
import { jsonReply, type Reply } from '../wire/reply.js'

/** Media type of the HTTP+JSON binding. */
export const a2aMediaType = 'application/a2a+json'

const reply = (context: RequestContext, value: unknown): Reply =>
  jsonReply(value, { headers: { 'content-type': a2aMediaType, ...extensionHeaders(context) } })

const stream = (context: RequestContext, events: AsyncIterator<A2aStreamEvent>): Reply =>
  respondWithStream(
    context,
    events,
    ({ response }) => response,
    (error) => ({ event: 'error', data: JSON.stringify(toHttpError(error)) }),
  )

/** Query parameters as the fields of a message: numbers and booleans are read by the shape of the proto. */
function queryOf<K extends keyof ProtoMessages>(
  context: RequestContext,
  name: K,
  path: Readonly<Record<string, string>> = {},
): ProtoMessages[K] {
  const values: Record<string, unknown> = { ...path }
  for (const field of shapes.get(name) ?? []) {
    const given = context.url.searchParams.get(field.name)
    if (given === null || field.name in path) continue
    values[field.name] = field.type === 'bool' ? (given === 'true' ? true : given === 'false' ? false : given) : given
  }
  return decodeProto(name, values)
}

/** The body as a message; fields of the path win. */
async function bodyOf<K extends keyof ProtoMessages>(
  context: RequestContext,
  name: K,
  path: Readonly<Record<string, string>> = {},
): Promise<ProtoMessages[K]> {
  return decodeProto(name, { ...(await readObject(context, name !== 'SendMessageRequest')), ...path })
}

/** Calls an operation, for the tenant that the request names. */
const call = <R extends { readonly tenant?: string }, T>(
  context: RequestContext,
  operation: (context: RequestContext, request: R) => T,
  request: R,
): T => operation(context.withTenant(request.tenant), request)

const pathOf = (
  { params }: RequestContext,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([name, placeholder]) => [name, params[placeholder] ?? '']))

type Handler = BindingRow['handle']

/** Refuses what the card does not offer, before the request is looked at. */
const checked =
  (check: (context: RequestContext) => void, handle: Handler): Handler =>
  (context) => {
    check(context)
    return handle(context)
  }

const task = { id: 'id' }
const config = { taskId: 'id', id: 'configId' }

const rows: readonly BindingRow[] = [
  {
    name: 'SendMessage',
    method: 'POST',
    path: '/message:send',
    summary: 'Sends a message and waits until the task is over or waits for input.',
    source: 'body',
    mode: 'response',
    handle: async (context) =>
      reply(context, await call(context, sendMessage, await bodyOf(context, 'SendMessageRequest'))),
  },
  {
    name: 'SendStreamingMessage',
    method: 'POST',
    path: '/message:stream',
    summary: 'Sends a message and streams what happens to its task.',
    source: 'body',
    mode: 'stream',
    handle: checked(checkStreaming, async (context) =>
      stream(context, await call(context, streamMessage, await bodyOf(context, 'SendMessageRequest'))),
    ),
  },
  {
    name: 'GetTask',
    method: 'GET',
    path: '/tasks/{id}',
    summary: 'Gives a task as it is now.',
    source: 'query',
    mode: 'response',
    handle: async (context) =>
      reply(context, await call(context, getTask, queryOf(context, 'GetTaskRequest', pathOf(context, task)))),
  },
  {
    name: 'ListTasks',
    method: 'GET',
    path: '/tasks',
    summary: 'Lists tasks, newest status first.',
    source: 'query',
    mode: 'response',
    handle: async (context) => reply(context, await call(context, listTasks, queryOf(context, 'ListTasksRequest'))),
  },
  {
    name: 'CancelTask',
    method: 'POST',
    path: '/tasks/{id}:cancel',
    summary: 'Cancels a task.',
    source: 'body',
    mode: 'response',
    handle: async (context) =>
      reply(
        context,
        await call(context, cancelTask, await bodyOf(context, 'CancelTaskRequest', pathOf(context, task))),
      ),
  },
  ...(['GET', 'POST'] as const).map(
    (method): BindingRow => ({
      name: 'SubscribeToTask',
      method,
      path: '/tasks/{id}:subscribe',
      summary: 'Streams a task: first as it is now, then what happens to it.',
      source: 'path',
      mode: 'stream',
      handle: checked(checkStreaming, async (context) => {
        const request = decodeProto('SubscribeToTaskRequest', pathOf(context, task))
        return stream(context, await subscribeToTask(context, request, lastEventId(context)))
      }),
    }),
  ),
  {
    name: 'CreateTaskPushNotificationConfig',
    method: 'POST',
    path: '/tasks/{id}/pushNotificationConfigs',
    summary: 'Adds an address that notifications of a task are sent to.',
    source: 'body',
    mode: 'response',
    handle: checked(checkPush, async (context) =>
      reply(
        context,
        await call(
          context,
          createPushConfig,
          await bodyOf(context, 'TaskPushNotificationConfig', pathOf(context, { taskId: 'id' })),
        ),
      ),
    ),
  },
  {
    name: 'GetTaskPushNotificationConfig',
    method: 'GET',
    path: '/tasks/{id}/pushNotificationConfigs/{configId}',
    summary: 'Gives one push configuration of a task.',
    source: 'path',
    mode: 'response',
    handle: checked(checkPush, async (context) =>
      reply(
        context,
        await call(
          context,
          getPushConfig,
          queryOf(context, 'GetTaskPushNotificationConfigRequest', pathOf(context, config)),
        ),
      ),
    ),
  },
  {
    name: 'ListTaskPushNotificationConfigs',
    method: 'GET',
    path: '/tasks/{id}/pushNotificationConfigs',
    summary: 'Lists the push configurations of a task.',
    source: 'query',
    mode: 'response',
    handle: checked(checkPush, async (context) =>
      reply(
        context,
        await call(
          context,
          listPushConfigs,
          queryOf(context, 'ListTaskPushNotificationConfigsRequest', pathOf(context, { taskId: 'id' })),
        ),
      ),
    ),
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    method: 'DELETE',
    path: '/tasks/{id}/pushNotificationConfigs/{configId}',
    summary: 'Removes a push configuration; again has the same effect.',
    source: 'path',
    mode: 'response',
    handle: checked(checkPush, async (context) => {
      await call(
        context,
        deletePushConfig,
        queryOf(context, 'DeleteTaskPushNotificationConfigRequest', pathOf(context, config)),
      )
      return reply(context, {})
    }),
  },
  {
    name: 'GetExtendedAgentCard',
    method: 'GET',
    path: '/extendedAgentCard',
    summary: 'Gives authenticated callers the fuller card.',
    source: 'none',
    mode: 'response',
    handle: async (context) => reply(context, await getExtendedCard(context)),
  },
]

/** The HTTP+JSON binding, with and without a tenant in the path. */
export const restEndpoints: readonly Endpoint[] = rows.flatMap((row) =>
  ['', '/{tenant}'].map(
    (prefix): Endpoint => ({
      ...row,
      name: prefix ? `${row.name} (tenant)` : row.name,
      path: prefix + row.path,
      wire: 'A2A 1.0',
      version: '1.0',
    }),
  ),
)

import type { RequestContext } from '../wire/endpoint.js'
import { toHttpError } from '../wire/error-forms.js'
import { readObject } from '../wire/reading.js'
import { type EndpointReply, jsonReply } from '../wire/reply.js'
import type { BindingRow, Endpoint } from '../wire/wire.js'
import * as operations from './a2a-operations.js'
import { extensionHeaders, lastEventId, respondWithStream } from './json-rpc.js'
import { decodeProto, type ProtoMessages } from './proto-json.js'
import { shapes } from './shapes.js'

/** Media type of the HTTP+JSON binding. */
export const a2aMediaType = 'application/a2a+json'

const reply = (context: RequestContext, value: unknown): EndpointReply =>
  jsonReply(value, { headers: { 'content-type': a2aMediaType, ...extensionHeaders(context) } })

const stream = (
  context: RequestContext,
  events: AsyncIterator<operations.A2aStreamEvent>,
): EndpointReply =>
  respondWithStream(
    context,
    events,
    ({ response }) => response,
    (error) => ({ event: 'error', data: JSON.stringify(toHttpError(error)) }),
  )

/** Names of fields, each with the placeholder of the path that gives it. */
type PathFields = Readonly<Record<string, string>>

type Read<Message> = (context: RequestContext) => Promise<Message> | Message

const pathOf = ({ params }: RequestContext, fields: PathFields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, placeholder]) => [name, params[placeholder] ?? '']),
  )

/**
 * Query parameters as the fields of a message: numbers and booleans are read by the shape of the
 * proto.
 */
const inQuery =
  <K extends keyof ProtoMessages>(name: K, fields: PathFields = {}): Read<ProtoMessages[K]> =>
  (context) => {
    const values: Record<string, unknown> = pathOf(context, fields)
    for (const field of shapes.get(name) ?? []) {
      const given = context.url.searchParams.get(field.name)
      if (given === null || field.name in fields) continue
      values[field.name] =
        field.type === 'bool'
          ? given === 'true'
            ? true
            : given === 'false'
              ? false
              : given
          : given
    }
    return decodeProto(name, values)
  }

/** The body as a message; fields of the path win. */
const inBody =
  <K extends keyof ProtoMessages>(name: K, fields: PathFields = {}): Read<ProtoMessages[K]> =>
  async (context) =>
    decodeProto(name, {
      ...(await readObject(context, name !== 'SendMessageRequest')),
      ...pathOf(context, fields),
    })

type Handler = BindingRow['handle']

/** Calls an operation with the parameters of a request, for the tenant that it names. */
const answered =
  <Message extends { readonly tenant?: string }, Result>(
    read: Read<Message>,
    operation: (context: RequestContext, request: Message) => Promise<Result> | Result,
    respond: (context: RequestContext, result: Result) => EndpointReply = reply,
  ): Handler =>
  async (context) => {
    const request = await read(context)
    return respond(context, await operation(context.withTenant(request.tenant), request))
  }

/** Refuses what the card does not offer, before the request is looked at. */
const checked =
  (check: (context: RequestContext) => void, handle: Handler): Handler =>
  (context) => {
    check(context)
    return handle(context)
  }

const task = { id: 'id' }
const pushConfigs = '/tasks/{id}/pushNotificationConfigs'
const pushRows = [
  ['CreateTaskPushNotificationConfig', 'POST', pushConfigs],
  ['GetTaskPushNotificationConfig', 'GET', `${pushConfigs}/{configId}`],
  ['ListTaskPushNotificationConfigs', 'GET', pushConfigs],
  ['DeleteTaskPushNotificationConfig', 'DELETE', `${pushConfigs}/{configId}`],
] as const

const rows: readonly BindingRow[] = [
  {
    name: 'SendMessage',
    method: 'POST',
    path: '/message:send',
    summary: 'Sends a message and waits until the task is over or waits for input.',
    source: 'body',
    mode: 'response',
    handle: answered(inBody('SendMessageRequest'), operations.sendMessage),
  },
  {
    name: 'SendStreamingMessage',
    method: 'POST',
    path: '/message:stream',
    summary: 'Sends a message and streams what happens to its task.',
    source: 'body',
    mode: 'stream',
    handle: checked(
      operations.checkStreaming,
      answered(inBody('SendMessageRequest'), operations.streamMessage, stream),
    ),
  },
  {
    name: 'GetTask',
    method: 'GET',
    path: '/tasks/{id}',
    summary: 'Gives a task as it is now.',
    source: 'query',
    mode: 'response',
    handle: answered(inQuery('GetTaskRequest', task), operations.getTask),
  },
  {
    name: 'ListTasks',
    method: 'GET',
    path: '/tasks',
    summary: 'Lists tasks, newest status first.',
    source: 'query',
    mode: 'response',
    handle: answered(inQuery('ListTasksRequest'), operations.listTasks),
  },
  {
    name: 'CancelTask',
    method: 'POST',
    path: '/tasks/{id}:cancel',
    summary: 'Cancels a task.',
    source: 'body',
    mode: 'response',
    handle: answered(inBody('CancelTaskRequest', task), operations.cancelTask),
  },
  ...(['GET', 'POST'] as const).map(
    (method): BindingRow => ({
      name: 'SubscribeToTask',
      method,
      path: '/tasks/{id}:subscribe',
      summary: 'Streams a task: first as it is now, then what happens to it.',
      source: 'path',
      mode: 'stream',
      handle: checked(operations.checkStreaming, async (context) => {
        const request = decodeProto('SubscribeToTaskRequest', pathOf(context, task))
        return stream(
          context,
          await operations.subscribeToTask(context, request, lastEventId(context)),
        )
      }),
    }),
  ),
  ...pushRows.map(
    ([name, method, path]): BindingRow => ({
      name,
      method,
      path,
      source: 'none',
      mode: 'response',
      summary: 'Is refused: the agent sends no push notifications.',
      handle: operations.refusePush,
    }),
  ),
  {
    name: 'GetExtendedAgentCard',
    method: 'GET',
    path: '/extendedAgentCard',
    summary: 'Gives authenticated callers the fuller card.',
    source: 'none',
    mode: 'response',
    handle: async (context) => reply(context, await operations.getExtendedCard(context)),
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

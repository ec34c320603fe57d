import { AgentError } from '@modelport/agent'
import { isObject } from '@modelport/core'
import type { RequestContext } from '../wire/endpoint.js'
import { errorHeaders, httpStatusOf, toAgentError, toRpcError } from '../wire/error-forms.js'
import type { ServerSentEvent } from '../wire/event-stream.js'
import { extensionUri } from '../wire/extension.js'
import { isJsonType, parseJson, readText } from '../wire/reading.js'
import { type EndpointReply, jsonReply } from '../wire/reply.js'
import type { FailedRequest } from '../wire/wire.js'
import * as operations from './a2a-operations.js'
import { decodeProto, type ProtoMessages } from './proto-json.js'

/** One value, or a stream of values. */
type RpcResult =
  | { readonly value: unknown }
  | { readonly events: AsyncIterator<operations.A2aStreamEvent> }

type RpcMethod = (context: RequestContext, params: unknown) => Promise<RpcResult>

/**
 * Decodes the parameters, and calls the operation as the tenant that they name.
 * @param check refuses what the card does not offer, before the parameters are looked at
 */
const call =
  <Name extends keyof ProtoMessages, Result>(
    name: Name,
    operation: (context: RequestContext, request: ProtoMessages[Name]) => Result,
    check?: (context: RequestContext) => void,
  ) =>
  (context: RequestContext, params: unknown): Result => {
    check?.(context)
    const request = decodeProto(name, params)
    const { tenant } = request as { readonly tenant?: string }
    return operation(context.withTenant(tenant), request)
  }

const value =
  (operation: (context: RequestContext, params: unknown) => unknown): RpcMethod =>
  async (context, params) => ({ value: await operation(context, params) })

const events =
  (
    operation: (
      context: RequestContext,
      params: unknown,
    ) =>
      | AsyncIterator<operations.A2aStreamEvent>
      | Promise<AsyncIterator<operations.A2aStreamEvent>>,
  ): RpcMethod =>
  async (context, params) => ({ events: await operation(context, params) })

const listed = call('ListTasksRequest', operations.listTasks)
const card = call(
  'GetExtendedAgentCardRequest',
  operations.getExtendedCard,
  operations.checkExtendedCard,
)

/** The methods of A2A 1.0. */
const rpcMethods: Readonly<Record<string, RpcMethod>> = {
  SendMessage: value(call('SendMessageRequest', operations.sendMessage)),
  SendStreamingMessage: events(
    call('SendMessageRequest', operations.streamMessage, operations.checkStreaming),
  ),
  GetTask: value(call('GetTaskRequest', operations.getTask)),
  ListTasks: value((context, params) => listed(context, params ?? {})),
  CancelTask: value(call('CancelTaskRequest', operations.cancelTask)),
  SubscribeToTask: events(
    call(
      'SubscribeToTaskRequest',
      (context, request) => operations.subscribeToTask(context, request, lastEventId(context)),
      operations.checkStreaming,
    ),
  ),
  CreateTaskPushNotificationConfig: value(operations.refusePush),
  GetTaskPushNotificationConfig: value(operations.refusePush),
  ListTaskPushNotificationConfigs: value(operations.refusePush),
  DeleteTaskPushNotificationConfig: value(operations.refusePush),
  GetExtendedAgentCard: value((context, params) => card(context, params ?? {})),
}

/** Number of the last event that a reader has seen. */
export function lastEventId({ request }: RequestContext): number | undefined {
  const given = request.headers.get('last-event-id')
  return given && /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

type RpcId = string | number | null

const isId = (id: unknown): id is RpcId =>
  id === null || typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))

/** The id of a request that is refused before its method is known; null if the body has none. */
async function readRpcId(source: Pick<RequestContext, 'request' | 'maxBodyBytes'>): Promise<RpcId> {
  try {
    return rpcIdIn(await readText(source))
  } catch {
    return null
  }
}

function rpcIdIn(text: string): RpcId {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) && isId(body['id']) ? body['id'] : null
  } catch {
    return null
  }
}

const failure = (id: RpcId, cause: unknown, context: RequestContext): EndpointReply => {
  const error = toAgentError(cause)
  const isOutside = error.reason === 'unauthenticated' || error.reason === 'too-large'
  return jsonReply(
    { jsonrpc: '2.0', id, error: toRpcError(error) },
    {
      status: isOutside ? httpStatusOf(error) : 200,
      headers: { ...errorHeaders(error), ...extensionHeaders(context) },
    },
  )
}

/** Names the extensions that the caller asked for and the agent has. */
export function extensionHeaders({
  extensions,
  served,
}: RequestContext): Readonly<Record<string, string>> {
  const known = new Set([extensionUri, ...served.agent.card.extensions.map(({ uri }) => uri)])
  const active = extensions.filter((uri) => known.has(uri))
  return active.length ? { 'a2a-extensions': active.join(', ') } : {}
}

/** A request that was refused before its method had it. */
export async function failRpc(
  error: AgentError,
  { request, maxBodyBytes, status, headers }: FailedRequest,
): Promise<EndpointReply> {
  const isOutside = ['unauthenticated', 'forbidden', 'busy'].includes(error.reason)
  const id = isOutside ? null : await readRpcId({ request, maxBodyBytes })
  return jsonReply(
    { jsonrpc: '2.0', id, error: toRpcError(error) },
    { status: isOutside ? status : 200, headers },
  )
}

/** Serves a JSON-RPC request. */
export async function serveRpc(context: RequestContext): Promise<EndpointReply> {
  let id: RpcId = null
  try {
    const text = await readText(context)
    if (!isJsonType(context.request)) id = rpcIdIn(text)
    const body = parseJson(context, text)
    if (!isObject(body))
      throw invalid('Request payload validation error: expected one request object')
    if (isId(body['id'])) id = body['id']
    if (body['jsonrpc'] !== '2.0')
      throw invalid('Request payload validation error: jsonrpc must be "2.0"')
    if (!('id' in body) || !isId(body['id']))
      throw invalid('Request payload validation error: id must be a string, a number or null')
    const { method, params } = body
    if (typeof method !== 'string')
      throw invalid('Request payload validation error: method must be a string')
    if (params !== undefined && params !== null && typeof params !== 'object')
      throw invalid('Request payload validation error: params must be an object')
    const found = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined
    if (!found) throw new AgentError('method-not-found', 'Method not found')
    return respond(context, id, await found(context, params ?? undefined))
  } catch (error) {
    return failure(id, error, context)
  }
}

const invalid = (message: string): AgentError => new AgentError('invalid-request', message)

function respond(context: RequestContext, id: RpcId, result: RpcResult): EndpointReply {
  if ('value' in result)
    return jsonReply(
      { jsonrpc: '2.0', id, result: result.value },
      { headers: extensionHeaders(context) },
    )
  return respondWithStream(
    context,
    result.events,
    ({ response }) => ({ jsonrpc: '2.0', id, result: response }),
    (error) => ({ data: JSON.stringify({ jsonrpc: '2.0', id, error: toRpcError(error) }) }),
  )
}

/** A stream of A2A events; with our extension each has the number of its task event. */
export function respondWithStream(
  context: RequestContext,
  events: AsyncIterator<operations.A2aStreamEvent>,
  encode: (event: operations.A2aStreamEvent) => unknown,
  encodeError: (error: AgentError) => ServerSentEvent,
): EndpointReply {
  const isNumbered = context.extensions.includes(extensionUri)
  let isOver = false
  const source: AsyncIterator<ServerSentEvent> = {
    next: async () => {
      if (isOver) return { done: true, value: undefined }
      try {
        const next = await events.next()
        if (next.done) return { done: true, value: undefined }
        const { seq } = next.value
        return {
          done: false,
          value: {
            data: JSON.stringify(encode(next.value)),
            ...(isNumbered && seq && { id: String(seq) }),
          },
        }
      } catch (error) {
        isOver = true
        return { done: false, value: encodeError(toAgentError(error)) }
      }
    },
    return: async () => {
      isOver = true
      await events.return?.()
      return { done: true, value: undefined }
    },
  }
  return context.streams.respond(source, extensionHeaders(context))
}

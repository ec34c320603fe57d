import {
  AgentError,
  isAgentError,
  isTerminal,
  type LateResult,
  type TaskEvent,
} from '@modelport/agent'
import { lastEventId } from '../a2a/json-rpc.js'
import { invalidParams } from '../base/invalid-params.js'
import { readCompaction, toCompactionResult } from '../wire/compaction.js'
import type { RequestContext } from '../wire/endpoint.js'
import { toAgentError, toHttpError } from '../wire/error-forms.js'
import type { ServerSentEvent } from '../wire/event-stream.js'
import { compactionPath, forgetPath, resultPathOf, resultsPath } from '../wire/extension.js'
import { readObject, readText } from '../wire/reading.js'
import { jsonReply } from '../wire/reply.js'
import type { Endpoint } from '../wire/wire.js'

/** Streams of numbered events, and what operators ask. */
export const ownEndpoints: readonly Endpoint[] = [
  {
    name: 'TaskEvents',
    method: 'GET',
    path: '/modelport/tasks/{id}/events',
    summary:
      'Streams the events of a task from a number on; Last-Event-ID continues where a reader was.',
    source: 'path',
    mode: 'stream',
    wire: 'modelport',
    handle: async (context) => {
      const { host, principal, params, request, url } = context
      const key = { principal, id: params['id'] ?? '' }
      const { head } = await host.get(key, context.served.agent.name)
      const given = lastEventId(context) ?? Number(url.searchParams.get('after') ?? 0)
      if (!Number.isInteger(given) || given < 0)
        throw new AgentError('invalid-params', 'after must be the number of an event')
      if (given >= head.seq && isTerminal(head.state)) return new Response(null, { status: 204 })
      return context.streams.respond(
        numbered(host.store.tasks.watch(key, given + 1, request.signal)),
      )
    },
  },
  {
    name: 'CompactHistory',
    method: 'POST',
    path: compactionPath,
    summary: 'Makes the conversation of a session shorter.',
    source: 'body',
    mode: 'response',
    wire: 'modelport',
    handle: async (context) => {
      const { sessionId, request } = readCompaction(await readObject(context, true))
      if (!sessionId)
        throw invalidParams('/session_id', 'Missing required field', 'session_id is missing')
      const { host, principal, served } = context
      const key = { principal, agent: served.agent.name, id: sessionId }
      return jsonReply(
        toCompactionResult((await host.compact(key, request, context.request.signal)).report),
      )
    },
  },
  {
    name: 'DeliverResult',
    method: 'POST',
    path: `${resultsPath}/{token}`,
    summary:
      'Takes the result of a call from whoever has its secret, which is in the address: as JSON, or with ?body=result or ?body=failure as the body itself.',
    source: 'body',
    mode: 'response',
    wire: 'modelport',
    authenticated: false,
    handle: async (context) => {
      const result = await readDelivered(context)
      await context.host.deliver({ token: context.params['token'] ?? '' }, result)
      return jsonReply({ status: 'delivered' })
    },
  },
  {
    name: 'DeliverResultOfTask',
    method: 'POST',
    path: resultPathOf('{id}'),
    summary: 'Takes the result of work that a task waits for from a caller who may deliver it.',
    source: 'body',
    mode: 'response',
    wire: 'modelport',
    handle: async (context) => {
      const { host, principal, params } = context
      const body = await readObject(context)
      const { owner = principal, request } = body
      if (typeof owner !== 'string') throw invalidParams('/owner', 'expected a text')
      if (request !== undefined && typeof request !== 'string')
        throw invalidParams('/request', 'expected a text')
      const key = { principal: owner, id: params['id'] ?? '' }
      await host
        .deliver(key, readResult(body), {
          by: principal,
          ...(request !== undefined && { request }),
        })
        .catch((error: unknown) => {
          // That there is such a task is not for everybody to know.
          if (!isAgentError(error, 'forbidden')) throw error
          throw taskNotFound(key.id)
        })
      return jsonReply({ status: 'delivered' })
    },
  },
  {
    name: 'ForgetTasks',
    method: 'POST',
    path: forgetPath,
    summary: 'Removes what tasks of the caller delegated to this agent.',
    source: 'body',
    mode: 'response',
    wire: 'modelport',
    handle: async (context) => {
      const { callers } = await readObject(context)
      if (!Array.isArray(callers) || !callers.every((one) => typeof one === 'string'))
        throw invalidParams('/callers', 'expected a list of task ids', 'callers is not a list')
      const { host, principal, served } = context
      return jsonReply({ tasks: await host.forget(principal, served.agent.name, callers) })
    },
  },
  {
    name: 'Healthz',
    method: 'GET',
    path: '/healthz',
    summary: 'Says that the process runs.',
    source: 'none',
    mode: 'response',
    wire: 'modelport',
    authenticated: false,
    handle: () => jsonReply({ status: 'ok' }),
  },
  {
    name: 'Readyz',
    method: 'GET',
    path: '/readyz',
    summary: 'Says whether the store can be used.',
    source: 'none',
    mode: 'response',
    wire: 'modelport',
    authenticated: false,
    handle: async ({ host }) => {
      try {
        await host.store.ping()
        return jsonReply({ status: 'ready', store: 'ok' })
      } catch {
        return jsonReply({ status: 'not ready', store: 'failed' }, { status: 503 })
      }
    },
  },
]

/**
 * What a request to the address of a call delivers. A service that posts a body of its own is given
 * the address with `?body=result`: the body is the result then, as it is.
 */
async function readDelivered(context: RequestContext): Promise<LateResult> {
  const meaning = context.url.searchParams.get('body')
  if (meaning === null) return readResult(await readObject(context))
  if (meaning !== 'result' && meaning !== 'failure')
    throw new AgentError('invalid-params', 'body in the address must be "result" or "failure"')
  const text = await readText(context)
  return meaning === 'result' ? { result: text } : { failure: text }
}

/** What a body delivers. @throws {AgentError} `invalid-params` */
function readResult({ result, failure }: Readonly<Record<string, unknown>>): LateResult {
  if (typeof result === 'string' && failure === undefined) return { result }
  if (typeof failure === 'string' && result === undefined) return { failure }
  throw invalidParams(
    '/result',
    'expected a text here, or one as "failure"',
    'The body must be {"result": "…"} or {"failure": "…"}, with a text',
  )
}

const taskNotFound = (taskId: string): AgentError =>
  new AgentError('task-not-found', 'The task does not exist or is not accessible', {
    metadata: { taskId: taskId.slice(0, 100) },
  })

/** Checkpoints and effects are internal: they are left out, and the numbers show the gap. */
async function* numbered(events: AsyncIterable<TaskEvent>): AsyncGenerator<ServerSentEvent, void> {
  try {
    for await (const event of events)
      if (event.type !== 'checkpoint' && event.type !== 'effect')
        yield { data: JSON.stringify(event), id: String(event.seq) }
  } catch (error) {
    yield { data: JSON.stringify(toHttpError(toAgentError(error))) }
  }
}

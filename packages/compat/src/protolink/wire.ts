import { AgentError, foldSession, isTerminal, type SessionKey, type TaskState } from '@modelport/agent'
import { isObject } from '@modelport/core'
import {
  cardResponse,
  compactHistory,
  compaction,
  type Endpoint,
  jsonReply,
  type Reply,
  type RequestContext,
  readObject,
  runContext,
  type ServerSentEvent,
  setHeader,
  toAgentError,
  type Wire,
} from '@modelport/serve/wire'
import { toProtolinkCard } from './card-codec.js'
import { encodeProtolinkEvent } from './event-codec.js'
import { fromProtolinkTask, toProtolinkTask } from './task-codec.js'

const sessionOf = ({ principal, served }: RequestContext, id: string): SessionKey => ({
  principal,
  agent: served.agent.name,
  id,
})

async function accept(context: RequestContext) {
  const body = await readObject(context)
  const task = fromProtolinkTask(body, context.host.entropy)
  const message = task.messages.at(-1)
  if (!message) throw new AgentError('invalid-params', 'The task has no message')
  if (isTerminal(task.state))
    throw new AgentError('unsupported-operation', `The task is ${task.state}: send its message as a new task`)
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  const { run_context: _, ...plain } = task.metadata
  const known = await context.host.store.tasks.head({ principal: context.principal, id: task.id })
  const wireContext = isObject(metadata['run_context']) ? metadata['run_context'] : {}
  const isNamed = typeof wireContext['session_id'] === 'string'
  const accepted = await context.host.send({
    agent: context.served.agent.name,
    principal: context.principal,
    message: { ...message, role: 'user' },
    context: runContext.readRunContext(wireContext),
    // The id of the caller stays with the task: the server makes its own.
    metadata: { ...plain, client_task_id: task.id },
    flowState: task.flowState,
    ...(known && { taskId: task.id }),
    ...(!known && isNamed && { sessionId: task.sessionId }),
  })
  return { accepted, clientId: task.id, state: known?.state ?? 'submitted' }
}

const sendTask = async (context: RequestContext): Promise<Reply> => {
  const { accepted } = await accept(context)
  const key = { principal: context.principal, id: accepted.task.id }
  return jsonReply(toProtolinkTask(await context.host.settled(key, accepted.before, context.request.signal)))
}

const streamTask = async (context: RequestContext): Promise<Reply> => {
  const { accepted, state } = await accept(context)
  const { task, before } = accepted
  let previous: TaskState = state
  const requestId = context.request.headers.get('x-protolink-request-id') ?? task.id
  const key = { principal: context.principal, id: task.id }
  const events = context.host.store.tasks.watch(key, before + 1, context.request.signal)
  async function* frames(): AsyncGenerator<ServerSentEvent, void> {
    const frame = (fields: object) => ({
      data: JSON.stringify({ jsonrpc: '2.0', id: requestId.slice(0, 200), ...fields }),
    })
    try {
      for await (const event of events) {
        // A stream begins with the first change of the task.
        if (event.type === 'status' && event.state === previous) continue
        for (const { wire, final } of encodeProtolinkEvent(task.id, context.served.agent.name, event, previous)) {
          yield frame({ ok: true, result: wire, final: false })
          if (final) {
            yield frame({ ok: true, result: null, final: true })
            return
          }
        }
        if (event.type === 'status') previous = event.state
      }
    } catch (error) {
      const { message, reason } = toAgentError(error)
      yield frame({ ok: false, error: { message, type: reason }, final: true })
    }
  }
  return context.streams.respond(frames())
}

/** The state operations of Protolink; the one store that agents have is `conversation`. */
const stateOperation =
  (operation: 'describe' | 'reset' | 'compact') =>
  async (context: RequestContext): Promise<Reply> => {
    const body = await readObject(context, true)
    const id = body['session_id']
    if (typeof id !== 'string' || !id) throw new AgentError('invalid-params', 'session_id is missing')
    const asked = Array.isArray(body['stores'])
      ? body['stores'].filter((name) => typeof name === 'string')
      : ['conversation']
    const missing = asked.filter((name) => name !== 'conversation')
    const isAsked = asked.includes('conversation')
    const key = sessionOf(context, id)
    const { sessions } = context.host.store
    const head = await sessions.head(key)
    const messages = foldSession(await sessions.read(key, head.start))
    const at = new Date(context.host.entropy.now()).toISOString()
    let after = messages
    if (isAsked && operation === 'reset' && messages.length) {
      await sessions.append(key, head.seq, [{ type: 'replaced', reason: 'reset', messages: [] }], at)
      after = []
    }
    if (isAsked && operation === 'compact') {
      const { request } = compaction.readCompaction({ strategy: 'tokens', ...body })
      after = (await context.host.compact(key, request, context.request.signal)).messages
    }
    return jsonReply({
      operation,
      session_id: id,
      stores: isAsked
        ? [{ name: 'conversation', messages: after.length, ...(body['include_data'] === true && { data: after }) }]
        : [],
      cleared: operation === 'reset' && isAsked ? ['conversation'] : [],
      compacted: operation === 'compact' && isAsked ? ['conversation'] : [],
      missing,
      errors: {},
      metadata: isObject(body['metadata']) ? body['metadata'] : {},
    })
  }

const row = (
  name: string,
  path: string,
  summary: string,
  handle: Endpoint['handle'],
  mode: Endpoint['mode'] = 'response',
): Endpoint => ({
  name,
  method: 'POST',
  path,
  summary,
  source: 'body',
  mode,
  wire: 'Protolink',
  handle: async (context) => withRequestId(context, await handle(context)),
})

/** Callers recognize the reply by the id of their request. */
function withRequestId({ request }: RequestContext, reply: Reply): Reply {
  const id = request.headers.get('x-protolink-request-id')
  if (id && /^[\w.:-]{1,200}$/.test(id)) setHeader(reply, 'x-protolink-request-id', id)
  return reply
}

const endpoints: readonly Endpoint[] = [
  {
    name: 'ProtolinkCard',
    method: 'GET',
    path: '/.well-known/agent.json',
    summary: 'Gives the card of the agent in the form of Protolink.',
    source: 'none',
    mode: 'response',
    wire: 'Protolink',
    authenticated: false,
    handle: (context) => cardResponse(context, toProtolinkCard(context.card())),
  },
  row('ExecuteTask', '/tasks/', 'Runs a task of Protolink and gives it back.', sendTask),
  row('CancelProtolinkTask', '/tasks/cancel', 'Cancels a task.', async (context) => {
    const { id, metadata } = await readObject(context)
    const reason = isObject(metadata) ? metadata['reason'] : undefined
    if (typeof id !== 'string') throw new AgentError('invalid-params', 'id is missing')
    const key = { principal: context.principal, id }
    const task = await context.host.cancel(key, typeof reason === 'string' ? reason.slice(0, 1_000) : undefined)
    return jsonReply(toProtolinkTask(task))
  }),
  row('StreamTask', '/tasks/stream', 'Runs a task of Protolink and streams its events.', streamTask, 'stream'),
  row('CompactHistory', '/llm/history/compact', 'Makes the conversation of a session shorter.', compactHistory),
  row('DescribeState', '/state/describe', 'Says what a session holds.', stateOperation('describe')),
  row('ResetState', '/state/reset', 'Empties the conversation of a session.', stateOperation('reset')),
  row('CompactState', '/state/compact', 'Makes the conversation of a session shorter.', stateOperation('compact')),
]

const wire: Wire = Object.freeze({ name: 'Protolink', endpoints })

/** What agents of Protolink call: `serve(agents, { wires: [a2a(), protolinkWire()] })`. */
export const protolinkWire = (): Wire => wire

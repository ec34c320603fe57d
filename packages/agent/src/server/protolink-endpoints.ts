import { type ChatMessage, estimateTokens } from '@modelport/core'
import { compact, type CompactionResult, ConversationHistory, createSummarizer } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import { timestampOf } from '../base/ids.js'
import { isObject } from '../base/json.js'
import { compactionResultToWire, type HistoryCompactionRequest, readCompaction } from '../models/compaction-control.js'
import { lastItem } from '../models/task.js'
import type { TaskState } from '../models/task-state.js'
import { readForeignContext } from '../run/run-context.js'
import { foldSession, type SessionKey } from '../session/session-store.js'
import { encodeProtolinkEvent } from '../wire/protolink/event-codec.js'
import { fromProtolinkTask, toProtolinkTask } from '../wire/protolink/task-codec.js'
import { allowsCompaction } from '../run/policy.js'
import type { Endpoint, RequestContext } from './endpoint.js'
import { toAgentError } from './error-forms.js'
import { readObject } from './reading.js'
import { json, type Reply } from './reply.js'
import type { ServerSentEvent } from './sse.js'

const sessionOf = ({ principal, served }: RequestContext, id: string): SessionKey => ({
  principal,
  agent: served.agent.name,
  id,
})

async function accept(context: RequestContext) {
  const body = await readObject(context)
  const task = fromProtolinkTask(body, context.host.entropy)
  const item = lastItem(task)
  const message = item && 'role' in item ? item : task.messages.at(-1)
  if (!message) throw new AgentError('invalid-params', 'The task has no message')
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  const { run_context: _, ...plain } = task.metadata
  const known = await context.host.store.tasks.head({ principal: context.principal, id: task.id })
  const runContext = isObject(metadata['run_context']) ? metadata['run_context'] : {}
  const isNamed = typeof runContext['session_id'] === 'string'
  const accepted = await context.host.send({
    agent: context.served.agent.name,
    principal: context.principal,
    message: { ...message, role: 'user' },
    context: readForeignContext(metadata),
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
  return json(toProtolinkTask(await context.host.settled(key, accepted.before, context.request.signal)))
}

const streamTask = async (context: RequestContext): Promise<Reply> => {
  const { accepted, state } = await accept(context)
  const { task, before } = accepted
  let previous: TaskState = state
  const requestId = context.request.headers.get('x-protolink-request-id') ?? task.id
  const events = context.host.store.tasks.watch(
    { principal: context.principal, id: task.id },
    before + 1,
    context.request.signal,
  )
  async function* frames(): AsyncGenerator<ServerSentEvent, void> {
    const frame = (fields: object) => ({
      data: JSON.stringify({ jsonrpc: '2.0', id: requestId.slice(0, 200), ...fields }),
    })
    try {
      for await (const event of events) {
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

/** Makes the conversation of a session shorter, and stores it if that changed anything. */
async function compactSession(
  context: RequestContext,
  key: SessionKey,
  request: Omit<HistoryCompactionRequest, 'sessionId'>,
): Promise<{ readonly messages: readonly ChatMessage[]; readonly report: CompactionResult }> {
  if (!allowsCompaction(context.served.agent.settings.policy))
    throw new AgentError('forbidden', 'The policy of the agent does not allow llm.history.compact')
  const { sessions } = context.host.store
  const head = await sessions.head(key)
  const history = new ConversationHistory()
  history.replace(foldSession(await sessions.read(key, head.start)))
  const { provider } = context.served.agent.settings
  const report = await compact(history, request, {
    estimate: (text) => provider?.estimateTokens(text) ?? estimateTokens(text),
    signal: context.request.signal,
    ...(provider && { summarize: createSummarizer(provider) }),
  })
  const messages = history.toList()
  if (report.changed)
    await sessions.append(
      key,
      head.seq,
      [{ type: 'replaced', reason: 'compacted', messages, report }],
      timestampOf(context.host.entropy),
    )
  return { messages, report }
}

const compactHistory = async (context: RequestContext): Promise<Reply> => {
  const request = readCompaction(await readObject(context, true))
  if (!request.sessionId)
    throw new AgentError('invalid-params', 'session_id is missing', {
      violations: [{ pointer: '/session_id', message: 'Missing required field' }],
    })
  const key = sessionOf(context, request.sessionId)
  const { sessionId: _, ...asked } = request
  const { report } = await compactSession(context, key, asked)
  return json(compactionResultToWire(report))
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
    const at = timestampOf(context.host.entropy)
    let after = messages
    if (isAsked && operation === 'reset' && messages.length) {
      await sessions.append(key, head.seq, [{ type: 'replaced', reason: 'reset', messages: [] }], at)
      after = []
    }
    if (isAsked && operation === 'compact') {
      const { sessionId: _, ...request } = readCompaction({ strategy: 'tokens', ...body })
      const done = await compactSession(context, key, request)
      after = done.messages
    }
    return json({
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
  handle,
})

/** What agents of Protolink call. */
export const protolinkEndpoints: readonly Endpoint[] = [
  row('ExecuteTask', '/tasks/', 'Runs a task of Protolink and gives it back.', sendTask),
  row('CancelProtolinkTask', '/tasks/cancel', 'Cancels a task.', async (context) => {
    const { id, metadata } = await readObject(context)
    const reason = isObject(metadata) ? metadata['reason'] : undefined
    if (typeof id !== 'string') throw new AgentError('invalid-params', 'id is missing')
    const key = { principal: context.principal, id }
    const task = await context.host.cancel(key, typeof reason === 'string' ? reason.slice(0, 1_000) : undefined)
    return json(toProtolinkTask(task))
  }),
  row('StreamTask', '/tasks/stream', 'Runs a task of Protolink and streams its events.', streamTask, 'stream'),
  row('CompactHistory', '/llm/history/compact', 'Makes the conversation of a session shorter.', compactHistory),
  row('DescribeState', '/state/describe', 'Says what a session holds.', stateOperation('describe')),
  row('ResetState', '/state/reset', 'Empties the conversation of a session.', stateOperation('reset')),
  row('CompactState', '/state/compact', 'Makes the conversation of a session shorter.', stateOperation('compact')),
]

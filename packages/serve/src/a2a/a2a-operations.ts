import {
  type Accepted,
  AgentError,
  answerArtifactId,
  createCard,
  isInterrupted,
  isTerminal,
  type Message,
  replyOf,
  type Task,
} from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { invalidParams } from '../base/invalid-params.js'
import { objectAt } from '../base/json.js'
import type { RequestContext } from '../wire/endpoint.js'
import { extensionUri } from '../wire/extension.js'
import { contextOfMetadata } from '../wire/run-context.js'
import { toA2aCard } from './card-codec.js'
import type { ProtoMessages } from './proto-json.js'
import { A2aStreamEncoder } from './stream-codec.js'
import { addressOf, fromA2aMessage, fromA2aState, toA2aMessage, toA2aTask } from './task-codec.js'
import type { A2aSendRequest, A2aStreamResponse, A2aTask } from './types.js'

/** One event of an A2A stream, with the number of the task event behind it. */
export interface A2aStreamEvent {
  readonly response: A2aStreamResponse
  readonly seq: number
}

const wantsExtension = ({ extensions }: RequestContext): boolean =>
  extensions.includes(extensionUri)

const keyOf = (
  { principal }: RequestContext,
  id: string,
): { readonly principal: string; readonly id: string } => ({
  principal,
  id,
})

const taskOptions = (context: RequestContext, historyLength?: number) => ({
  extension: wantsExtension(context),
  ...(historyLength !== undefined && { historyLength }),
})

/** @throws {AgentError} `invalid-params` */
function checkHistoryLength(value: number | undefined, pointer: string): void {
  if (value !== undefined && value < 0)
    throw invalidParams(
      pointer,
      `must be a whole number of at least 0, got ${value}`,
      `historyLength must not be negative, got ${value}`,
    )
}

/** `text/*` accepts `text/plain`. */
const accepts = (pattern: string, mediaType: string): boolean => {
  const [wanted, given] = [pattern, mediaType].map((type) =>
    (type.split(';')[0] ?? '').trim().toLowerCase(),
  )
  if (wanted === '*/*' || wanted === '*' || wanted === given) return true
  return wanted?.endsWith('/*') === true && given?.startsWith(wanted.slice(0, -1)) === true
}

/** Refuses parts of media types that neither the agent nor one of its skills takes. */
function checkContentTypes(context: RequestContext, message: A2aSendRequest['message']): void {
  const { inputFormats, skills } = context.served.agent.card
  const allowed = [...inputFormats, ...skills.flatMap(({ inputModes }) => inputModes)]
  message.parts.forEach(({ mediaType }, index) => {
    if (!mediaType || allowed.some((pattern) => accepts(pattern, mediaType))) return
    const text = `The agent does not take ${mediaType}; it takes ${allowed.join(', ')}`
    const violations = [
      { pointer: `/message/parts/${index}/mediaType`, message: `not supported: ${mediaType}` },
    ]
    throw new AgentError('content-type-not-supported', text, { violations })
  })
}

/**
 * Refuses ids that cannot be kept as keys or shown in a log.
 * @throws {AgentError} `invalid-params`
 */
function checkIds({ messageId, contextId = '' }: A2aSendRequest['message']): void {
  for (const [name, value] of Object.entries({ messageId, contextId })) {
    const refuse = (text: string): never => {
      throw invalidParams(
        `/message/${name}`,
        'must have at most 256 characters, none of control',
        text,
      )
    }
    if (value.length > 256)
      refuse(`${name} has ${value.length} characters; at most 256 are accepted`)
    if (/\p{Cc}/u.test(value)) refuse(`${name} has control characters; leave them out`)
  }
}

/** @throws {AgentError} `extension-required` */
export function checkExtensions({ served, extensions }: RequestContext): void {
  const missing = served.agent.card.extensions.find(
    ({ uri, required }) => required && !extensions.includes(uri),
  )
  if (missing)
    throw new AgentError(
      'extension-required',
      `The agent requires the extension ${missing.uri}; name it in A2A-Extensions`,
    )
}

async function accept(context: RequestContext, request: A2aSendRequest): Promise<Accepted> {
  checkExtensions(context)
  const { message: wire, configuration, metadata = {} } = request
  checkIds(wire)
  checkContentTypes(context, wire)
  checkHistoryLength(configuration?.historyLength, '/configuration/historyLength')
  if (configuration?.taskPushNotificationConfig) refusePush()
  const message: Message = { ...fromA2aMessage(wire, context.host.entropy), role: 'user' }
  const { [extensionUri]: _, ...plain } = metadata
  const offRecord = objectAt(metadata, extensionUri)['off_record'] === true
  return context.host.send({
    agent: context.served.agent.name,
    principal: context.principal,
    message,
    metadata: plain,
    context: contextOfMetadata({ ...wire.metadata, ...metadata }),
    // Other clients may use an id again for another message; A2A leaves it to the agent.
    idempotent: wantsExtension(context) || 'while-open',
    ...(wire.taskId && { taskId: wire.taskId }),
    ...(wire.contextId && { sessionId: wire.contextId }),
    ...(offRecord && { offRecord }),
  })
}

/**
 * Every operation on push notifications: an agent here sends none, as its card says.
 * @throws {AgentError} `push-not-supported`
 */
export function refusePush(): never {
  throw new AgentError(
    'push-not-supported',
    'The agent sends no push notifications; subscribe to the task',
  )
}

/** SendMessage. */
export async function sendMessage(
  context: RequestContext,
  request: A2aSendRequest,
): Promise<Pick<A2aStreamResponse, 'task' | 'message'>> {
  const { configuration } = request
  const accepted = await accept(context, request)
  const task = configuration?.returnImmediately
    ? accepted.task
    : await context.host.settled(
        keyOf(context, accepted.task.id),
        accepted.before,
        () => context.request.signal,
      )
  // Who named a task, or does not wait for its end, asked for the task.
  const reply =
    request.message.taskId || configuration?.returnImmediately ? undefined : replyOf(task)
  if (reply)
    return { message: toA2aMessage(reply, { contextId: task.sessionId }, wantsExtension(context)) }
  return { task: toA2aTask(task, taskOptions(context, configuration?.historyLength)) }
}

/** SendStreamingMessage. */
export async function streamMessage(
  context: RequestContext,
  request: A2aSendRequest,
): Promise<AsyncIterableIterator<A2aStreamEvent>> {
  checkStreaming(context)
  const accepted = await accept(context, request)
  const { task, seq } = accepted
  const isDone = isTerminal(task.state) || (isInterrupted(task.state) && seq > accepted.before)
  return streamOf(context, task, seq, {
    isDone,
    historyLength: request.configuration?.historyLength,
  })
}

/** @throws {AgentError} `unsupported-operation` */
export function checkStreaming({ served }: RequestContext): void {
  if (!served.agent.card.capabilities.streaming)
    throw new AgentError(
      'unsupported-operation',
      'The agent does not stream: its card says streaming: false',
    )
}

/** SubscribeToTask. */
export async function subscribeToTask(
  context: RequestContext,
  { id }: { readonly id: string },
  lastSeen?: number,
): Promise<AsyncIterableIterator<A2aStreamEvent>> {
  checkStreaming(context)
  const { task, head } = await context.host.get(keyOf(context, id), context.served.agent.name)
  if (isTerminal(task.state))
    throw new AgentError(
      'unsupported-operation',
      `The task is ${task.state}: get it with GetTask`,
      {
        metadata: { taskId: id },
      },
    )
  // A reader of our extension continues where it was.
  const canResume = lastSeen !== undefined && wantsExtension(context) && lastSeen <= head.seq
  return streamOf(context, task, canResume ? lastSeen : head.seq, {
    isDone: false,
    isResumed: canResume,
  })
}

async function* streamOf(
  context: RequestContext,
  task: Task,
  seq: number,
  options: {
    readonly isDone: boolean
    readonly isResumed?: boolean
    readonly historyLength?: number | undefined
  },
): AsyncGenerator<A2aStreamEvent, void> {
  yield {
    response: { task: toA2aTask(task, taskOptions(context, options.historyLength)) },
    seq: options.isResumed ? 0 : seq,
  }
  if (options.isDone) return
  const [part] = task.artifacts.find(({ id }) => id === answerArtifactId)?.parts ?? []
  const encoder = new A2aStreamEncoder(addressOf(task), {
    extension: wantsExtension(context),
    ...(part?.type === 'text' && { shown: part.content }),
  })
  for await (const event of context.host.store.tasks.watch(
    keyOf(context, task.id),
    seq + 1,
    context.request.signal,
  )) {
    for (const response of encoder.encode(event)) yield { response, seq: event.seq }
    // A task that waits for credentials may continue by itself, so its streams stay open.
    if (event.type === 'status' && (isTerminal(event.state) || event.state === 'input-required'))
      return
  }
}

/** GetTask. */
export async function getTask(
  context: RequestContext,
  request: ProtoMessages['GetTaskRequest'],
): Promise<A2aTask> {
  checkHistoryLength(request.historyLength, '/historyLength')
  const { task } = await context.host.get(keyOf(context, request.id), context.served.agent.name)
  return toA2aTask(task, taskOptions(context, request.historyLength))
}

/** ListTasks. */
export async function listTasks(
  context: RequestContext,
  request: ProtoMessages['ListTasksRequest'],
): Promise<ProtoMessages['ListTasksResponse']> {
  const {
    contextId,
    status,
    pageSize = 50,
    pageToken,
    historyLength,
    statusTimestampAfter,
    includeArtifacts,
  } = request
  checkHistoryLength(historyLength, '/historyLength')
  if (pageSize < 1 || pageSize > 100)
    throw invalidParams(
      '/pageSize',
      `must be between 1 and 100 inclusive, got ${pageSize}`,
      `pageSize must be between 1 and 100, got ${pageSize}`,
    )
  const { host, principal, served } = context
  const state = status && status !== 'TASK_STATE_UNSPECIFIED' ? fromA2aState(status) : undefined
  const page = await host.store.tasks.list({
    principal,
    agent: served.agent.name,
    limit: pageSize,
    ...(contextId && { sessionId: contextId }),
    ...(state && { state }),
    ...(statusTimestampAfter && { statusAfter: statusTimestampAfter }),
    ...(pageToken && { cursor: pageToken }),
  })
  const options = { ...taskOptions(context, historyLength), artifacts: includeArtifacts ?? false }
  const tasks = await Promise.all(
    page.heads.map(({ record }) => host.store.tasks.load({ principal, id: record.id })),
  )
  return {
    tasks: tasks.flatMap((found) => (found ? [toA2aTask(found.task, options)] : [])),
    nextPageToken: page.next ?? '',
    pageSize,
    totalSize: page.total,
  }
}

/** CancelTask. */
export async function cancelTask(
  context: RequestContext,
  request: ProtoMessages['CancelTaskRequest'],
): Promise<A2aTask> {
  const { reason } = request.metadata ?? {}
  const key = keyOf(context, request.id)
  // By the specification a `cancelled` task cannot be cancelled; our extension promises that a
  // repetition succeeds.
  if (
    !wantsExtension(context) &&
    (await context.host.get(key, context.served.agent.name)).task.state === 'cancelled'
  )
    throw new AgentError('task-not-cancelable', 'The task is cancelled already', {
      metadata: { taskId: request.id },
    })
  const task = await context.host.cancel(
    key,
    typeof reason === 'string' ? reason.slice(0, 1_000) : undefined,
    context.served.agent.name,
  )
  return toA2aTask(task, taskOptions(context))
}

/** @throws {AgentError} `unsupported-operation` */
export function checkExtendedCard(context: RequestContext): void {
  if (!context.card().capabilities.extendedAgentCard)
    throw new AgentError(
      'unsupported-operation',
      'The agent has no extended card: its card says extendedAgentCard: false',
    )
}

/** GetExtendedAgentCard. */
export async function getExtendedCard(context: RequestContext): Promise<JsonObject> {
  const { settings } = context.served.agent
  checkExtendedCard(context)
  if (!context.isAuthenticated)
    throw new AgentError('unauthenticated', 'The extended card is for authenticated callers')
  const fields = await settings.extendedCard?.(context.principal)
  if (!fields)
    throw new AgentError(
      'extended-card-not-configured',
      'The agent has no extended card configured',
    )
  const base = context.card()
  const card = createCard({
    ...base,
    ...fields,
    capabilities: { ...base.capabilities, ...fields.capabilities },
  })
  return toA2aCard({ ...card, interfaces: base.interfaces, url: base.url })
}

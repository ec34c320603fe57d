import {
  type Accepted,
  AgentError,
  answerArtifactId,
  createMessage,
  createPart,
  isCutOff,
  isInterrupted,
  isTerminal,
  type Message,
  type Part,
  type Task,
  type TaskKey,
  textOfParts,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { canonicalHash } from '@modelport/runtime'
import { invalidParams } from '../base/invalid-params.js'
import type { RequestContext } from '../wire/endpoint.js'
import { httpStatusOf, toAgentError } from '../wire/error-forms.js'
import type { ServerSentEvent } from '../wire/event-stream.js'
import { readObject } from '../wire/reading.js'
import { type EndpointReply, jsonReply } from '../wire/reply.js'
import type { Endpoint, Wire } from '../wire/wire.js'
import { checkFields } from './chat-fields.js'
import { RecentChats } from './recent-chats.js'
import { ShownText } from './shown-text.js'

interface ChatInput {
  /** The same for a request that is sent again. */
  readonly hash: string
  readonly model?: string
  readonly parts: readonly Part[]
  /** The turns before. */
  readonly earlier: readonly Pick<Message, 'role' | 'parts'>[]
  readonly sessionId?: string
  readonly stream: boolean
  readonly includeUsage: boolean
}

function partsOf(content: unknown, pointer: string): readonly Part[] {
  if (typeof content === 'string') return [createPart.text(content)]
  if (content === null || content === undefined) return []
  if (!Array.isArray(content)) throw invalidParams(pointer, 'expected text or a list of parts')
  return content.map((part: unknown, index): Part => {
    if (isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string')
      return createPart.text(part['text'])
    const image = isObject(part) ? part['image_url'] : undefined
    if (isObject(image) && typeof image['url'] === 'string') return imagePart(image['url'])
    throw invalidParams(`${pointer}/${index}`, 'expected a part of type text or image_url')
  })
}

function imagePart(url: string): Part {
  const [, mediaType, data] = /^data:([\w/+.-]+);base64,([A-Za-z0-9+/=]*)$/.exec(url) ?? []
  return mediaType !== undefined && data !== undefined
    ? { type: 'bytes', content: data, mediaType }
    : { type: 'uri', content: url, mediaType: 'image/*' }
}

/**
 * Roles of a chat, and who speaks then. Instructions are for the owner of the agent to give: a
 * caller's are heard as the caller's words.
 */
const roles: Readonly<Record<string, 'user' | 'agent'>> = {
  system: 'user',
  developer: 'user',
  user: 'user',
  assistant: 'agent',
}

/** One message of a chat. @throws {AgentError} `invalid-params` */
function readMessage(message: unknown, index: number): Pick<Message, 'role' | 'parts'> {
  const pointer = `/messages/${index}`
  const named = isObject(message) && typeof message['role'] === 'string' ? message['role'] : ''
  const role = Object.hasOwn(roles, named) ? roles[named] : undefined
  if (!isObject(message) || !role)
    throw invalidParams(`${pointer}/role`, `expected one of ${Object.keys(roles).join(', ')}`)
  for (const name of ['tool_calls', 'function_call', 'audio'])
    if (message[name] !== undefined && message[name] !== null && !isEmptyList(message[name]))
      throw invalidParams(`${pointer}/${name}`, 'the agent does not support this; leave it out')
  const content = partsOf(message['content'], `${pointer}/content`)
  if (role === 'agent' && content.some(({ type }) => type !== 'text'))
    throw invalidParams(`${pointer}/content`, 'a message of the assistant has text only')
  return { role, parts: content }
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && !value.length

/**
 * The parameters of a request. A request without a model is for the agent at this address. Without
 * a session, the messages are the whole conversation. With a session, the server keeps the
 * conversation, and the request has only the new message.
 */
async function readInput(context: RequestContext): Promise<ChatInput> {
  const body = await readObject(context)
  checkFields(body)
  const { messages, model, stream, stream_options: options } = body
  if (model !== undefined && typeof model !== 'string')
    throw invalidParams('/model', 'expected a text')
  if (!Array.isArray(messages) || !messages.length)
    throw invalidParams('/messages', 'at least one message is required')
  const read = messages.map(readMessage)
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    throw invalidParams('/stream', 'expected a boolean')
  const last = read.at(-1)
  if (last?.role !== 'user')
    throw invalidParams(`/messages/${read.length - 1}/role`, 'the last message must be of the user')
  const earlier = read.slice(0, -1)
  const sessionId = context.request.headers.get('x-modelport-session')?.slice(0, 200)
  if (sessionId && earlier.length)
    throw invalidParams(
      '/messages',
      'X-Modelport-Session keeps the conversation: send the new message only',
    )
  return {
    hash: canonicalHash([sessionId ?? null, body]),
    parts: last.parts,
    earlier,
    stream: stream === true,
    includeUsage: isObject(options) && options['include_usage'] === true,
    ...(sessionId && { sessionId }),
    ...(model !== undefined && { model }),
  }
}

const textOf = (task: Task): string => {
  const answer = task.artifacts.find(({ id }) => id === answerArtifactId)
  if (answer) return textOfParts(answer.parts)
  return task.artifacts
    .map(({ parts: content }) => textOfParts(content))
    .filter(Boolean)
    .join('\n')
}

/**
 * The text of a task that waits. Approvals are never read from prose, so the text says where to
 * give them.
 */
const waitingText = ({ served }: RequestContext, task: Task): string =>
  [
    task.statusMessage ? textOfParts(task.statusMessage.parts) : 'The task waits for input.',
    `Task ${task.id} of ${served.url}/ waits (${task.state}). Answer there with a message of A2A; text in this chat is not a decision.`,
  ].join('\n\n')

/** `length` for an answer that the model's limit of tokens cut off. */
const finishReasonOf = (task: Task): string => (isCutOff(task) ? 'length' : 'stop')

/** @throws {AgentError} what the task failed with */
function checkEnd(task: Task): void {
  if (task.state === 'completed' || isInterrupted(task.state)) return
  const text = task.statusMessage
    ? textOfParts(task.statusMessage.parts)
    : `The task is ${task.state}`
  throw new AgentError(
    task.state === 'failed' ? 'invalid-agent-response' : 'unsupported-operation',
    text,
  )
}

const headersOf = (task: Task): Readonly<Record<string, string>> => ({
  'x-modelport-task': task.id,
})

/** Sums of the usage that the events of a task report. */
async function usageOf({ host, principal }: RequestContext, task: Task): Promise<JsonObject> {
  let input = 0
  let output = 0
  for (const event of await host.store.tasks.read({ principal, id: task.id }, 1))
    if (event.type === 'usage') {
      input += event.usage.inputTokens
      output += event.usage.outputTokens
    }
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

const failure = (cause: unknown): EndpointReply => {
  const error = toAgentError(cause)
  return jsonReply(errorBody(error), { status: httpStatusOf(error) })
}

/**
 * The failure of a task that was accepted. Clients of Chat Completions send a request again after a
 * 408, a 409, a 429 or a 5xx, and each would be a new run that pays again. They leave a 422 alone.
 */
const failureOf = (task: Task | undefined, cause: unknown): EndpointReply =>
  jsonReply(errorBody(toAgentError(cause)), {
    status: 422,
    headers: { ...(task && headersOf(task)), 'x-should-retry': 'false' },
  })

/** True if the failure says that nothing has begun. */
const isRefusal = (error: unknown): boolean => toAgentError(error).reason !== 'internal'

const errorBody = (error: AgentError): JsonObject => ({
  error: {
    message: error.message,
    type: error.code === 'server' ? 'server_error' : 'invalid_request_error',
    code: error.reason,
    param: null,
  },
})

const unknownModel = (asked: string, served: string): EndpointReply => {
  const message = `The model ${JSON.stringify(asked.slice(0, 100))} does not exist; this address serves ${JSON.stringify(served)}`
  return jsonReply(
    { error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
    { status: 404 },
  )
}

/** True for a request that the official clients send again by themselves. */
const isRetry = ({ request }: RequestContext): boolean =>
  Number(request.headers.get('x-stainless-retry-count')) > 0

/** The task of a request: a new one, or that of the same request which its client sends again. */
async function start(context: RequestContext, input: ChatInput): Promise<Accepted> {
  const { host, principal, served } = context
  const chats = RecentChats.of(host)
  const key = JSON.stringify([principal, served.agent.name, input.hash])
  const earlier = isRetry(context) ? await chats.find(key) : undefined
  if (earlier) {
    const found = await host.store.tasks.load({ principal, id: earlier.task.id })
    if (!found) throw goneReply
    return { task: found.task, seq: found.head.seq, before: earlier.before }
  }
  const accepted = host.send({
    agent: served.agent.name,
    principal,
    message: createMessage('user', input.parts, host.entropy),
    earlier: input.earlier.map(({ role, parts }) => createMessage(role, parts, host.entropy)),
    idempotent: false,
    ...(input.sessionId ? { sessionId: input.sessionId } : { offRecord: true }),
  })
  chats.keep(key, accepted)
  return accepted
}

const goneReply = new AgentError(
  'unsupported-operation',
  'This request was sent before; its run is over, and its reply is not kept any more. Ask again with a new request if it may run again',
)

async function complete(context: RequestContext): Promise<EndpointReply> {
  let task: Task | undefined
  let isSent = false
  try {
    const input = await readInput(context)
    if (input.model !== undefined && input.model !== context.served.agent.name)
      return unknownModel(input.model, context.served.agent.name)
    const { host, principal, served } = context
    isSent = true
    const accepted = await start(context, input)
    ;({ task } = accepted)
    const base = {
      id: `chat_${task.id}`,
      created: Math.floor(host.entropy.now() / 1_000),
      model: served.agent.name,
    }
    const key = { principal, id: task.id }
    const release = input.sessionId ? () => undefined : stopWhenLeft(context, key)
    if (input.stream) return streamed(context, task, input, base, release)
    task = await host.settled(key, accepted.before, context.request.signal).finally(release)
    checkEnd(task)
    const content = isInterrupted(task.state) ? waitingText(context, task) : textOf(task)
    return jsonReply(
      {
        ...base,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content, refusal: null },
            finish_reason: finishReasonOf(task),
            logprobs: null,
          },
        ],
        usage: await usageOf(context, task),
      },
      { headers: headersOf(task) },
    )
  } catch (error) {
    // A store that failed while it took the message may have it, and then it is worked on.
    return task || (isSent && !isRefusal(error)) ? failureOf(task, error) : failure(error)
  }
}

/**
 * Cancels a run off the record when its caller leaves: nobody can come back for it.
 * @returns call it once the run is over or waits
 */
function stopWhenLeft({ host, request }: RequestContext, key: TaskKey): () => void {
  const { signal } = request
  const stop = (): void => void host.cancel(key, 'the caller left').catch(() => undefined)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}

function streamed(
  context: RequestContext,
  task: Task,
  input: ChatInput,
  base: JsonObject,
  release: () => void,
): EndpointReply {
  const { host, principal, request, streams } = context
  const chunk = (delta: JsonObject, finish: string | null = null): ServerSentEvent => ({
    data: JSON.stringify({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  })
  async function* events(): AsyncGenerator<ServerSentEvent, void> {
    try {
      yield* pieces()
      yield { data: '[DONE]' }
    } catch (error) {
      yield { data: JSON.stringify(errorBody(toAgentError(error))) }
    }
  }
  async function* pieces(): AsyncGenerator<ServerSentEvent, void> {
    yield chunk({ role: 'assistant', content: '' })
    const text = new ShownText()
    const key = { principal, id: task.id }
    for await (const event of host.store.tasks.watch(key, 1, request.signal)) {
      const more = text.next(event)
      if (more instanceof AgentError) throw more
      if (more) yield chunk({ content: more })
      if (event.type !== 'status' || !(isTerminal(event.state) || isInterrupted(event.state)))
        continue
      release()
      const { task: done } = await host.get(key)
      checkEnd(done)
      const rest = isInterrupted(done.state)
        ? text.apart(waitingText(context, done))
        : text.end(textOf(done))
      if (rest instanceof AgentError) throw rest
      if (rest) yield chunk({ content: rest })
      yield chunk({}, finishReasonOf(done))
      if (input.includeUsage)
        yield {
          data: JSON.stringify({
            ...base,
            object: 'chat.completion.chunk',
            choices: [],
            usage: await usageOf(context, done),
          }),
        }
      return
    }
  }
  return streams.respond(events(), headersOf(task))
}

const models = ({ host, served }: RequestContext): EndpointReply =>
  jsonReply({
    object: 'list',
    data: [
      {
        id: served.agent.name,
        object: 'model',
        created: Math.floor(host.entropy.now() / 1_000),
        owned_by: 'modelport',
      },
    ],
  })

const endpoints: readonly Endpoint[] = [
  {
    name: 'ListModels',
    method: 'GET',
    path: '/v1/models',
    summary: 'Lists the agent as a model.',
    source: 'none',
    mode: 'response',
    wire: 'Chat Completions',
    handle: models,
  },
  {
    name: 'CreateChatCompletion',
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Answers a chat; X-Modelport-Session names a conversation that is kept.',
    source: 'body',
    mode: 'stream',
    wire: 'Chat Completions',
    handle: complete,
  },
]

const wire: Wire = Object.freeze({ name: 'Chat Completions', endpoints })

/** Chat Completions: the agent as a model, at `/v1/chat/completions`. */
export const chatCompletions = (): Wire => wire

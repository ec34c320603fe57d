import {
  type Agent,
  type AgentError,
  AgentHost,
  type AgentStore,
  createAgent,
  createPart,
  isAgentError,
  type Part,
  requestsOf,
  type TaskHead,
  type TaskKey,
  type TaskLeases,
} from '@modelport/agent'
import { configError, isLlmError, type Provider } from '@modelport/core'
import { checkRanges, checkSettings, namesOf } from '@modelport/core/settings'
import type { Principal } from '@modelport/runtime'
import { agUiEventsOfTask } from './ag-ui-reply.js'
import { agUiInput, decisionPart, partsOfDecisions } from './ag-ui-request.js'
import { ChangeWatch, pause } from './change-watch.js'
import { ChatReplies, isRunning, keyOf, metadataOf } from './chat-replies.js'
import {
  addressOf,
  checkId,
  checkOrigin,
  ownerOf,
  RefusedRequest,
  readBody,
  type SentMessage,
  sentMessage,
} from './chat-request.js'
import { type StreamEvent, toEventStream } from './event-stream.js'
import type { ErrorText, PlacedChunk } from './task-chunks.js'
import { partsOfContent } from './user-message.js'

/** Where clients of AG-UI post, below the path. */
const agUiName = 'ag-ui'

/** Milliseconds between two looks at a chat, for a page that follows it: changes come in crowds. */
const changeMs = 500

/** Milliseconds after which a chat is looked at although its store reports no change. */
const quietMs = 30_000

/** What chats are made of. */
export interface ChatOptions {
  /** Holds the chats. Processes that open the same store serve the same chats. */
  readonly store: AgentStore
  /** Replies. Either this or `provider` is given. */
  readonly agent?: Agent | undefined
  /** Replies, without tools: the same as an agent with this provider alone. */
  readonly provider?: Provider | undefined
  /**
   * Says who asks, by your sign-in. A chat belongs to whoever began it: to all others it does not
   * exist. `undefined` is answered with 401.
   */
  readonly authorize: (request: Request) => Principal | undefined | Promise<Principal | undefined>
  /** Where the routes are. Default `/api/chat`, as in `useChat`. */
  readonly path?: string | undefined
  /**
   * Origins, such as `https://app.example`, of other sites whose pages may use the chats. Default:
   * none, only pages of the same origin.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * What a message does while a reply is being made: `wait` lets it wait for its turn, `refuse`
   * answers 409. Default `wait`.
   */
  readonly whileBusy?: 'wait' | 'refuse' | undefined
  /**
   * True makes replies in this process. With false it only reads and writes the store, and another
   * process makes them. Default true.
   */
  readonly work?: boolean | undefined
  /** Maximum bytes of a request; from 1,024. Default 16 Mi: a page sends its files in a message. */
  readonly maxBodyBytes?: number | undefined
  /**
   * The text of a failure for the page. Default: a sentence about the limit, else "An error
   * occurred.", since messages of servers and tools are not for every user.
   */
  readonly errorText?: ErrorText | undefined
  /** Called with failures of work that no request waits for. Default: they are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const optionNames = namesOf<ChatOptions>({
  store: true,
  agent: true,
  provider: true,
  authorize: true,
  path: true,
  origins: true,
  whileBusy: true,
  work: true,
  maxBodyBytes: true,
  errorText: true,
  onError: true,
})

/** The routes of chats, and the work behind them. */
export interface Chat {
  /** Answers a request below `path`. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Gives back what is being made here, so that another process continues it. The store stays. */
  close(): Promise<void>
}

/**
 * The routes of chats that survive a reload, a second tab and a killed server: for `useChat` of the
 * AI SDK 7, with its transport as it is. Everything is in the store; a chat is a session of the
 * agent, and its replies are tasks.
 *
 * - `POST /api/chat`: a message, or decisions about calls; streams the reply
 * - `GET /api/chat/ID`: `{ messages }` for `useChat`; 404 if there is no such chat
 * - `GET /api/chat/ID/stream`: the reply that is being made, from its start or after the header
 *   `Last-Event-ID`; 204 if there is none
 * - `GET /api/chat/ID/changes`: an event each time a reply begins or ends, for other tabs
 * - `POST /api/chat/ID/stop`: ends the reply, at the model as well
 * - `POST /api/chat/ID/decisions`: `{ requestId, approved }`, or what became of a call
 * - `DELETE /api/chat/ID`: removes the chat
 * - `POST /api/chat/ag-ui`: a run of AG-UI 1.0 whose thread is the chat; streams its events
 *
 * @throws {LlmError} `config` — an option is missing or wrong
 * @throws {TypeError} an option is not known
 */
export function chatRoutes(options: ChatOptions): Chat {
  checkSettings('chatRoutes', options, optionNames)
  checkRanges(options, [['maxBodyBytes', 1024, 2 ** 30]])
  return new Routes(options, agentOf(options))
}

function agentOf({ agent, provider, authorize, path = '/' }: ChatOptions): Agent {
  if ((agent === undefined) === (provider === undefined))
    throw configError('chatRoutes: give either "agent" or "provider"')
  if (typeof authorize !== 'function')
    throw configError(
      'chatRoutes: "authorize" is not a function; give one that says who asks, from your sign-in',
    )
  if (!path.startsWith('/'))
    throw configError(`chatRoutes: path ${JSON.stringify(path)} must begin with "/"`)
  return agent ?? createAgent({ card: { name: 'chat', description: 'Chats' }, provider })
}

class Routes implements Chat {
  readonly #options: ChatOptions
  readonly #agent: Agent
  readonly #host: AgentHost
  readonly #path: string

  constructor(options: ChatOptions, agent: Agent) {
    const { store, work = true, onError, path = '/api/chat' } = options
    this.#options = options
    this.#agent = agent
    this.#path = path.endsWith('/') ? path.slice(0, -1) : path
    this.#host = new AgentHost([agent], { store: work ? store : withoutWork(store), onError })
  }

  close(): Promise<void> {
    return this.#host.drain(0)
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    try {
      return await this.#answer(request)
    } catch (error) {
      return this.#refusal(error)
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { id, what } = addressOf(request.url, this.#path)
    checkOrigin(request, this.#options.origins ?? [])
    const owner = ownerOf(await this.#options.authorize(request))
    const route = `${request.method} ${what}`
    if (id === undefined) {
      if (route !== 'POST ') throw notAllowed(request)
      return this.#receive(owner, await this.#read(request))
    }

    if (id === agUiName && route === 'POST ') return this.#runAgUi(owner, await this.#read(request))

    const replies = this.#repliesOf(owner, id)
    switch (route) {
      case 'GET ':
        return this.#history(replies, id)
      case 'GET stream':
        return this.#resume(replies, request.headers.get('last-event-id'))
      case 'GET changes':
        return this.#changes(owner, id)
      case 'POST stop':
        await replies.stop()
        return nothing()
      case 'POST decisions':
        return this.#decide(owner, replies, await this.#read(request))
      case 'DELETE ':
        await replies.delete()
        return nothing()
      default:
        throw notAllowed(request)
    }
  }

  #read(request: Request): Promise<Readonly<Record<string, unknown>>> {
    return readBody(request, this.#options.maxBodyBytes ?? 16 * 2 ** 20)
  }

  #repliesOf(principal: string, id: string): ChatReplies {
    const session = { principal, agent: this.#agent.name, id }
    return new ChatReplies(this.#host, session, this.#options.errorText)
  }

  async #history(replies: ChatReplies, id: string): Promise<Response> {
    const messages = await replies.messages()
    if (!messages.length) throw new RefusedRequest(404, `there is no chat ${JSON.stringify(id)}`)
    return Response.json({ messages }, { headers: { 'cache-control': 'no-store' } })
  }

  async #receive(owner: string, body: Readonly<Record<string, unknown>>): Promise<Response> {
    const id = checkId(body['id'])
    const message = sentMessage(body)
    const replies = this.#repliesOf(owner, id)
    if (message.role === 'assistant') return this.#continue(owner, replies, message)
    return this.#stream(replies, await this.#begin(owner, id, replies, message))
  }

  /** Begins a reply to a message. */
  async #begin(
    principal: string,
    sessionId: string,
    replies: ChatReplies,
    { id, content, isAgain = false }: Pick<SentMessage, 'id' | 'content'> & { isAgain?: boolean },
  ): Promise<TaskKey> {
    if (!content.length) throw new RefusedRequest(400, 'the message is empty')
    const known = await replies.replyTo(id)
    const replaced = isAgain ? known : undefined
    if (replaced) {
      await replies.forkBefore(replaced)
      await this.#host.store.tasks.forgetMessage(principal, this.#agent.name, id)
    } else if (this.#options.whileBusy === 'refuse') await refuseWhileBusy(replies, id)
    // The same message that is sent again gets the reply that it began.
    const { whenWaiting } = this.#agent.settings
    if (replaced || !known) await replies.catchUp(replaced, whenWaiting === 'keep')
    const { task } = await this.#host.send({
      agent: this.#agent.name,
      principal,
      sessionId,
      message: {
        id,
        role: 'user',
        parts: partsOfContent(content),
        timestamp: new Date().toISOString(),
      },
      metadata: metadataOf(id, replaced?.record.id),
    })
    return { principal, id: task.id }
  }

  /** Answers a client of AG-UI: a message, or decisions about what its last run waits for. */
  async #runAgUi(owner: string, body: Readonly<Record<string, unknown>>): Promise<Response> {
    const { threadId, message, decisions } = agUiInput(body)
    const replies = this.#repliesOf(owner, threadId)
    if (message) {
      const key = await this.#begin(owner, threadId, replies, message)
      return this.#streamAgUi(replies, threadId, key)
    }

    const waiting = (await replies.shown()).findLast(({ state }) => state === 'input-required')
    const open = waiting ? await this.#open(keyOf(waiting)) : []
    const parts = partsOfDecisions(decisions, open)
    if (!waiting || !parts.length)
      throw new RefusedRequest(409, 'the thread waits for none of these decisions')
    const { seq } = waiting
    await this.#say(keyOf(waiting), owner, parts)
    return this.#streamAgUi(replies, threadId, keyOf(waiting), seq)
  }

  #streamAgUi(replies: ChatReplies, threadId: string, key: TaskKey, after = 0): Response {
    const { errorText } = this.#options
    return toEventStream(async function* (signal): AsyncGenerator<StreamEvent, void> {
      const events = replies.events(key, signal, after)
      for await (const event of agUiEventsOfTask(key.id, threadId, events, errorText))
        yield { data: JSON.stringify(event) }
    })
  }

  /** Gives the decisions about a reply to it, and streams what follows. */
  async #continue(
    principal: string,
    replies: ChatReplies,
    { id, approvals }: SentMessage,
  ): Promise<Response> {
    const reply = await this.#find(replies, id)
    const key = keyOf(reply)
    const asked = new Map(
      (await this.#open(key)).map(({ requestId, digest }) => [
        `${requestId}#${digest ?? ''}`,
        requestId,
      ]),
    )
    const decided = approvals.filter((one) => asked.has(`${one.id}#${one.digest ?? ''}`))
    const parts = decided.map(({ id: requestId, digest, approved, reason, content }) =>
      createPart.request({
        requestId,
        approved,
        ...(digest !== undefined && { digest }),
        ...(content ? { content } : reason !== undefined && { reason }),
      }),
    )
    const isTaken = !parts.length || (await this.#sayUnlessDecided(key, principal, parts))
    const place = await replies.placeOfRequests(key, new Set(approvals.map((one) => one.id)))
    // What was not taken is asked again.
    return this.#stream(replies, key, `${place}.${isTaken ? Infinity : 0}`)
  }

  /** Stores what somebody says about a request: see `RequestDecision`. */
  async #decide(
    principal: string,
    replies: ChatReplies,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    const { requestId, digest } = body
    const heads = (await replies.shown()).filter(({ state }) => state === 'input-required')
    for (const head of heads) {
      const request = (await this.#open(keyOf(head))).find((one) => one.requestId === requestId)
      if (!request) continue
      if (digest !== undefined && digest !== request.digest)
        throw new RefusedRequest(409, 'what was shown is not what waits now; load the chat again')
      await this.#say(keyOf(head), principal, [decisionPart(request, false, body)])
      return nothing()
    }
    throw new RefusedRequest(409, `nothing waits for ${JSON.stringify(requestId)}`)
  }

  async #say(key: TaskKey, principal: string, parts: readonly Part[]): Promise<void> {
    await this.#host.send({
      agent: this.#agent.name,
      principal,
      taskId: key.id,
      message: {
        id: `decision-${crypto.randomUUID()}`,
        role: 'user',
        parts,
        timestamp: new Date().toISOString(),
      },
    })
  }

  /**
   * Gives decisions to a reply. What another tab decided in the meantime is decided: this one sees
   * what came of it.
   * @returns false if an answer does not fit its question
   */
  async #sayUnlessDecided(
    key: TaskKey,
    principal: string,
    parts: readonly Part[],
  ): Promise<boolean> {
    try {
      await this.#say(key, principal, parts)
    } catch (error) {
      const isAnswer = parts.some((part) => part.type === 'request' && part.content.content)
      if (isAnswer && isAgentError(error, 'invalid-params')) return false
      const open = new Set((await this.#open(key)).map(({ requestId }) => requestId))
      const isOpen = parts.some(
        (part) => part.type === 'request' && open.has(part.content.requestId),
      )
      if (isOpen || !isAgentError(error)) throw error
    }
    return true
  }

  async #find(replies: ChatReplies, id: string): Promise<TaskHead> {
    const reply = (await replies.shown()).find(({ record }) => record.id === id)
    if (reply) return reply
    throw new RefusedRequest(404, `the chat has no reply ${JSON.stringify(id)}`)
  }

  /** What a reply waits for. */
  async #open(key: TaskKey) {
    const { task } = await this.#host.get(key)
    return requestsOf(task)
  }

  /** Streams the reply that is being made, for a page that was loaded again. */
  async #resume(replies: ChatReplies, lastEventId: string | null): Promise<Response> {
    const [id, place] = lastEventId?.split('/') ?? []
    const shown = await replies.shown()
    const reply =
      shown.find(({ record }) => record.id === id) ?? shown.find((head) => isRunning(head))
    if (!reply) return nothing()
    return this.#stream(replies, keyOf(reply), reply.record.id === id ? place : undefined)
  }

  #stream(replies: ChatReplies, key: TaskKey, after?: string): Response {
    return toEventStream(
      async function* (signal): AsyncGenerator<StreamEvent, void> {
        const events = replies.chunks(key, signal)
        for await (const placed of events)
          if (isAfter(placed, after))
            yield { id: `${key.id}/${placed.place}`, data: JSON.stringify(placed.chunk) }
        if (!signal.aborted) yield { data: '[DONE]' }
      },
      { 'x-vercel-ai-ui-message-stream': 'v1' },
    )
  }

  /**
   * Tells a page that a reply began or ended. What a page loads once it has the head of this
   * response, and what it is told afterwards, is everything: so the first look precedes the head.
   */
  async #changes(principal: string, sessionId: string): Promise<Response> {
    const { tasks } = this.#host.store
    const agent = this.#agent.name
    const look = async () => {
      const { heads, total } = await tasks.list({ principal, agent, sessionId, limit: 1 })
      const [newest] = heads
      if (!newest) return { version: '0', state: 'deleted' }
      // A page shows both alike. Of a state that was left and came back, the time is another.
      const isRunning = newest.state === 'submitted' || newest.state === 'working'
      const state = isRunning ? 'working' : newest.state
      const since = isRunning ? '' : newest.statusAt
      return { version: `${total}/${newest.record.id}/${state}/${since}`, state }
    }
    let known = await look()
    return toEventStream(async function* (signal): AsyncGenerator<StreamEvent, void> {
      const changes = new ChangeWatch((onChange) =>
        tasks.watchSession({ principal, agent, id: sessionId }, onChange),
      )
      try {
        while (!signal.aborted) {
          const current = await look()
          if (current.version !== known.version)
            yield { data: JSON.stringify({ state: current.state }) }
          known = current
          await pause(changeMs, signal)
          await changes.wait(quietMs, signal)
        }
      } finally {
        changes.close()
      }
    })
  }

  #refusal(error: unknown): Response {
    if (error instanceof RefusedRequest) return failure(error.status, error.message)
    if (isAgentError(error)) return failure(statusOf(error), error.message)
    if (isLlmError(error) && error.code === 'invalid-request') return failure(400, error.message)
    this.#options.onError?.(error)
    return failure(500, 'the server failed')
  }
}

/** A store whose tasks are left to other processes. */
function withoutWork(store: AgentStore): AgentStore {
  if (!store.leases)
    throw configError(
      'chatRoutes: work: false needs a store that other processes open: openSqliteStore or openPostgresStore',
    )
  const leases: TaskLeases = {
    checkMs: store.leases.checkMs,
    hold: () => Promise.resolve(undefined),
    abandoned: () => Promise.resolve([]),
    expired: () => Promise.resolve([]),
    lookAt: (key, time) => store.leases?.lookAt(key, time) ?? Promise.resolve(),
  }
  return { ...store, leases }
}

async function refuseWhileBusy(replies: ChatReplies, message: string): Promise<void> {
  const running = await replies.running()
  // The same message that is sent again gets the reply that it began.
  if (!running || (await replies.replyTo(message))) return
  throw new RefusedRequest(409, 'a reply is being made; wait for its end, or stop it')
}

/** True for a chunk that a page does not have yet. */
function isAfter({ place }: PlacedChunk, after: string | undefined): boolean {
  if (after === undefined) return true
  const [event = 0, part = 0] = place.split('.').map(Number)
  const [lastEvent = 0, lastPart = 0] = after.split('.').map(Number)
  return event > lastEvent || (event === lastEvent && part > lastPart)
}

const notAllowed = ({ method, url }: Request): RefusedRequest =>
  new RefusedRequest(405, `${method} ${new URL(url).pathname} is not a request of a chat`)

const nothing = (): Response => new Response(null, { status: 204 })

const failure = (status: number, message: string): Response =>
  Response.json({ error: { message } }, { status })

const statuses: ReadonlyMap<string, number> = new Map([
  ['task-not-found', 404],
  ['not-found', 404],
  ['forbidden', 403],
  ['conflict', 409],
  ['unsupported-operation', 409],
  ['busy', 503],
  ['internal', 500],
])

const statusOf = ({ reason }: AgentError): number => statuses.get(reason) ?? 400

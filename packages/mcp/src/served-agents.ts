import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  isInputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import {
  type Agent,
  type AgentClient,
  AgentHost,
  answerOf,
  type ClientEvent,
  createLocalClient,
  createMessage,
  createPart,
  isAgentError,
  isCutOff,
  isInterrupted,
  isTerminal,
  type Part,
  type RequestContent,
  requestsOf,
  type Task,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { progressOf } from './served-progress.js'
import { readAnswer, toRequest } from './served-questions.js'
import { toFailure } from './served-tools.js'
import { toVisibleText } from './trust/visible-text.js'

/** The host of agents: that of the application, or a new one with a store in memory. */
export const openHost = (
  given: readonly Agent[] | AgentHost,
  onError: (error: unknown) => void,
): AgentHost => ('send' in given ? given : new AgentHost(given, { onError }))

type Questions = NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>

interface AgentCaller {
  readonly host: AgentHost
  readonly principal: string
  readonly ctx: ServerContext
  /** How the client can put a question to its user. */
  readonly modes: Readonly<Record<'form' | 'url', boolean>>
}

/** One call of an agent: a task that begins, or continues. */
export class AgentCall {
  readonly #client: AgentClient
  readonly #ctx: ServerContext
  readonly #modes: AgentCaller['modes']
  readonly #report: (value: unknown) => Promise<void> | undefined
  #taskId: string | undefined

  constructor(agent: Agent, { host, principal, ctx, modes }: AgentCaller) {
    this.#client = createLocalClient(agent, { host, principal })
    this.#ctx = ctx
    this.#modes = modes
    const report = progressOf(ctx)
    this.#report = (value) => report?.(value)
  }

  /**
   * What became of the task; or the questions that its user has to answer first, whose state is the
   * id of the task.
   */
  async run(args: JsonObject): Promise<CallToolResult | InputRequiredResult> {
    const { mcpReq } = this.#ctx
    const { signal } = mcpReq
    const wrong = Object.entries(args).find(
      ([name, value]) => !fields.has(name) || typeof value !== 'string',
    )
    if (wrong)
      return toFailure(
        `"${wrong[0].slice(0, 100)}" is not one of the texts message, context and task`,
      )
    const { message, context, task } = args as Readonly<Record<string, string | undefined>>
    const resumed = mcpReq.requestState<string>()
    this.#taskId = resumed ?? task
    if (this.#taskId === undefined && !message)
      return toFailure('"message" is missing: say what the agent should do')
    signal.addEventListener('abort', this.#cancel)
    if (this.#taskId !== undefined)
      await this.#continue(this.#taskId, resumed === undefined ? message : undefined)
    else
      await this.#read(
        this.#client.stream(message ?? '', context === undefined ? {} : { sessionId: context }),
      )
    const outcome = await this.#outcome()
    // In a session of an older version the request stays open while the user is asked; one of
    // 2026-07-28 is over.
    if (mcpReq.envelope || !isInputRequiredResult(outcome))
      signal.removeEventListener('abort', this.#cancel)
    return outcome
  }

  readonly #cancel = (): void => {
    if (this.#taskId !== undefined)
      void this.#client.cancel(this.#taskId, 'the caller cancelled').catch(() => undefined)
  }

  /** Reports what happens to the task until it is over or waits. */
  async #read(events: AsyncIterable<ClientEvent>): Promise<void> {
    let reportedAt = -Infinity
    for await (const event of events) {
      if (event.type === 'task' && this.#taskId === undefined) {
        this.#taskId = event.task.id
        if (this.#ctx.mcpReq.signal.aborted) this.#cancel()
      }
      if (event.type === 'progress') await this.#report(event.message ?? `${event.percent ?? 0} %`)
      // Text that grows keeps a client from giving up.
      else if (event.type === 'text-delta' && performance.now() - reportedAt > 1000) {
        reportedAt = performance.now()
        await this.#report(undefined)
      }
    }
  }

  /** Hands the answers of the user to the task, or reads on. */
  async #continue(id: string, message: string | undefined): Promise<void> {
    const task = await this.#client.get(id)
    if (isTerminal(task.state)) return
    if (!isInterrupted(task.state)) return this.#read(this.#client.subscribe(id))
    const requests = requestsOf(task)
    const decided = requests.flatMap((one) => this.#decisionOf(one))
    const answer = requests.length ? undefined : (this.#contentOf(keyOf(task))['answer'] ?? message)
    const parts = decided.length
      ? decided
      : typeof answer === 'string'
        ? [createPart.text(answer)]
        : []
    if (!parts.length) return
    // The same id when it is sent again: an answer counts once.
    const messageId = decided.length ? requests.map(keyOfRequest).join(' ') : keyOf(task)
    try {
      await this.#read(
        this.#client.stream({ ...createMessage('user', parts), id: messageId }, { taskId: id }),
      )
    } catch (error) {
      // Somebody else has answered meanwhile.
      if (!isAgentError(error, 'conflict') && !isAgentError(error, 'unsupported-operation'))
        throw error
      const now = await this.#client.get(id)
      if (!isTerminal(now.state) && !isInterrupted(now.state))
        await this.#read(this.#client.subscribe(id))
    }
  }

  /** What the user entered into the form of this key. */
  #contentOf(key: string): JsonObject {
    const response = this.#ctx.mcpReq.inputResponses?.[key]
    if (actionOf(response) === 'decline') return { decision: 'deny' }
    const { content } = actionOf(response) === 'accept' ? (response as JsonObject) : {}
    return isObject(content) ? content : {}
  }

  #decisionOf(asked: RequestContent): Part[] {
    const { requestId, digest, uncertain, question } = asked
    const bound = { requestId, ...(digest !== undefined && { digest }) }
    if (question) {
      const answer = readAnswer(question, this.#ctx.mcpReq.inputResponses?.[keyOfRequest(asked)])
      if (!answer || answer.action === 'cancel') return []
      const { action, ...content } = answer
      return [createPart.request({ ...bound, approved: action === 'accept', ...content })]
    }
    const { decision, outcome, result } = this.#contentOf(keyOfRequest(asked))
    if (uncertain) {
      const known = outcomes.find((one) => one === outcome)
      const returned = typeof result === 'string' && result ? { result } : {}
      return known ? [createPart.request({ ...bound, outcome: known, ...returned })] : []
    }
    if (decision !== 'allow' && decision !== 'deny') return []
    return [createPart.request({ ...bound, approved: decision === 'allow' })]
  }

  async #outcome(): Promise<CallToolResult | InputRequiredResult> {
    const task = await this.#client.get(this.#taskId ?? '')
    const { id, state, sessionId } = task
    const cut = isCutOff(task) && {
      text: '\n\n(The answer was cut off at its limit of length.)',
      fields: { finish_reason: 'length' },
    }
    const toResult = (answer: string) => ({
      content: [{ type: 'text' as const, text: cut ? `${answer}${cut.text}` : answer }],
      structuredContent: { answer, state, task: id, context: sessionId, ...(cut && cut.fields) },
    })
    const isError = isTerminal(state) && state !== 'completed'
    if (!isInterrupted(state)) return { ...toResult(answerOf(task)), ...(isError && { isError }) }
    const questions = questionsOf(task)
    const given = this.#ctx.mcpReq.inputResponses ?? {}
    // A call that was declined has been decided.
    const isDismissed = Object.keys(questions).some((key) =>
      ['cancel', 'decline'].includes(String(actionOf(given[key]))),
    )
    const requests = requestsOf(task)
    const mode = requests.some(({ question }) => question?.url !== undefined) ? 'url' : 'form'
    const canAsk = this.#modes[mode]
    if (Object.keys(questions).length && canAsk && !isDismissed)
      return inputRequired({ inputRequests: questions, requestState: id })
    const asked = requests.map(describe).join('\n') || answerOf(task)
    const how = requests.length
      ? 'A person has to decide this where the tasks of the agent are decided, or through a client that can ask its user. Then call the tool again with this task.'
      : 'Call the tool again with this task and the answer as the message.'
    const lacks = mode === 'url' ? 'elicitation by URL' : 'elicitation'
    const why = canAsk ? '' : ` This client cannot ask its user: it declares no ${lacks}.`
    return toResult(`The task ${id} waits.${why} ${asked}\n${how}`)
  }
}

const fields: ReadonlySet<string> = new Set(['message', 'context', 'task'])

const actionOf = (response: unknown): unknown =>
  isObject(response) ? response['action'] : undefined

/**
 * Names the question of a task. Another question has another key, so an old answer does not count
 * for it.
 */
const keyOf = ({ id, statusMessage }: Task): string => `answer ${id} ${statusMessage?.id ?? ''}`

const keyOfRequest = ({ requestId, digest = '' }: RequestContent): string =>
  `allow ${requestId} ${digest}`

/** What the user is asked, as forms. */
function questionsOf(task: Task): Questions {
  const requests = requestsOf(task)
  if (task.state !== 'input-required') return {}
  if (!requests.length) {
    const answer = { type: 'string' as const, title: 'Answer' }
    const requestedSchema = {
      type: 'object' as const,
      properties: { answer },
      required: ['answer'],
    }
    return {
      [keyOf(task)]: inputRequired.elicit({
        message: toVisibleText(answerOf(task)),
        requestedSchema,
      }),
    }
  }
  return Object.fromEntries(
    requests.map((one) => [
      keyOfRequest(one),
      one.question
        ? toRequest({ ...one.question, ...askerOf(one) })
        : inputRequired.elicit({
            message: describe(one),
            requestedSchema: {
              type: 'object',
              // No default: a person decides.
              ...(one.uncertain ? outcomeForm : decisionForm),
            },
          }),
    ]),
  )
}

const decisionForm = {
  properties: {
    decision: { type: 'string' as const, enum: ['allow', 'deny'], title: 'Decision' },
  },
  required: ['decision'],
}

const outcomes = ['happened', 'did-not-happen', 'unknown'] as const

/** For a call whose outcome is unknown: it is neither allowed nor denied. */
const outcomeForm = {
  properties: {
    outcome: {
      type: 'string' as const,
      enum: [...outcomes],
      title: 'What became of it',
      description: '"did-not-happen" executes it now',
    },
    result: { type: 'string' as const, title: 'Its result, if it happened' },
  },
  required: ['outcome'],
}

/** A sub-agent may say anything about who asks. */
const askerOf = ({ path }: RequestContent) =>
  path?.length && { from: `${path.join(' > ')} (unverified)` }

/** A question with its address, or the exact arguments in one line of JSON. */
function describe(asked: RequestContent): string {
  const { action = {}, path, reason, expiresAt, question, uncertain } = asked
  const { tool, args } = action
  if (question) {
    const { from = tool, message, url = '' } = { ...question, ...askerOf(asked) }
    return toVisibleText(`${String(from)} asks: ${message} ${url}`.trim())
  }
  const what =
    action['type'] === 'tool_call' && typeof tool === 'string'
      ? `${tool} with ${JSON.stringify(args ?? {})}`
      : JSON.stringify(action)
  const facts = [
    ...(path?.length ? [`asked by ${path.join(' > ')}`] : []),
    ...(reason === undefined ? [] : [reason]),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
  ]
  const asks = uncertain ? `What became of ${what}?` : `Allow ${what}?`
  return toVisibleText(`${asks}${facts.length ? ` (${facts.join('; ')})` : ''}`)
}

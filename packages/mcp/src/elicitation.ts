import {
  type CallToolRequestParams,
  type CallToolResult,
  type Client,
  type ElicitRequest,
  type ElicitResult,
  isInputRequiredResult,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import { type JsonObject, LlmError } from '@modelport/core'
import type { Answer, Ask, Question, ToolContext } from '@modelport/runtime'
import { toPlainWords } from './plain-words.js'
import { type Show, structure } from './trust/show.js'

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>
/** Reads a question of the server as one of ours. */
type Read = (params: ElicitRequest['params']) => Question<JsonObject>

/**
 * What a server of 2026-07-28 needs before it can finish a call. It keeps nothing, so this is
 * stored with each of its questions.
 */
interface Round {
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

const mostSendings = 10
const pauseMs = 250

/**
 * A question as the user is shown it. Names and choices go back as they came, so they may have
 * nothing that is shown in another way.
 */
export function toQuestion(
  params: ElicitRequest['params'],
  from: string,
  show: Show,
): Question<JsonObject> {
  const { message } = show({ message: params.message }, 'question')
  if (params.mode === 'url') return { message, url: params.url, from }
  const schema = show(params.requestedSchema as JsonObject, 'question', structure)
  if (keptOf(schema) !== keptOf(params.requestedSchema))
    throw new LlmError(
      'protocol',
      `MCP server "${from}": its question has hidden characters in a name or a choice`,
    )
  return { message, schema, from }
}

/** The parts of a schema that an answer repeats. */
const keptOf = (schema: unknown): string =>
  JSON.stringify(schema, (name, value: unknown) =>
    name === 'enumNames' || (['title', 'description'].includes(name) && typeof value === 'string')
      ? undefined
      : value,
  )

/** An address has no content. */
const toResult = (answer: Answer, { mode }: ElicitRequest['params']): ElicitResult => {
  const { action } = answer
  return action === 'accept' && mode !== 'url'
    ? { action, content: answer.content as ElicitResult['content'] }
    : { action }
}

/**
 * The calls that are open at a server of an older version, whose questions do not say which call
 * they belong to.
 */
export class OpenCalls {
  readonly #open = new Set<(params: ElicitRequest['params']) => Promise<ElicitResult>>()

  /**
   * Answers a question that arrives while one call is open.
   * @throws {ProtocolError} no call is open, or several are
   */
  answer(params: ElicitRequest['params']): Promise<ElicitResult> {
    const [only, ...others] = this.#open
    if (only && !others.length) return only(params)
    const why = only ? 'several calls are open, and the question names none' : 'no call is open'
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `The question is refused: ${why}`)
  }

  /** Sends a call by `sending`; a question without an answer cancels it at the server. */
  async send(
    sending: (options: CallOptions) => Promise<CallToolResult>,
    options: CallOptions,
    ask: Ask,
    read: Read,
  ): Promise<CallToolResult> {
    const asking = new AbortController()
    let failure: { readonly error: unknown } | undefined
    const answer = async (asked: ElicitRequest['params']): Promise<ElicitResult> => {
      try {
        return toResult(await ask(read(asked)), asked)
      } catch (error) {
        failure ??= { error }
        asking.abort(error)
        throw error
      }
    }
    this.#open.add(answer)
    const signal = AbortSignal.any([asking.signal, ...(options.signal ? [options.signal] : [])])
    try {
      return await sending({ ...options, signal })
    } catch (error) {
      if (failure) throw failure.error
      if (!(error instanceof UrlElicitationRequiredError)) throw error
      // The user opens the addresses, and the call is sent again; a server that still refuses it
      // then says so.
      for (const asked of error.elicitations)
        if ((await ask(read(asked))).action !== 'accept')
          throw new LlmError('unsupported', 'the user declined to open the address')
      throw error
    } finally {
      this.#open.delete(answer)
    }
  }
}

/**
 * Asks the user what a server of 2026-07-28 wants to know.
 * @throws {LlmError} `unsupported` — it is not for a user to say; `protocol`
 */
export async function answerRequests(
  requests: readonly (readonly [key: string, request: unknown])[],
  ask: (question: ElicitRequest['params']) => Promise<Answer>,
): Promise<Readonly<Record<string, ElicitResult>>> {
  const responses: Record<string, ElicitResult> = {}
  for (const [key, request] of requests) {
    const { method, params: question } = (request ?? {}) as {
      readonly method?: unknown
      readonly params: ElicitRequest['params']
    }
    if (method !== 'elicitation/create')
      throw new LlmError(
        'unsupported',
        `the server asks for ${toPlainWords(String(method), 100)}; only its user can be asked`,
      )
    if (question.mode !== 'url' && !isSpecType.ElicitRequestFormParams(question))
      throw new LlmError(
        'protocol',
        'the server asks a question of a form that the protocol does not have',
      )
    responses[key] = toResult(await ask(question), question)
  }
  return responses
}

/**
 * Sends a call to a server of 2026-07-28, which ends it with what it has to know. Rounds that were
 * answered are not sent again: the last one is, with the answers and the state of the server.
 */
export async function sendRounds(
  client: Client,
  tool: Tool,
  params: CallToolRequestParams,
  options: CallOptions,
  { ask, answers = [] }: ToolContext & { readonly ask: Ask },
  read: Read,
): Promise<CallToolResult> {
  // The client would hold the question of a tool to the tool's own output schema.
  const { outputSchema: _checkedHere, ...toolDefinition } = tool
  // What a task asked has no round: the call is sent, and the task asks again.
  const answered = answers.filter(({ state }) => state !== undefined)
  let round = answered[0]?.state as Round | undefined
  let asked = 0
  for (let sendings = 0; sendings < mostSendings; ) {
    const inputResponses = await answerRequests(
      Object.entries(round?.inputRequests ?? {}),
      async (question) => {
        const answer = await ask({ ...read(question), state: round })
        asked++
        return answer
      },
    )
    const next = answered[asked]
    if (next) {
      round = next.state as Round
      continue
    }
    // A server without questions only wants to be asked later.
    if (round && !Object.keys(inputResponses).length)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const { requestState } = round ?? {}
    const more = {
      ...(round && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    }
    const given: unknown = await client.callTool(
      { ...params, ...more },
      { ...options, toolDefinition, allowInputRequired: true },
    )
    sendings++
    if (!isInputRequiredResult(given)) return given as CallToolResult
    const { inputRequests = {}, requestState: state } = given
    round = { inputRequests, ...(state !== undefined && { requestState: state }) }
  }
  throw new LlmError(
    'limit-exceeded',
    `the server did not finish the call in ${mostSendings} rounds`,
  )
}

import {
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import {
  type Answer,
  checkAnswer,
  type PendingQuestion,
  type StoredQuestion,
} from '@modelport/runtime'
import { PrincipalSlots } from './principal-slots.js'
import { toVisibleText } from './trust/visible-text.js'

/** Maximum calls at once that wait for their users; an oldest one is dropped for a new one. */
const mostCalls = { inAll: 1000, each: 100 }

interface HeldCall {
  readonly principal: string
  /** Its tool and arguments, as JSON. */
  readonly call: string
  /** In their order; the last one is open. */
  readonly questions: readonly StoredQuestion[]
}

/**
 * Calls of tools that asked their users. The client has only their random ids ("servers MUST treat
 * requestState as attacker-controlled"), and each id is taken once, so an answer counts once.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class OpenQuestions {
  readonly #calls = new PrincipalSlots<HeldCall>(mostCalls)

  ask(held: HeldCall): InputRequiredResult {
    const id = crypto.randomUUID()
    this.#calls.add(id, held)
    const question = held.questions.at(-1)
    return inputRequired({
      inputRequests: question ? { [question.digest]: toRequest(question) } : {},
      requestState: id,
    })
  }

  /**
   * The answered questions of a call that is sent again, none of a new one; or the result that asks
   * again.
   * @throws {ProtocolError} invalid params — the state is not that of this call and principal, or
   * was used before.
   */
  answersTo(
    principal: string,
    call: string,
    { mcpReq }: ServerContext,
  ): readonly StoredQuestion[] | InputRequiredResult {
    const id = mcpReq.requestState<string>()
    if (id === undefined) return []
    const held = this.#calls.get(id)
    if (held?.principal !== principal || held.call !== call)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    this.#calls.delete(id)
    const open = held.questions.at(-1)
    const answer = open && readAnswer(open, mcpReq.inputResponses?.[open.digest])
    return answer ? [...held.questions.slice(0, -1), { ...open, answer }] : this.ask(held)
  }
}

/** The answer of a client; undefined if it does not fit the question. */
export function readAnswer(
  question: PendingQuestion['question'],
  response: unknown,
): Answer | undefined {
  try {
    return checkAnswer(question, (response ?? {}) as Answer)
  } catch {
    return undefined
  }
}

/** The question as the client is asked it. */
export function toRequest({
  message: text,
  from,
  url,
  schema,
}: PendingQuestion['question']): InputRequest {
  const message = toVisibleText(from === undefined ? text : `${from}: ${text}`)
  if (url !== undefined) return inputRequired.elicitUrl({ message, url })
  const { properties = {}, required } = schema ?? {}
  const requestedSchema = {
    type: 'object',
    properties,
    ...(required !== undefined && { required }),
  }
  return inputRequired.elicit({
    message,
    requestedSchema: requestedSchema as Parameters<
      typeof inputRequired.elicit
    >[0]['requestedSchema'],
  })
}

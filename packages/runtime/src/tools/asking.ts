import { isObject, type JsonObject, LlmError } from '@modelport/core'
import { isLoopback } from '@modelport/core/settings'
import { canonicalJson } from '../base/canonical-json.js'
import { jsonHash } from '../base/json-hash.js'
import { compileJsonSchema, type JsonSchemaValidator } from '../schema/json-schema.js'
import type { Answer, Ask, Question, StoredQuestion } from './question.js'
import {
  type CompiledParameters,
  compileParameters,
  type ToolArguments,
  type ToolParameters,
} from './tool-parameters.js'

const mostQuestions = 20
const mostMessage = 10_000
const mostUrl = 4_000
const mostState = 256 * 1024

/**
 * The questions of one sending of a call: finds the answers so far, and keeps the first question
 * without one.
 */
export class Asking {
  readonly #tool: string
  readonly #answered: readonly StoredQuestion[]
  #count = 0
  /** The question that ends this sending. */
  open: StoredQuestion | undefined

  /** @param answered the questions that were answered, in their order */
  constructor(tool: string, answered: readonly StoredQuestion[]) {
    this.#tool = tool
    this.#answered = answered
  }

  readonly ask: Ask = async (question) => {
    const { compiled, ...stored } = this.#check(question, this.#count)
    // A second question waits for the answer to the first.
    if (this.open) throw stopped()
    const answer = this.#answered.find(({ digest }) => digest === stored.digest)?.answer
    if (answer) {
      this.#count++
      return checked(answer, compiled, this.#tool)
    }
    if (this.#answered.length >= mostQuestions)
      throw new LlmError(
        'limit-exceeded',
        `tool "${this.#tool}" asked more than ${mostQuestions} questions in one call`,
      )
    this.open = stored
    throw stopped()
  }

  /**
   * @throws {LlmError} `invalid-request` — the question cannot be asked; `config`, `unsupported`,
   * `limit-exceeded` — of its schema.
   */
  #check(
    question: Question,
    index: number,
  ): StoredQuestion & { readonly compiled: CompiledParameters | undefined } {
    const where = `tool "${this.#tool}": question`
    const refuse = (what: string): never => {
      throw new LlmError('invalid-request', `${where}: ${what}`)
    }
    const { message, schema, url, from, state } = isObject(question)
      ? question
      : refuse('must be an object')
    if (typeof message !== 'string' || !message.trim() || message.length > mostMessage)
      refuse(`message must be a text of 1 to ${mostMessage} characters`)
    if (schema && url !== undefined) refuse('has a schema and a url; ask for one of them')
    const address = url === undefined ? {} : { url: addressOf(url) ?? refuse(urlRule) }
    const compiled = schema && compileParameters(schema, `${where}: schema`)
    // Whoever checks an answer has the stored schema only.
    if (compiled) compileAnswer(compiled.schema, from)
    if (JSON.stringify(state ?? null).length > mostState)
      refuse(`state is longer than ${mostState} characters`)
    const shown = {
      message,
      ...(compiled && { schema: compiled.schema }),
      ...address,
      ...(from !== undefined && { from }),
    }
    const digest = jsonHash(canonicalJson([index, shown]))
    return {
      ...shown,
      ...(state !== undefined && { state: JSON.parse(JSON.stringify(state)) as unknown }),
      digest,
      compiled,
    }
  }
}

const stopped = (): LlmError =>
  new LlmError(
    'aborted',
    'the user is asked; the call is sent again from its start with the answer',
  )

const urlRule = `url must be an https: address of at most ${mostUrl} characters without a user name, or http: of this machine`

/** The address as it is shown; undefined if a user should not be sent there. */
function addressOf(text: string): string | undefined {
  if (text.length > mostUrl || !URL.canParse(text)) return undefined
  const { protocol, hostname, username, password, href } = new URL(text)
  const isLocal = isLoopback(hostname)
  if (username || password || !(protocol === 'https:' || (protocol === 'http:' && isLocal)))
    return undefined
  return href
}

/** The schema of somebody else has bounded patterns. */
const compileAnswer = (schema: JsonObject, from: string | undefined): JsonSchemaValidator =>
  compileJsonSchema(schema, {
    where: 'question: schema',
    untrusted: from !== undefined,
    assertFormats: true,
  })

/**
 * The answer with the output of the schema; a schema library may check more than its JSON Schema
 * says.
 */
async function checked<Schema extends ToolParameters>(
  answer: Answer,
  compiled: CompiledParameters | undefined,
  tool: string,
): Promise<Answer<ToolArguments<Schema>>> {
  if (answer.action !== 'accept') return answer
  const found = compiled
    ? await compiled.validate(answer.content)
    : { ok: true as const, value: {} }
  if (!found.ok)
    throw new LlmError(
      'invalid-request',
      `tool "${tool}": the answer does not fit: ${found.message}`,
    )
  return { action: 'accept', content: found.value as ToolArguments<Schema> }
}

/**
 * Checks an answer to a question, before it is stored or given to `infer`; the question stays open
 * if it does not fit.
 * @returns the answer in the form that is stored
 * @throws {LlmError} `invalid-request` — the action is not one, or the content does not fit the
 * schema; says what and where
 */
export function checkAnswer(
  { schema, from }: Pick<StoredQuestion, 'schema' | 'from'>,
  {
    action,
    content = {},
  }: { readonly action: Answer['action']; readonly content?: JsonObject | undefined },
): Answer {
  const refuse = (what: string): never => {
    throw new LlmError('invalid-request', what)
  }
  if (action === 'decline' || action === 'cancel') return { action }
  if ((action as unknown) !== 'accept')
    refuse(`action is ${JSON.stringify(action)}; it must be accept, decline or cancel`)
  if (!isObject(content)) refuse('content must be an object')
  if (!schema && Object.keys(content).length)
    refuse('the question asks for no content; leave it out')
  const found = schema && compileAnswer(schema, from)(content)
  if (found && !found.ok) refuse(`content does not fit the question: ${found.message}`)
  return { action, content }
}

import * as z from 'zod'
import type { WireName } from './wires.js'

/** A tool call as the user of a client saw it. */
export interface ObservedCall {
  readonly id?: string | null | undefined
  readonly name: string
  /** The object, or the text of its JSON: as the client gives it. */
  readonly arguments?: unknown
  /** Set if the client says that the arguments cannot be used. */
  readonly error?: string | null | undefined
}

/** One reply as the user of a client saw it. */
export interface ObservedTurn {
  readonly text?: string | null | undefined
  readonly reasoning?: string | null | undefined
  readonly calls?: readonly ObservedCall[] | null | undefined
  /** The client's own word, or the API's. */
  readonly finish?: string | null | undefined
  /** Tokens, as the client counts them. */
  readonly usage?:
    | { readonly input?: number | null | undefined; readonly output?: number | null | undefined }
    | null
    | undefined
}

/** The error that ended a case, as the user of a client saw it. */
export interface ObservedError {
  readonly message: string
  readonly status?: number | null | undefined
  /** The client's own word, or the name of the class. */
  readonly kind?: string | null | undefined
}

/** What the user of a client saw in one case: replies in order, and the error after them. */
export interface Observation {
  readonly case: string
  readonly turns: readonly ObservedTurn[]
  readonly error?: ObservedError | null | undefined
}

/** A case that cannot be run on a client. */
export interface NotApplicable {
  readonly case: string
  /** The reason. */
  readonly notApplicable: string
}

/** A feature that a client may lack; the rules about it do not apply to such a client. */
export type Lacking = 'call-ids' | 'finish' | 'reasoning' | 'retry' | 'usage'

/** The registration of a client. */
export interface Registration {
  readonly client: string
  readonly version: string
  readonly wire: WireName
  /** What the client does not have, each with the reason. */
  readonly lacks: Readonly<Partial<Record<Lacking, string>>>
}

const text = z.string().nullish()
const count = z.number().nullish()
const call = z.strictObject({ id: text, name: z.string(), arguments: z.unknown(), error: text })
const turn = z.strictObject({
  text,
  reasoning: text,
  calls: z.array(call).nullish(),
  finish: text,
  usage: z.strictObject({ input: count, output: count }).nullish(),
})
const error = z.strictObject({ message: z.string(), status: count, kind: text })
const observation = z.strictObject({
  case: z.string(),
  turns: z.array(turn).default([]),
  error: error.nullish(),
})
const notApplicable = z.strictObject({ case: z.string(), notApplicable: z.string().min(1) })
const registration = z.strictObject({
  client: z.string().min(1),
  version: z.string().default(''),
  wire: z.enum(['chat', 'responses', 'messages', 'gemini', 'ollama']),
  lacks: z
    .partialRecord(z.enum(['call-ids', 'finish', 'reasoning', 'retry', 'usage']), z.string().min(1))
    .default({}),
})

/** Reads what a driver posted after a case; throws a `TypeError` that says what is wrong. */
export const readObservation = (body: unknown): NotApplicable | Observation =>
  typeof body === 'object' && body !== null && 'notApplicable' in body
    ? read(notApplicable, body)
    : read(observation, body)

/** Reads a registration; throws a `TypeError` that says what is wrong. */
export const readRegistration = (body: unknown): Registration => read(registration, body)

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  // A body that cannot be parsed comes as its text, and one that is missing as undefined.
  if (typeof body === 'string') throw new TypeError('the body is not JSON')
  if (body === undefined) throw new TypeError('there is no body')

  const { data, error: failure } = schema.safeParse(body)
  if (!failure) return data
  const problems = failure.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'the body'}: ${message}`,
  )
  throw new TypeError(problems.join('; '))
}

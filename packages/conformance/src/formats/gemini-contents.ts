import { asText, isObject } from '@modelport/core'
import * as z from 'zod'
import { anyOf, brokenRules } from './body-form.js'
import { callSignature, foreignSignatures, textSignature } from './gemini-signatures.js'

type Fields = Readonly<Record<string, unknown>>
interface WireCall {
  readonly id?: unknown
  readonly name: string
  readonly args?: Fields | undefined
}
/** The result of a call. */
export interface WireResult {
  readonly id?: unknown
  readonly name: string
  readonly response: Fields
}
interface WirePart {
  readonly text?: string | undefined
  readonly thought?: unknown
  readonly thoughtSignature?: unknown
  readonly functionCall?: WireCall | undefined
  readonly functionResponse?: WireResult | undefined
}
/** A content of a request. */
export interface WireContent {
  readonly role: 'user' | 'model'
  readonly parts: readonly WirePart[]
}

const name = z.string().min(1, 'Name cannot be empty.')
const fields = z.custom<Fields>(isObject, 'not an object')
/** The data a part may hold, one of them. */
const data = {
  text: z.string(),
  inlineData: z.strictObject(anyOf('mimeType data displayName')),
  fileData: z.strictObject(anyOf('mimeType fileUri displayName')),
  functionCall: z.strictObject({ name, args: fields.optional(), ...anyOf('id') }),
  functionResponse: z.strictObject({
    name,
    response: fields,
    ...anyOf('id parts scheduling willContinue'),
  }),
  executableCode: z.strictObject(anyOf('id language code')),
  codeExecutionResult: z.strictObject(anyOf('id outcome output')),
  toolCall: z.strictObject(anyOf('id toolType args')),
  toolResponse: z.strictObject(anyOf('id toolType response')),
}
const meta = anyOf(
  'thought thoughtSignature videoMetadata mediaResolution mediaProcessing partMetadata speechMetadata',
)
const part = z
  .strictObject({ ...data, ...meta })
  .partial()
  .refine(
    (one) => Object.keys(one).filter((field) => field in data).length === 1,
    "required oneof field 'data' must have one initialized field",
  )

/** The form of a content. */
export const content: z.ZodType<WireContent> = z
  .strictObject({
    role: z.enum(['user', 'model'], 'Please use a valid role: user, model.'),
    parts: z.array(part).min(1, 'must not be empty'),
  })
  .refine(
    ({ role, parts }) =>
      parts.every((one) => !one[role === 'model' ? 'functionResponse' : 'functionCall']),
    'function calls belong to the role model, and function responses to the role user',
  )

const callsOf = (one: WireContent | undefined): WireCall[] =>
  (one?.parts ?? []).flatMap(({ functionCall }) => functionCall ?? [])
const resultsOf = (one: WireContent | undefined): WireResult[] =>
  (one?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])

/**
 * Rules of the conversation. `signed`: the model demands thought signatures on the function calls
 * of the current turn.
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11-21)
 */
export function contentViolations(contents: readonly WireContent[], signed: boolean): string[] {
  // The current turn begins after the last user content that is not a tool result.
  const turn = contents.findLastIndex((one) => one.role === 'user' && !resultsOf(one).length)
  const violations = contents.flatMap((one, index) => [
    ...pairingViolations(contents, index, `contents[${index}]`),
    ...signatureViolations(one, `contents[${index}]`, signed && index > turn),
  ])
  if (contents.at(-1)?.role === 'model')
    violations.push('contents: the last content must not have the role model')
  return violations
}

/**
 * Results answer the calls of the content right before them: as many, of the same names, with the
 * ids the calls have.
 */
function pairingViolations(
  contents: readonly WireContent[],
  index: number,
  where: string,
): string[] {
  const before = contents[index - 1]
  const one = contents[index]
  const after = contents[index + 1]
  const called = callsOf(one).length > 0
  const results = resultsOf(one)
  const calls = callsOf(before)
  const violations = brokenRules([
    [
      called && before?.role !== 'user',
      `${where}: Please ensure that function call turn comes immediately after a user turn or after a function response turn.`,
    ],
    [
      called && !resultsOf(after).length,
      `${where}: the calls are not answered in the next content`,
    ],
    [
      results.length > 0 && !calls.length,
      `${where}: Please ensure that function response turn comes immediately after a function call turn.`,
    ],
    [
      results.length > 0 && calls.length !== results.length,
      `${where}: Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.`,
    ],
  ])
  for (const [at, { name, id }] of results.entries()) {
    const call = calls[at]
    if (name !== call?.name)
      violations.push(
        `${where}: the response of "${name}" answers a call of "${String(call?.name)}"`,
      )
    if (id !== call?.id)
      violations.push(
        `${where}: the response has the id ${String(id)}, its call ${String(call?.id)}`,
      )
  }
  return violations
}

/**
 * Signatures come back as they were given, in their places; the first call of a step of the current
 * turn has one.
 */
function signatureViolations(
  { role, parts }: WireContent,
  where: string,
  required: boolean,
): string[] {
  const violations: string[] = []
  const first = parts.find(({ functionCall }) => functionCall)
  if (required && first && first.thoughtSignature === undefined) {
    violations.push(`${where}: Function call is missing a thought_signature in functionCall parts.`)
  }
  let text = ''
  for (const part of parts) {
    if (part.thought !== true) text += part.text ?? ''
    const { thoughtSignature: signature, functionCall } = part
    if (signature === undefined) continue
    if (role !== 'model') violations.push(`${where}: a signature outside the role model`)
    if (foreignSignatures.includes(asText(signature))) continue
    const expected = functionCall
      ? callSignature(functionCall.name, functionCall.args)
      : textSignature(text)
    if (signature !== expected) violations.push(`${where}: Thought signature is not valid.`)
  }
  return violations
}

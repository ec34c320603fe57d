import { asText, isObject } from '@modelport/core'
import { callSignature, foreignSignatures, textSignature } from './gemini-signatures.js'

/** A part of a request. */
export interface WirePart {
  readonly text?: unknown
  readonly thought?: unknown
  readonly thoughtSignature?: unknown
  readonly functionCall?: { readonly id?: unknown; readonly name?: unknown; readonly args?: unknown }
  readonly functionResponse?: {
    readonly id?: unknown
    readonly name?: unknown
    readonly response?: unknown
    readonly parts?: unknown
  }
  readonly [field: string]: unknown
}

/** A content of a request. */
export interface WireContent {
  readonly role?: unknown
  readonly parts?: readonly WirePart[]
  readonly [field: string]: unknown
}

const words = (text: string): readonly string[] => text.split(' ')

/** The data a part may hold, one of them, with the fields of each. */
const dataFields: Readonly<Record<string, readonly string[] | undefined>> = {
  text: undefined,
  inlineData: words('mimeType data displayName'),
  fileData: words('mimeType fileUri displayName'),
  functionCall: words('id name args'),
  functionResponse: words('id name response parts scheduling willContinue'),
  executableCode: words('id language code'),
  codeExecutionResult: words('id outcome output'),
  toolCall: words('id toolType args'),
  toolResponse: words('id toolType response'),
}
const metaFields = words(
  'thought thoughtSignature videoMetadata mediaResolution mediaProcessing partMetadata speechMetadata',
)

const callsOf = (content: WireContent | undefined): NonNullable<WirePart['functionCall']>[] =>
  (content?.role === 'model' ? (content.parts ?? []) : []).flatMap(({ functionCall }) => functionCall ?? [])
const resultsOf = (content: WireContent | undefined): NonNullable<WirePart['functionResponse']>[] =>
  (content?.role === 'user' ? (content.parts ?? []) : []).flatMap(({ functionResponse }) => functionResponse ?? [])

/**
 * Rules of the conversation. `signed`: the model demands thought signatures on the function calls of the current turn.
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11-21)
 */
export function contentViolations(contents: readonly WireContent[] | undefined, signed: boolean): string[] {
  if (!contents?.length) return ['GenerateContentRequest.contents: contents is not specified']
  const found: string[] = []
  // The current turn begins after the last user content that is not a tool result.
  const turn = contents.findLastIndex((content) => content.role === 'user' && !resultsOf(content).length)
  for (const [index, content] of contents.entries()) {
    const where = `contents[${index}]`
    for (const field of Object.keys(content))
      if (field !== 'role' && field !== 'parts') found.push(`Unknown name "${field}" at '${where}': Cannot find field.`)
    if (content.role !== 'user' && content.role !== 'model')
      found.push(`${where}.role: Please use a valid role: user, model.`)
    if (!content.parts?.length) found.push(`${where}.parts: must not be empty.`)
    for (const [at, part] of (content.parts ?? []).entries())
      found.push(...partViolations(part, String(content.role), `${where}.parts[${at}]`))
    found.push(
      ...pairingViolations(contents, index, where),
      ...signatureViolations(content, where, signed && index > turn),
    )
  }
  if (contents.at(-1)?.role === 'model') found.push('contents: the last content must not have the role model')
  return found
}

function partViolations(part: WirePart, role: string, where: string): string[] {
  const found: string[] = []
  const data = Object.keys(part).filter((field) => field in dataFields)
  if (data.length !== 1)
    found.push(
      `${where}: required oneof field 'data' must have one initialized field, not ${data.join(' and ') || 'none'}`,
    )
  for (const field of Object.keys(part))
    if (!(field in dataFields) && !metaFields.includes(field))
      found.push(`Unknown name "${field}" at '${where}': Cannot find field.`)
  for (const field of data) {
    const known = dataFields[field]
    if (known)
      for (const inner of Object.keys(part[field] as object))
        if (!known.includes(inner)) found.push(`Unknown name "${inner}" at '${where}.${field}': Cannot find field.`)
  }
  if ('text' in part && typeof part.text !== 'string') found.push(`${where}.text: not a string`)
  if (part.functionCall && role !== 'model') found.push(`${where}: function calls belong to the role model`)
  if (part.functionResponse && role !== 'user') found.push(`${where}: function responses belong to the role user`)
  for (const named of [part.functionCall, part.functionResponse]) {
    if (named && (typeof named.name !== 'string' || !named.name)) found.push(`${where}: Name cannot be empty.`)
  }
  if (part.functionCall && !isObject(part.functionCall.args ?? {}))
    found.push(`${where}.function_call.args: not an object`)
  if (part.functionResponse && !isObject(part.functionResponse.response))
    found.push(`${where}.function_response.response: not an object`)
  return found
}

/** Results answer the calls of the content right before them: as many, of the same names, with the ids the calls have. */
function pairingViolations(contents: readonly WireContent[], index: number, where: string): string[] {
  const found: string[] = []
  const [before, content, after] = [contents[index - 1], contents[index], contents[index + 1]]
  if (callsOf(content).length) {
    if (before?.role !== 'user')
      found.push(
        `${where}: Please ensure that function call turn comes immediately after a user turn or after a function response turn.`,
      )
    if (!resultsOf(after).length) found.push(`${where}: the calls are not answered in the next content`)
  }
  const results = resultsOf(content)
  if (!results.length) return found
  const calls = callsOf(before)
  if (!calls.length)
    return [
      ...found,
      `${where}: Please ensure that function response turn comes immediately after a function call turn.`,
    ]
  if (calls.length !== results.length) {
    found.push(
      `${where}: Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.`,
    )
  }
  for (const [at, { name, id }] of results.entries()) {
    const call = calls[at]
    if (name !== call?.name)
      found.push(`${where}: the response of "${String(name)}" answers a call of "${String(call?.name)}"`)
    if (id !== call?.id) found.push(`${where}: the response has the id ${String(id)}, its call ${String(call?.id)}`)
  }
  return found
}

/** Signatures come back as they were given, in their places; the first call of a step of the current turn has one. */
function signatureViolations({ role, parts = [] }: WireContent, where: string, required: boolean): string[] {
  const found: string[] = []
  const first = parts.find(({ functionCall }) => functionCall)
  if (required && first && first.thoughtSignature === undefined) {
    found.push(`${where}: Function call is missing a thought_signature in functionCall parts.`)
  }
  let text = ''
  for (const part of parts) {
    if (part.thought !== true) text += asText(part.text)
    const { thoughtSignature: signature, functionCall } = part
    if (signature === undefined) continue
    if (role !== 'model') found.push(`${where}: a signature outside the role model`)
    if (foreignSignatures.includes(asText(signature))) continue
    const given = functionCall ? callSignature(functionCall.name, functionCall.args) : textSignature(text)
    if (signature !== given) found.push(`${where}: Thought signature is not valid.`)
  }
  return found
}

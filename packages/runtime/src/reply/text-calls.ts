import { isObject, type JsonObject } from '@modelport/core'
import { ActionParseError } from './action-parse-error.js'
import { findJsonObject } from './json-object.js'

/** A call found in text. */
export interface TextCall {
  readonly tool: string
  readonly args: JsonObject
}

/** A reply of text mode: calls, or final text. */
export interface TextReply {
  readonly calls: readonly TextCall[]
  /** The text outside of the calls, without a leading reasoning block. */
  readonly text: string
}

const open = '<tool_call>'
const close = '</tool_call>'
const reasoning = /^\s*<(think|thinking|thought|reasoning)>([^]*?)<\/\1>/i
const openReasoning = /^\s*<(think|thinking|thought|reasoning)>/i

/**
 * Reads the `<tool_call>` blocks of a reply. A reply without one is final, unless it is nothing but
 * the JSON of a call.
 * @throws {ActionParseError} `protocol` — a block is cut off or holds no call, or there is nothing
 * at all.
 */
export function parseTextReply(raw: string, tools: readonly string[]): TextReply {
  const body = raw.replace(reasoning, '').trim()
  const refuse = (feedback: string): never => {
    throw new ActionParseError({ feedback, rawResponse: raw })
  }
  if (openReasoning.test(body)) refuse('Your reasoning has no end: close it, then answer.')
  if (!body.includes(open)) {
    const call = toTextCall(body, tools)
    if (call) return { calls: [call], text: '' }
    if (!body) refuse('Your reply was empty.')
    return { calls: [], text: body }
  }
  const [before = '', ...blocks] = body.split(open)
  const calls: TextCall[] = []
  let text = before
  for (const block of blocks) {
    const end = block.indexOf(close)
    const source = end < 0 ? block : block.slice(0, end)
    if (end >= 0) text += block.slice(end + close.length)
    const call = toTextCall(source, undefined)
    if (call) calls.push(call)
    else
      refuse('Invalid <tool_call>: it must hold {"name": NAME, "arguments": ARGS} and be closed.')
  }
  return { calls, text: text.trim() }
}

/**
 * The call a JSON object of the usual form stands for: `name` with `arguments` or `parameters`, and
 * no other key.
 * @param tools names a call must have; undefined takes any
 */
export function toNamedCall(
  value: Readonly<Record<string, unknown>>,
  tools: readonly string[] | undefined,
): TextCall | undefined {
  const { name, arguments: given, parameters, ...rest } = value
  if (
    typeof name !== 'string' ||
    Object.keys(rest).length ||
    (given !== undefined && parameters !== undefined)
  )
    return undefined
  if (tools && !tools.includes(name)) return undefined
  const args = given ?? parameters ?? {}
  return isObject(args) ? { tool: name, args } : undefined
}

function toTextCall(source: string, tools: readonly string[] | undefined): TextCall | undefined {
  if (tools && !source.startsWith('{')) return undefined
  const found = findJsonObject(source)
  if (!found.ok || (tools && found.repairs.length)) return undefined
  return toNamedCall(found.value, tools)
}

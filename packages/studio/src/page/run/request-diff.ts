import { isObject } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { Exchange } from '../../protocol/protocol.js'
import type { RequestAbout } from '../../protocol/sent-request.js'

/** A field of a request that differs from the request before. */
export interface FieldChange {
  readonly name: string
  /** Its value as JSON. Unset: the request before did not have it. */
  readonly before?: string
  /** Unset: this request does not have it. */
  readonly after?: string
}

type Fields = ReadonlyMap<string, string>

/** Fields of the conversation, which grows with each request and is shown as messages. */
const ofConversation = new Set(['messages', 'input', 'contents'])

/** The fields of a body besides the conversation; none of a body that is not a JSON object. */
function fieldsOf({ requestBody }: Exchange): Fields {
  const body = tryParseJson(requestBody)
  if (!isObject(body)) return new Map()
  return new Map(
    Object.entries(body)
      .filter(([name]) => !ofConversation.has(name))
      .map(([name, value]) => [name, JSON.stringify(value)]),
  )
}

/** What differs between two requests, besides the conversation. */
export const requestChanges = (one: Exchange, other: Exchange): readonly FieldChange[] =>
  changesBetween(fieldsOf(one), fieldsOf(other))

/** What differs between two requests of a program, besides the conversation. */
export const aboutChanges = (one: RequestAbout, other: RequestAbout): readonly FieldChange[] =>
  changesBetween(aboutFields(one), aboutFields(other))

function aboutFields({ model, system, tools, options }: RequestAbout): Fields {
  const values = [
    ['model', model],
    ['system', system],
    ...Object.entries(options),
    ...tools.map((tool) => [`tool ${tool.name}`, tool] as const),
  ] as const
  return new Map(
    values.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, JSON.stringify(value)] as const],
    ),
  )
}

function changesBetween(old: Fields, now: Fields): readonly FieldChange[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const before = old.get(name)
    const after = now.get(name)
    if (before === after) return []
    return [
      { name, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
    ]
  })
}

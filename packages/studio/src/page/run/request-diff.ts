import { isObject } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { Exchange } from '../../protocol/protocol.js'

/** A field of a request that differs from the request before. */
export interface FieldChange {
  readonly name: string
  /** Its value as JSON. Unset: the request before did not have it. */
  readonly before?: string
  /** Unset: this request does not have it. */
  readonly after?: string
}

/** Fields of the conversation, which grows with each request and is shown as messages. */
const ofConversation = new Set(['messages', 'input', 'contents'])

/** The fields of a body besides the conversation; none of a body that is not a JSON object. */
function fieldsOf({ requestBody }: Exchange): ReadonlyMap<string, string> {
  const body = tryParseJson(requestBody)
  if (!isObject(body)) return new Map()
  return new Map(
    Object.entries(body)
      .filter(([name]) => !ofConversation.has(name))
      .map(([name, value]) => [name, JSON.stringify(value)]),
  )
}

/** What differs between two requests, besides the conversation. */
export function requestChanges(one: Exchange, other: Exchange): readonly FieldChange[] {
  const old = fieldsOf(one)
  const now = fieldsOf(other)
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const before = old.get(name)
    const after = now.get(name)
    if (before === after) return []
    return [
      { name, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
    ]
  })
}

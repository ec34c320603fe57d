import { asText } from '@modelport/core'
import type { Sink } from '@modelport/driver'
import { asObject, type WireToolCall } from './wire.js'

interface OpenCall {
  /** The key that the sink knows the call by. */
  readonly key: number | string
  /** How many calls came before. */
  readonly place: number
  id: string
  name: string
  /** Arguments that came as an object, not as text. */
  value?: object
  /** Input of a custom tool so far: any text, not JSON. */
  input?: string
}

/** A delta of a call. */
interface CallDelta {
  readonly id: string
  readonly name: string
  /** More of the text of the arguments, or all of them as an object. */
  readonly value: unknown
  /** True for a tool whose input is any text, not JSON. */
  readonly isCustom: boolean
}

function toDelta({ id, function: body, custom }: Partial<WireToolCall>): CallDelta {
  const { name: customName, input } = asObject(custom)
  const { name, arguments: value = input } = asObject(body)
  return {
    id: asText(id),
    name: asText(name) || asText(customName),
    value,
    // Some servers send an empty one next to the function.
    isCustom: Boolean(custom && !body),
  }
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * True if a delta begins another call at the place of a known one: some servers give every call the
 * same index. It has another name, or another id and a name.
 */
function isOfAnother(call: OpenCall, id: string, name: string): boolean {
  if (!name) return false
  const hasOtherName = call.name !== '' && name !== call.name
  const hasOtherId = id !== '' && call.id !== '' && id !== call.id
  return hasOtherName || hasOtherId
}

/** Assigns the deltas of tool calls to their calls, which servers number in many ways. */
export class ToolCallReader {
  readonly #sink: Sink
  /** Calls by the wire's index or id. */
  readonly #calls = new Map<unknown, OpenCall>()
  #last: OpenCall | undefined
  #count = 0
  readonly #custom = new Set<OpenCall>()

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /**
   * Passes a delta on to the sink. Returns the call's place in the message; undefined if the delta
   * is empty.
   */
  read(wire: Partial<WireToolCall>): number | undefined {
    const delta = toDelta(wire)
    const call = this.#callOf(wire.index, delta)
    if (!call) return undefined

    const { id, name, value } = delta
    call.id ||= id
    call.name ||= name
    this.#last = call

    if (delta.isCustom) this.#custom.add(call)
    if (this.#custom.has(call)) call.input = (call.input ?? '') + asText(value)

    if (typeof value === 'string') {
      if (value && call.value) this.#writeAsText(call)
      this.#sink.toolCall(call.key, { id, name, text: value })
    } else if (value && !isEmptyObject(value)) {
      if (typeof value === 'object') call.value = value
      this.#sink.toolCall(call.key, { id, name, value })
    } else {
      // Some servers begin a call with an empty object and send its text afterwards.
      this.#sink.toolCall(call.key, { id, name })
    }
    return call.place
  }

  /** The call that a delta belongs to, a new one if need be; undefined if the delta is empty. */
  #callOf(index: unknown, { id, name, value }: CallDelta): OpenCall | undefined {
    const slot = index ?? (id || `#${this.#count}`)
    // A delta of an unknown call without id and name continues the last call, whatever its index.
    const call = this.#calls.get(slot) ?? (id || name ? undefined : this.#last)
    if (call && !isOfAnother(call, id, name)) return call
    if (!call && !id && !name && !value) return undefined

    const place = this.#count++
    const key = call || typeof slot !== 'number' ? `${place}:${id}` : slot
    const added: OpenCall = { key, place, id, name }
    this.#calls.set(slot, added)
    return added
  }

  /**
   * Text after a whole object continues nothing: both together are not JSON, and the call is
   * refused.
   */
  #writeAsText(call: OpenCall): void {
    const text = JSON.stringify(call.value)
    delete call.value
    this.#sink.toolCall(call.key, { value: {} })
    this.#sink.toolCall(call.key, { text })
  }

  /**
   * The reply is over: the text of a custom tool becomes its argument `input`, as in the Responses
   * API. Returns the places of such calls.
   */
  end(): readonly number[] {
    return [...this.#custom].map(({ key, place, input }) => {
      this.#sink.toolCall(key, { value: { input } })
      return place
    })
  }
}

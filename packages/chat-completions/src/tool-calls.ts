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
  read({ index, id: wireId, function: body, custom }: Partial<WireToolCall>): number | undefined {
    const id = asText(wireId)
    const { name: wireName, arguments: value = asObject(custom)['input'] } = asObject(body)
    // Some servers begin a call with an empty object and send its text afterwards.
    const begins = typeof value === 'object' && value !== null && !Object.keys(value).length
    const name = asText(wireName) || asText(asObject(custom)['name'])
    const slot = index ?? (id || `#${this.#count}`)
    // A delta of an unknown call without id and name continues the last call, whatever its index.
    let call = this.#calls.get(slot) ?? (id || name ? undefined : this.#last)
    if (!call && !id && !name && !value) return undefined
    // Some servers give every call the same index: another name, or another id with a name, is
    // another call.
    if (
      !call ||
      (name && ((call.name && name !== call.name) || (id && call.id && id !== call.id)))
    ) {
      const place = this.#count++
      call = { key: call || typeof slot !== 'number' ? `${place}:${id}` : slot, place, id, name }
      this.#calls.set(slot, call)
    }
    call.id ||= id
    call.name ||= name
    this.#last = call
    // Some servers send an empty one next to the function.
    if (custom && !body) this.#custom.add(call)
    if (this.#custom.has(call)) call.input = (call.input ?? '') + asText(value)
    if (typeof value === 'object' && value !== null && !begins) call.value = value
    // Text after a whole object continues nothing: both together are not JSON, and the call is
    // refused.
    else if (value && typeof value === 'string' && call.value) {
      const before = JSON.stringify(call.value)
      delete call.value
      this.#sink.toolCall(call.key, { value: {} })
      this.#sink.toolCall(call.key, { text: before })
    }
    this.#sink.toolCall(call.key, {
      id,
      name,
      ...(typeof value === 'string' ? { text: value } : value && !begins ? { value } : {}),
    })
    return call.place
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

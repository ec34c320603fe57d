import { isObject, LlmError, type StreamEvent, type ToolCall } from '@modelport/core'
import type { ToolCallDelta } from '../base/driver.js'
import type { ResponseLimits } from '../base/limits.js'
import { TextBuffer } from '../base/text-buffer.js'
import { parseToolArguments } from './tool-arguments.js'

interface OpenCall {
  readonly key: number | string
  id: string
  name: string
  readonly text: TextBuffer
  value: unknown
  started: boolean
  ended: boolean
  /** The finished call, once it is emitted. */
  done: ToolCall | undefined
}

/**
 * Collects the deltas of a turn's tool calls; the only place that does. Each delta and each end
 * takes time that does not grow with the number of calls.
 */
export class ToolCallBuffer {
  readonly #calls = new Map<number | string, OpenCall>()
  /** The calls in order: by number if all keys are numbers, else as they came. */
  #order: OpenCall[] = []
  #numeric = true
  /** All calls before this one are emitted. */
  #nextToEmit = 0
  /**
   * The number that last made an id unique, by the id that the server sent ('' for none), so that
   * the search does not begin at 1 for every call.
   */
  readonly #lastTried = new Map<string, number>()
  readonly #emit: (event: StreamEvent) => void
  readonly #limits: ResponseLimits
  readonly #usedIds: Set<string>
  /** True once `hold` was called. */
  #held = false

  /** `usedIds` holds the ids of the whole conversation; ids given out here are added to it. */
  constructor(emit: (event: StreamEvent) => void, limits: ResponseLimits, usedIds: Set<string>) {
    this.#emit = emit
    this.#limits = limits
    this.#usedIds = usedIds
  }

  get size(): number {
    return this.#calls.size
  }

  push(key: number | string, piece: ToolCallDelta): void {
    const call = this.#calls.get(key) ?? this.#add(key)
    call.id ||= piece.id ?? ''
    call.name ||= piece.name ?? ''
    if (piece.value !== undefined) call.value = piece.value
    const text = piece.text ?? ''
    if (!call.started && call.name && (call.id || text)) this.#start(call)
    if (!text || call.ended) return
    // Some servers send `{}` until the first text comes.
    if (isEmptyObject(call.value)) call.value = undefined
    call.text.add(text)
    this.#checkLength(call.name, call.text.length)
    if (call.started) this.#emit({ type: 'tool-call-delta', id: call.id, text })
  }

  /**
   * Ends one call; it is emitted once all calls before it are. A call without arguments waits for
   * `endAll`: only the finish reason says whether it has none or was cut before them.
   */
  end(key: number | string): void {
    const call = this.#calls.get(key)
    if (!call) return
    call.ended = true
    if (!this.#held) this.#emitEnded()
  }

  /**
   * From now on ends are only noted: `endAll` emits them, once it is known that the reply is whole.
   */
  hold(): void {
    this.#held = true
  }

  /**
   * Ends all calls and emits those that were not yet, in order. `cut`: the reply was cut, so a call
   * without arguments is unfinished.
   */
  endAll(cut = false): void {
    for (const call of this.#order) this.#complete(call, cut)
    this.#nextToEmit = this.#order.length
  }

  /** The calls so far, in order; unfinished ones have `error`. */
  toolCalls(): readonly ToolCall[] {
    return this.#order.filter((call) => call.name).map((call) => call.done ?? unfinished(call))
  }

  finishedCalls(): readonly ToolCall[] {
    return this.#order.flatMap(({ done }) => done ?? [])
  }

  /** @throws {LlmError} `limit-exceeded` */
  #add(key: number | string): OpenCall {
    const { maxToolCalls } = this.#limits
    if (this.#calls.size >= maxToolCalls)
      throw new LlmError('limit-exceeded', `the turn has more than ${maxToolCalls} tool calls`)
    const text = new TextBuffer()
    const call = {
      key,
      id: '',
      name: '',
      text,
      value: undefined,
      started: false,
      ended: false,
      done: undefined,
    }
    this.#calls.set(key, call)
    const position = this.#positionOf(key)
    this.#order.splice(position, 0, call)
    this.#nextToEmit = Math.min(this.#nextToEmit, position)
    return call
  }

  /**
   * Where the call that was just added to `#calls` belongs. The first key that is not a number
   * changes the order to that of arrival, for earlier calls too.
   */
  #positionOf(key: number | string): number {
    if (this.#numeric && typeof key !== 'number') {
      this.#numeric = false
      // Without the new call, which the caller inserts.
      this.#order = [...this.#calls.values()].slice(0, -1)
      this.#nextToEmit = 0
    }
    let high = this.#order.length
    if (!this.#numeric) return high

    // A binary search: a server may send thousands of calls.
    let low = 0
    while (low < high) {
      const middle = (low + high) >> 1
      if (Number(this.#order[middle]?.key) < Number(key)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Emits the calls that have ended, up to the first one that may still grow. */
  #emitEnded(): void {
    for (
      let call = this.#order[this.#nextToEmit];
      call?.ended;
      call = this.#order[this.#nextToEmit]
    ) {
      if (!call.done && isBare(call)) return
      this.#complete(call)
      this.#nextToEmit++
    }
  }

  #start(call: OpenCall): void {
    call.id = this.#uniqueId(call.id)
    this.#usedIds.add(call.id)
    call.started = true
    this.#emit({ type: 'tool-call-start', toolCall: { id: call.id, name: call.name } })
    if (call.text.length) this.#emit({ type: 'tool-call-delta', id: call.id, text: call.text.text })
  }

  /** The id of the server, with a number after it if another call has the id. */
  #uniqueId(serverId: string): string {
    if (serverId && !this.#usedIds.has(serverId)) return serverId

    let number = Math.max(this.#lastTried.get(serverId) ?? 0, serverId ? 1 : this.#usedIds.size)
    let id: string
    do id = `${serverId || 'call'}_${++number}`
    while (this.#usedIds.has(id))
    this.#lastTried.set(serverId, number)
    return id
  }

  #complete(call: OpenCall, cut = false): void {
    call.ended = true
    if (call.done) return
    if (!call.name) throw new LlmError('protocol', 'the server sent a tool call without a name')
    if (!call.started) this.#start(call)
    call.done = cut && isBare(call) ? unfinished(call) : this.#toToolCall(call)
    this.#emit({ type: 'tool-call-complete', toolCall: call.done })
  }

  #toToolCall({ id, name, text: { text }, value }: OpenCall): ToolCall {
    const json = value === undefined ? text : this.#stringify(name, value)
    this.#checkLength(name, json.length)
    // Text that came next to an object stays as received; the object is its meaning.
    return { id, name, ...parseToolArguments(json, this.#limits), argumentsText: text || json }
  }

  /** @throws {LlmError} `limit-exceeded` */
  #checkLength(name: string, length: number): void {
    const { maxToolArgumentLength } = this.#limits
    if (length > maxToolArgumentLength)
      throw new LlmError(
        'limit-exceeded',
        `the arguments of "${name}" are longer than ${maxToolArgumentLength}`,
      )
  }

  #stringify(name: string, value: unknown): string {
    try {
      return JSON.stringify(value)
    } catch {
      // Parsed JSON can only fail here by overflowing the stack.
      throw new LlmError(
        'limit-exceeded',
        `the arguments of "${name}" are nested deeper than ${this.#limits.maxToolArgumentDepth}`,
      )
    }
  }
}

const isEmptyObject = (value: unknown): boolean => isObject(value) && !Object.keys(value).length

/** True while no argument of the call has come. */
const isBare = ({ value, text }: OpenCall): boolean => value === undefined && !text.text.trim()

/** A call that may be incomplete: even if its arguments parse so far, it must not be executed. */
const unfinished = ({ id, name, text }: OpenCall): ToolCall => ({
  id,
  name,
  arguments: {},
  argumentsText: text.text,
  error: 'the reply ended before the call did',
})

import { LlmError, type StreamEvent, type ToolCall } from '@modelport/core'
import type { ToolCallDelta } from './driver.js'
import type { Limits } from './limits.js'
import { TextBuffer } from './text-buffer.js'
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

/** Collects the pieces of a round's tool calls; the only place that does. */
export class ToolCallBuffer {
  readonly #calls = new Map<number | string, OpenCall>()
  readonly #emit: (event: StreamEvent) => void
  readonly #limits: Limits
  readonly #usedIds: Set<string>

  /** `usedIds` holds the ids of the whole conversation; ids given out here are added to it. */
  constructor(emit: (event: StreamEvent) => void, limits: Limits, usedIds: Set<string>) {
    this.#emit = emit
    this.#limits = limits
    this.#usedIds = usedIds
  }

  get size(): number {
    return this.#calls.size
  }

  push(key: number | string, piece: ToolCallDelta): void {
    let call = this.#calls.get(key)
    if (!call) {
      call = {
        key,
        id: '',
        name: '',
        text: new TextBuffer(),
        value: undefined,
        started: false,
        ended: false,
        done: undefined,
      }
      this.#calls.set(key, call)
    }
    call.id ||= piece.id ?? ''
    call.name ||= piece.name ?? ''
    if (piece.value !== undefined) call.value = piece.value
    const text = piece.text ?? ''
    if (!call.started && call.name && (call.id || text)) this.#start(call)
    if (!text || call.ended) return
    call.text.add(text)
    this.#checkLength(call.name, call.text.length)
    if (call.started) this.#emit({ type: 'tool-call-delta', id: call.id, text })
  }

  /** Ends one call; it is emitted once all calls before it are. */
  end(key: number | string): void {
    const call = this.#calls.get(key)
    if (!call) return
    call.ended = true
    for (const earlier of this.#ordered()) {
      if (!earlier.ended) return
      this.#complete(earlier)
    }
  }

  /** Ends all calls and emits what was not yet, in order. */
  endAll(): void {
    for (const call of this.#ordered()) {
      call.ended = true
      this.#complete(call)
    }
  }

  /** The calls so far, in order; unfinished ones have `error`. */
  toolCalls(): readonly ToolCall[] {
    return this.#ordered()
      .filter((call) => call.name)
      .map((call) => call.done ?? unfinished(call))
  }

  /** The finished calls: those that may be answered. */
  finishedCalls(): readonly ToolCall[] {
    return this.#ordered().flatMap(({ done }) => done ?? [])
  }

  #ordered(): OpenCall[] {
    const calls = [...this.#calls.values()]
    const numeric = calls.every((call) => typeof call.key === 'number')
    return numeric ? calls.sort((a, b) => Number(a.key) - Number(b.key)) : calls
  }

  #start(call: OpenCall): void {
    const wanted = call.id
    let count = wanted ? 2 : this.#usedIds.size + 1
    if (!wanted) call.id = `call_${count}`
    while (this.#usedIds.has(call.id)) call.id = wanted ? `${wanted}_${count++}` : `call_${++count}`
    this.#usedIds.add(call.id)
    call.started = true
    this.#emit({ type: 'tool-call-start', toolCall: { id: call.id, name: call.name } })
    if (call.text.length) this.#emit({ type: 'tool-call-delta', id: call.id, text: call.text.text })
  }

  #complete(call: OpenCall): void {
    if (call.done) return
    if (!call.name) throw new LlmError('protocol', 'the server sent a tool call without a name')
    if (!call.started) this.#start(call)
    call.done = this.#toToolCall(call)
    this.#emit({ type: 'tool-call-complete', toolCall: call.done })
  }

  #toToolCall({ id, name, text: { text }, value }: OpenCall): ToolCall {
    const json = value === undefined ? text : this.#stringify(name, value)
    this.#checkLength(name, json.length)
    return { id, name, ...parseToolArguments(json, this.#limits), argumentsText: text || json }
  }

  /** @throws {LlmError} `limit-exceeded` */
  #checkLength(name: string, length: number): void {
    const { maxToolArgumentLength } = this.#limits
    if (length > maxToolArgumentLength)
      throw new LlmError('limit-exceeded', `the arguments of "${name}" are longer than ${maxToolArgumentLength}`)
  }

  #stringify(name: string, value: unknown): string {
    try {
      return JSON.stringify(value)
    } catch {
      // The one thing that parsed JSON can fail at: the stack.
      throw new LlmError(
        'limit-exceeded',
        `the arguments of "${name}" are nested deeper than ${this.#limits.maxToolArgumentDepth}`,
      )
    }
  }
}

/** A call of which more may come: however its text reads so far, it must not be executed. */
const unfinished = ({ id, name, text }: OpenCall): ToolCall => ({
  id,
  name,
  arguments: {},
  argumentsText: text.text,
  error: 'the answer ended before the call did',
})

import type { PartialArg } from '@google/genai'
import { LlmError } from '@modelport/core'
import { stringOf } from '@modelport/driver'

/** One step of a JSON path: a name or an index. */
const step = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

type Holder = Record<string, unknown> | unknown[]

/**
 * Arguments that come value by value, each with its JSON path (Vertex AI,
 * `streamFunctionCallArguments`).
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling (read
 * 2026-11-21)
 */
export class PartialArguments {
  /** The arguments so far. */
  readonly value: Record<string, unknown> = {}
  /** The path of the string that the next delta continues. */
  #growing: string | undefined

  /** True while a string is not whole. */
  get growing(): boolean {
    return this.#growing !== undefined
  }

  /** Takes arguments that came whole, next to the ones that come value by value. */
  assign(args: unknown): void {
    if (isHolder(args))
      for (const [name, value] of Object.entries(args)) write(this.value, name, value)
  }

  /** @throws {LlmError} `protocol` — the path does not parse or leaves a gap. */
  add(piece: PartialArg): void {
    const path = stringOf(piece.jsonPath) ?? ''
    const steps = parsePath(path)
    const last = steps.pop()
    if (last === undefined)
      throw new LlmError(
        'protocol',
        `google: protocol: the argument path ${JSON.stringify(path)} does not parse`,
      )
    let holder: Holder = this.value
    steps.forEach((key, index) => {
      const following = steps[index + 1] ?? last
      const inner = read(holder, key)
      if (isHolder(inner)) {
        holder = inner
        return
      }
      const made: Holder = typeof following === 'number' ? [] : {}
      write(holder, key, made)
      holder = made
    })
    const before = this.#growing === path ? read(holder, last) : undefined
    const value = valueOf(piece)
    write(
      holder,
      last,
      typeof before === 'string' && typeof value === 'string' ? before + value : value,
    )
    this.#growing = piece.willContinue && typeof value === 'string' ? path : undefined
  }
}

function valueOf({ stringValue, numberValue, boolValue }: PartialArg): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null
}

function parsePath(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  if (!path.startsWith('$')) return steps
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (!match) return []
    const [, name, index, single, double] = match
    steps.push(
      index === undefined
        ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1'))
        : Number(index),
    )
  }
  return steps
}

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

function read(holder: Holder, key: string | number): unknown {
  return Object.hasOwn(holder, key) ? (holder as Record<string | number, unknown>)[key] : undefined
}

/** Defines, never assigns: a name like `__proto__` must not reach a prototype. */
function write(holder: Holder, key: string | number, value: unknown): void {
  if (
    Array.isArray(holder) !== (typeof key === 'number') ||
    (Array.isArray(holder) && Number(key) > holder.length)
  ) {
    throw new LlmError(
      'protocol',
      `google: protocol: the argument path steps to ${JSON.stringify(key)}, which has no place there`,
    )
  }
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

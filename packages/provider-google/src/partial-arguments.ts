import type { PartialArg } from '@google/genai'
import { LlmError } from '@modelport/core'
import { stringOf } from '@modelport/driver'

/** One step of a JSON path: a name or an index. */
const step =
  /\.(?<name>[^.[\]]+)|\[(?<index>\d+)\]|\[(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")\]/y

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
  #growingPath: string | undefined

  /** True while a string is not whole. */
  get growing(): boolean {
    return this.#growingPath !== undefined
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
    for (const [index, key] of steps.entries())
      holder = holderAt(holder, key, steps[index + 1] ?? last)

    const value = valueOf(piece)
    const before = this.#growingPath === path ? read(holder, last) : undefined
    const isContinued = typeof before === 'string' && typeof value === 'string'
    write(holder, last, isContinued ? before + value : value)
    this.#growingPath = piece.willContinue && typeof value === 'string' ? path : undefined
  }
}

/** The object or list at a key, made if there is none; `next` is the key in it. */
function holderAt(holder: Holder, key: string | number, next: string | number): Holder {
  const inner = read(holder, key)
  if (isHolder(inner)) return inner
  const newHolder: Holder = typeof next === 'number' ? [] : {}
  write(holder, key, newHolder)
  return newHolder
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
    const { name, index, single, double } = match.groups ?? {}
    if (index !== undefined) steps.push(Number(index))
    else steps.push(name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1'))
  }
  return steps
}

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

function read(holder: Holder, key: string | number): unknown {
  return Object.hasOwn(holder, key) ? (holder as Record<string | number, unknown>)[key] : undefined
}

/** Defines, never assigns: a name like `__proto__` must not reach a prototype. */
function write(holder: Holder, key: string | number, value: unknown): void {
  const hasPlace = Array.isArray(holder)
    ? typeof key === 'number' && key <= holder.length
    : typeof key === 'string'
  if (!hasPlace) {
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

import type { LlmError } from './error.js'
import type { JsonObject, ToolChoice, ToolDefinition } from './tool.js'
import { isObject } from './unknown-values.js'

/** Format of the reply: `json` is any JSON object, `json-schema` JSON that fits the schema. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema'
      readonly schema: JsonObject
      readonly name?: string
      readonly strict?: boolean
    }

/** An attempt that failed and will be followed by another. */
export interface RetryNotice {
  /** Number of the attempt that failed; the first is 1. */
  readonly attempt: number
  /** Milliseconds until the next attempt. */
  readonly delayMs: number
  /** The error that it failed with. */
  readonly error: LlmError
}

/** What is reported of a response before its body is read. */
export interface ResponseNotice {
  /** The status of HTTP. */
  readonly status: number
  /** The headers, such as those of rate limits. */
  readonly headers: Headers
}

/** The attempts of a call: how many there may be, and the callbacks of each. */
export interface RetryOptions {
  /** Attempts in all, the first included: 1 to 5. Default 3. */
  readonly attempts?: number | undefined
  /**
   * Called before each retry, ahead of the wait for it. If it returns a promise, that is awaited
   * first. An error that it throws or rejects with ends the call instead.
   */
  readonly onRetry?: ((notice: RetryNotice) => unknown) | undefined
  /**
   * Called with the response of each attempt, failed ones included, before `onRetry`. An error that
   * it throws or rejects with is ignored. Never called for a model that is not reached by HTTP.
   */
  readonly onResponse?: ((response: ResponseNotice) => unknown) | undefined
}

/**
 * Options of one call. A field that is not set, or `undefined`, leaves the default as it is; `null`
 * clears any default, and sends nothing; 0 and '' are values.
 */
export type CallOptions = {
  readonly [Name in keyof OptionValues]?: OptionValues[Name] | null | undefined
}

/** The values that {@link CallOptions} may have. */
export interface OptionValues {
  /** Instructions, sent before the messages. */
  readonly system?: string
  /**
   * Maximum tokens to generate, at least 1. Unset: none is sent, and the vendor's own limit counts.
   * Exceptions: an API that requires a number gets the largest of the model; a server that you run
   * yourself gets 4096; a run with a limit of tokens or money sends what it reserves.
   */
  readonly maxTokens?: number
  /** Randomness, 0 to 2. Unset: none is sent. */
  readonly temperature?: number
  /** Nucleus sampling, 0 to 1. */
  readonly topP?: number
  /** Sample from the k likeliest tokens, at least 1. */
  readonly topK?: number
  /** Texts at which generation stops. */
  readonly stop?: readonly string[]
  /** Seed for vendors that take one; a whole number. */
  readonly seed?: number
  /** Tools for `generate`; `streamWithTools` takes its own. */
  readonly tools?: readonly ToolDefinition[]
  /** Whether and which tool the model has to call. Unset: the vendor's default, `auto`. */
  readonly toolChoice?: ToolChoice
  /** False allows one tool call a turn. */
  readonly parallelToolCalls?: boolean
  /** Format of the reply. Default: text. */
  readonly responseFormat?: ResponseFormat
  /**
   * How much the model should think first; a level that it does not have is refused. Unset: the
   * model's default.
   */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  /**
   * `auto` marks the stable start of the prompt for the vendor's cache, if the vendor takes marks;
   * `hour` asks to keep it for an hour instead of the usual minutes, where the vendor has that.
   */
  readonly cache?: 'auto' | 'hour' | 'none'
  /** Report this many likeliest tokens at each position, 0 to 20. */
  readonly topLogprobs?: number
  /** Tools the vendor runs itself, in the vendor's own form. */
  readonly providerTools?: readonly JsonObject[]
  /**
   * Fields added to the request as they are, over everything else; `headers` is added to the HTTP
   * headers, and `model` is refused.
   */
  readonly vendor?: JsonObject
  /** Aborts the call; reads then reject with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Maximum milliseconds for the whole call, all attempts and waits included. Default: none. */
  readonly deadlineMs?: number
  /** How often the call may be tried. */
  readonly retry?: RetryOptions
}

/** The values of merged options, without those that `null` cleared. */
export function withoutNulls(options: CallOptions): OptionValues {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options))
    if (value !== null && value !== undefined) values[name] = value
  return values
}

/**
 * `maxTokens` where a number is needed and nobody set one: for servers that their users run, which
 * may never stop by themselves, for calls whose reply a budget reserves, and for
 * `defaults: 'reference'`.
 */
export const defaultMaxTokens = 4096

/**
 * Merges options from left to right: a later value wins, `null` too, which clears what was before;
 * `undefined` never erases. `vendor` is merged deep, as it is into the request, and `retry` by
 * field. A `null` stays in the result, so that it also clears the defaults of whoever gets it.
 */
export const mergeOptions = (...options: readonly (CallOptions | undefined)[]): CallOptions =>
  options.reduce<Record<string, unknown>>((merged, option) => mergeInto(merged, option ?? {}), {})

function mergeInto(
  merged: Record<string, unknown>,
  changes: JsonObject,
  deep = false,
): Record<string, unknown> {
  for (const key of Object.keys(changes)) {
    const value = changes[key]
    const own = merged[key]
    const inner = deep || key === 'vendor' || key === 'retry'
    // Objects of different types are alternatives: the later one replaces the other.
    if (
      inner &&
      isObject(own) &&
      isObject(value) &&
      (own['type'] ?? value['type']) === (value['type'] ?? own['type'])
    )
      merged[key] = mergeInto({ ...own }, value, true)
    else if (value !== undefined) merged[key] = value
  }
  return merged
}

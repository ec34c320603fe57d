import {
  type CallOptions,
  type Capabilities,
  configError,
  defaultMaxTokens,
  type ModelProfile,
  type RetryOptions,
} from '@modelport/core'
import type { Clock } from '../base/clock.js'
import type { Fetch } from '../base/driver.js'
import type { ResponseLimits, Timeouts } from '../base/limits.js'
import type { RetryBucket } from './retry.js'

/** The temperature of `defaults: 'reference'`, for models that take one. */
export const referenceTemperature = 0.7

/**
 * The default call options of a configuration. The temperature of `'reference'` is not among them:
 * it depends on the turn.
 * @throws {LlmError} `config` — they are neither options nor one of the two words.
 */
export function toDefaultOptions(defaults: CommonConfig['defaults']): CallOptions {
  if (defaults === 'vendor') return { maxTokens: null, temperature: null }
  if (defaults === 'reference') return { maxTokens: defaultMaxTokens }
  if (defaults !== undefined && (typeof defaults !== 'object' || Array.isArray(defaults)))
    throw configError(
      `defaults must be an object of call options, 'vendor' or 'reference', not ${JSON.stringify(defaults)}`,
    )
  return defaults ?? {}
}

/** Configuration that every provider takes. */
export interface CommonConfig {
  /** The model to ask. */
  readonly model: string
  /** Default model for delegated work. Default: the provider's own, else `model`. */
  readonly cheapestModel?: string | undefined
  /**
   * What the application knows about the model. Changes no request: the runtime and `capabilities`
   * use it.
   */
  readonly profile?: ModelProfile | undefined
  /**
   * Options of every call; a call's own win. Default: nothing is sent that nobody set, but for
   * `maxTokens`: the model's largest where the API requires a number, and 4096 at a server of one's
   * own, which `'vendor'` leaves out as well. `'reference'` sends what the systems did that
   * modelport was made from: 4096 tokens, and temperature 0.7 if the model is known to take one.
   */
  readonly defaults?: CallOptions | 'vendor' | 'reference' | undefined
  /**
   * Headers added to every request; they win over the provider's own. Keys, tokens and cookies in
   * them are redacted.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the transport: Node's is a thin one over undici, elsewhere the platform's `fetch`. */
  readonly fetch?: Fetch | undefined
  /**
   * Address of an HTTP proxy, for example `http://proxy.local:3128`; with `user:password@` if it
   * requires them; they are redacted like a key. Node only. Default: none; proxy variables are not
   * read.
   */
  readonly proxy?: string | undefined
  /**
   * True refuses any host but the provider's own, before the connection opens. A list of
   * `host:port` replaces those.
   */
  readonly enforceHosts?: boolean | readonly string[] | undefined
  /** Time limits; the others keep their defaults. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Limits on what a server can make this process hold; the others keep their defaults. */
  readonly limits?: Partial<ResponseLimits> | undefined
  /** A bucket to share between providers of one host. Default: one of its own. */
  readonly retryBucket?: RetryBucket | undefined
  /**
   * Accepts a stream that ends without its terminal event, with finish reason `unknown`. Default
   * false.
   */
  readonly lenientEof?: boolean | undefined
  /**
   * Called with each response, failed ones included, for logs and rate-limit headers; of one call,
   * set `retry.onResponse` of its options. An error that it throws or rejects with is ignored.
   */
  readonly onResponse?: RetryOptions['onResponse']
  /**
   * Called with each warning of a reply, also from `complete` and `stream`, where nothing else
   * shows it: the warnings of `details()`, and that a reply was cut at `maxTokens`. An error that
   * it throws or rejects with is ignored.
   */
  readonly onWarning?: ((warning: string) => unknown) | undefined
  /** Multiplies the token estimate. Default: the provider's own factor, else 1. */
  readonly tokenFactor?: number | undefined
  /** Time and randomness, for tests. */
  readonly clock?: Clock | undefined
}

/** What a provider package hands to `createProvider` besides its driver. */
export interface ProviderSettings extends CommonConfig {
  /** Default model for delegated work. */
  readonly cheapestModel: string
  /** Every `host:port` the provider may contact: checked when `enforceHosts` is set. */
  readonly hosts: readonly string[]
  /**
   * True for a server that users run themselves, and a model in this process. Such a model may
   * never stop by itself, so a call that sets no `maxTokens` asks for 4096. Default false.
   */
  readonly selfHosted?: boolean | undefined
  /**
   * What the API and the model can do, profile applied. `describeProvider` gives it to the runtime.
   * Unset: not known.
   */
  readonly capabilities?: Capabilities | undefined
  /**
   * Keys and tokens to redact in every text that leaves. A function is called for each text: for
   * tokens that change.
   */
  readonly secrets?: readonly (string | undefined)[] | (() => readonly (string | undefined)[])
}

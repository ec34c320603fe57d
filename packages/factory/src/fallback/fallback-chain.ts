import {
  type AssistantMessage,
  type CallOptions,
  type ChatMessage,
  configError,
  type ErrorCode,
  isLlmError,
  type LlmError,
  mergeOptions,
  type Provider,
  type ProviderError,
  type RetryOptions,
} from '@modelport/core'
import { ProviderHealth } from './provider-health.js'

/** A change from one provider to the next. */
export interface FallbackSwitch {
  /** The provider that failed. */
  readonly from: Provider
  /** The one that is asked next. */
  readonly to: Provider
  /** Why. */
  readonly error: LlmError
}

/** When and how to switch. */
export interface FallbackOptions {
  /** Name of the whole. Default: that of the first provider. */
  readonly name?: string | undefined
  /**
   * Failures to switch on, `on_switch` in a configuration file. Default {@link fallbackCodes}.
   */
  readonly codes?: readonly ErrorCode[] | undefined
  /**
   * Attempts of each provider but the last, 1 to 5; the last has those of the call. Default: those
   * of the call, but a server that cannot be reached is not tried again.
   */
  readonly attempts?: number | undefined
  /** How long a provider that keeps failing is passed over, in milliseconds. Default 5000. */
  readonly coolDownMs?: number | undefined
  /**
   * Called on each change. If it throws or rejects, it is not called again; the call is not
   * affected.
   */
  readonly onSwitch?: ((change: FallbackSwitch) => void) | undefined
  /** Milliseconds, never going back; for tests. */
  readonly now?: (() => number) | undefined
}

/**
 * Failures that another provider may not have. A deadline that has passed is the caller's own and
 * never switches.
 */
export const fallbackCodes: readonly ErrorCode[] = Object.freeze<ErrorCode[]>([
  'auth',
  'permission',
  'not-found',
  'rate-limit',
  'quota-exhausted',
  'overloaded',
  'server',
  'network',
  'timeout',
  'truncated',
  'protocol',
  'redirect-refused',
])

interface Member {
  readonly provider: Provider
  readonly health: ProviderHealth
}

/** The providers of a fallback, in order, with their health. */
export class FallbackChain {
  /** Milliseconds, never going back. */
  readonly now: () => number
  /** Attempts of each provider but the last; undefined leaves them to the call. */
  readonly attempts: number | undefined
  readonly #members: readonly Member[]
  readonly #codes: ReadonlySet<ErrorCode>
  #onSwitch: ((change: FallbackSwitch) => unknown) | undefined

  constructor(providers: readonly Provider[], options: FallbackOptions) {
    const { codes = fallbackCodes, coolDownMs = 5000, now = () => performance.now() } = options
    // Other codes mean that the request is wrong, or that a switch would hide a mistake. `unknown`
    // may be anything.
    const wrong = codes.find((code) => code !== 'unknown' && !fallbackCodes.includes(code))
    if (wrong)
      throw configError(
        `createFallback: "${wrong}" must not switch: another provider would fail alike, or hide a mistake`,
      )
    const { attempts } = options
    if (attempts !== undefined && !(Number.isInteger(attempts) && attempts >= 1 && attempts <= 5))
      throw configError(
        `createFallback: attempts must be a whole number from 1 to 5, not ${String(attempts)}`,
      )
    if (!(coolDownMs >= 0))
      throw configError(`createFallback: coolDownMs must be 0 or more, not ${String(coolDownMs)}`)
    this.attempts = attempts
    this.#codes = new Set(codes)
    this.#onSwitch = options.onSwitch?.bind(options)
    this.now = now
    this.#members = providers.map((provider) => ({
      provider,
      health: new ProviderHealth(coolDownMs, now),
    }))
  }

  /**
   * Begins a call: merges the options and decides the order of the providers. If `messages` end
   * with results of tool calls, the provider that made the calls is asked first.
   */
  walk(options: readonly CallOptions[], messages: readonly ChatMessage[] = []): FallbackWalk {
    const writer = this.#writerOf(messages)
    const ready = this.#members.filter(({ health }) => !health.cooling)
    const first = ready.filter((member) => member === writer)
    // Those that cool down come last: if nothing else is left, asking is better than failing.
    const order = new Set([...first, ...ready, ...this.#members])
    return new FallbackWalk(this, [...order], mergeOptions(...options))
  }

  /** Makes a call that has no stream. */
  run<T>(
    options: readonly CallOptions[],
    ask: (provider: Provider, options: CallOptions) => Promise<T>,
    messages?: readonly ChatMessage[],
  ): Promise<T> {
    return this.walk(options, messages).tryEach(async (provider, call, succeeded) => {
      const reply = await ask(provider, call)
      succeeded()
      return reply
    })
  }

  /**
   * The member that wrote the last reply, if only results of its calls follow. A vendor may accept
   * no calls and no reasoning but its own.
   */
  #writerOf(messages: readonly ChatMessage[]): Member | undefined {
    const isResult = (message: ChatMessage): boolean =>
      message.role === 'tool' || (message.role === 'user' && message.byRun === true)
    const last = messages.findLast((message) => !isResult(message))
    if (last?.role !== 'assistant' || last === messages.at(-1)) return undefined
    const { origin }: AssistantMessage = last
    const named = this.#members.filter(({ provider }) => provider.name === origin?.provider)
    if (named.length < 2) return named[0]
    // Servers may name a model with its date.
    const possible = named.filter(({ provider }) => origin?.model.startsWith(provider.model))
    return possible.sort((a, b) => b.provider.model.length - a.provider.model.length)[0]
  }

  /** Calls `onSwitch`. */
  notify(change: FallbackSwitch): void {
    const disable = (): void => {
      this.#onSwitch = undefined
    }
    try {
      const reply = this.#onSwitch?.(change)
      if (reply instanceof Promise) reply.catch(disable)
    } catch {
      disable()
    }
  }

  /** True for a failure that another provider may not have. */
  switches(error: unknown): error is LlmError {
    if (!isLlmError(error) || !this.#codes.has(error.code)) return false
    return (error as Partial<ProviderError>).reason !== 'deadline'
  }
}

/** One call over the providers: each is asked at most once. */
export class FallbackWalk {
  readonly #chain: FallbackChain
  readonly #order: readonly Member[]
  readonly #options: CallOptions
  readonly #startedAt: number
  #position = 0

  constructor(chain: FallbackChain, order: readonly Member[], options: CallOptions) {
    this.#chain = chain
    this.#order = order
    this.#options = options
    this.#startedAt = chain.now()
  }

  /**
   * Asks the current provider, then the next ones until one replies. `signal` aborts in addition to
   * the signal of the caller.
   */
  async tryEach<T>(
    ask: (provider: Provider, options: CallOptions, succeeded: () => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    for (;;) {
      const { provider } = this.#current()
      try {
        return await ask(provider, this.#callOptions(signal), () => {
          this.succeeded()
        })
      } catch (error) {
        if (!(await this.moveOn(error))) throw error
      }
    }
  }

  /** Records that the current provider has begun to reply. */
  succeeded(): void {
    this.#current().health.record(true)
  }

  /** Moves to the next provider; returns false if the failure must reach the caller. */
  async moveOn(error: unknown): Promise<boolean> {
    if (this.#options.signal?.aborted || !this.#chain.switches(error)) return false
    const { provider, health } = this.#current()
    health.record(false, error)
    const next = this.#order[this.#position + 1]
    if (!next || this.#remainingMs() <= 0) return false
    this.#position++
    // Another provider is another attempt: `onRetry` counts attempts, and may refuse it.
    await this.#options.retry?.onRetry?.({
      attempt: (error as Partial<ProviderError>).attempts ?? 1,
      delayMs: 0,
      error,
    })
    this.#chain.notify({ from: provider, to: next.provider, error })
    return true
  }

  #current(): Member {
    const member = this.#order[this.#position]
    if (!member)
      throw new TypeError('createFallback: the list of providers is empty; pass at least one')
    return member
  }

  #remainingMs(): number {
    const { deadlineMs } = this.#options
    return deadlineMs === undefined || deadlineMs === null
      ? Infinity
      : deadlineMs - (this.#chain.now() - this.#startedAt)
  }

  /** The deadline spans all providers. */
  #callOptions(signal: AbortSignal | undefined): CallOptions {
    const own = this.#options.signal
    const joined = signal && own ? AbortSignal.any([own, signal]) : (signal ?? own)
    const { deadlineMs } = this.#options
    const hasNext = this.#position + 1 < this.#order.length
    const sharesDeadline = deadlineMs !== undefined && this.#position > 0
    return {
      ...this.#options,
      ...(hasNext && { retry: this.#retryBeforeNext() }),
      ...(joined && { signal: joined }),
      ...(sharesDeadline && { deadlineMs: Math.max(1, this.#remainingMs()) }),
    }
  }

  /** If another provider can be asked, an unreachable server is not waited for. */
  #retryBeforeNext(): RetryOptions {
    const { retry } = this.#options
    const { attempts } = this.#chain
    if (attempts !== undefined) return { ...retry, attempts }
    return {
      ...retry,
      onRetry: (notice) => {
        const { reason } = notice.error as Partial<ProviderError>
        if ((reason === 'refused' || reason === 'connect') && this.#chain.switches(notice.error))
          throw notice.error
        return retry?.onRetry?.(notice)
      },
    }
  }
}

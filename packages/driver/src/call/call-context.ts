import type { OptionValues, PartialReply, ResponseNotice, RetryOptions } from '@modelport/core'
import { headerSecrets, type Redact } from '@modelport/core'
import type { Clock } from '../base/clock.js'
import { systemClock } from '../base/clock.js'
import type { Fetch } from '../base/driver.js'
import { CallScope } from '../base/scope.js'
import { mergeHeaders } from '../config/check-config.js'
import { RetryBudget } from '../config/retry.js'
import { callObserver } from './call-observer.js'
import type { AnyDriver, ProviderState } from './provider-state.js'
import { sanitizeError } from './sanitize.js'

/** Everything the turns of one logical call share. */
export interface CallContext<Kind extends AnyDriver = AnyDriver> {
  readonly driver: Kind
  readonly config: ProviderState['config']
  readonly clock: Clock
  readonly scope: CallScope
  retries: RetryBudget
  readonly fetch: Fetch
  readonly allowedHosts: readonly string[] | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The caller's own observer of responses. */
  readonly onResponse: RetryOptions['onResponse']
  idempotencyKey: string
  readonly timeouts: ProviderState['timeouts']
  readonly limits: ProviderState['limits']
  readonly redact: Redact
  /** Ids of tool calls in this conversation. */
  readonly usedIds: Set<string>
}

/**
 * The context of a new call in a conversation that has these ids of tool calls. `partial` returns
 * what has arrived, for the deadline's error.
 * @throws the signal's reason when it is aborted already.
 */
export function createCallContext<Kind extends AnyDriver>(
  state: ProviderState<Kind>,
  options: OptionValues,
  usedIds: readonly string[],
  partial: () => PartialReply | undefined = () => undefined,
): CallContext<Kind> {
  const { driver, config } = state
  const clock = config.clock ?? systemClock
  const vendorHeaders = options.vendor?.['headers']
  const redact = state.redactWith(headerSecrets(vendorHeaders))
  const context: CallContext<Kind> = {
    ...state,
    clock,
    // Before the scope is made: an error here would leave a timer behind.
    headers: mergeHeaders(config.headers, vendorHeaders),
    onResponse: options.retry?.onResponse,
    scope: new CallScope(clock, driver.name, options.signal, options.deadlineMs, (error) =>
      sanitizeError(error, driver.name, redact, {
        attempts: context.retries.attempts,
        partial: partial(),
      }),
    ),
    retries: newRetries(state, options),
    idempotencyKey: newIdempotencyKey(),
    redact,
    usedIds: new Set(usedIds),
  }
  return context
}

/** Reports a response to the observer of the provider, then to that of the call. */
export function reportResponse(
  { config, onResponse }: Pick<CallContext, 'config' | 'onResponse'>,
  response: ResponseNotice,
): void {
  for (const observer of [config.onResponse, onResponse])
    if (observer)
      callObserver(() => observer({ status: response.status, headers: response.headers }))
}

/** Each turn is a request of its own: it has its own attempts and its own key. */
export function renewForTurn(
  context: CallContext,
  state: ProviderState,
  options: OptionValues,
): void {
  context.retries = newRetries(state, options)
  context.idempotencyKey = newIdempotencyKey()
}

/**
 * Pages that were not loaded over TLS have no `randomUUID`, which costs a twentieth of random
 * bytes.
 */
function newIdempotencyKey(): string {
  const { randomUUID } = crypto as Partial<Crypto>
  return `modelport-${randomUUID?.call(crypto) ?? crypto.getRandomValues(new BigUint64Array(2)).join('')}`
}

function newRetries({ config, bucket }: ProviderState, options: OptionValues): RetryBudget {
  return new RetryBudget(options.retry?.attempts ?? 3, bucket, config.clock ?? systemClock)
}

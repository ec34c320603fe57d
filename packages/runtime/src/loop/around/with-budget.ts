import {
  type CallOptions,
  type ChatMessage,
  defaultMaxTokens,
  type FinishReason,
  isLlmError,
  type ModelProfile,
  mergeOptions,
  type Provider,
  type RetryNotice,
  type StreamEvent,
  type TokenUsage,
  type ToolDefinition,
  type ToolResult,
  type ToolStreamReader,
  toUsage,
} from '@modelport/core'
import { BudgetLedger, type CallReservation, type RunBudget } from '../../budget/budget.js'
import { measureUsage } from '../../budget/metrics.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import { estimateOf } from '../../history/known-parts.js'
import { messagesTokens, toolTokens } from '../../history/message-tokens.js'
import { OuterReader } from '../../middleware/outer-reader.js'
import type { ProviderCall } from '../../middleware/provider-call.js'
import { wrapProvider } from '../../middleware/wrap-provider.js'
import { withDescription } from '../request/with-description.js'

/** Settings of {@link withBudget}. */
export interface ProviderBudgetOptions {
  /** Prices, for budgets of money. Default: what the provider says of its model. */
  readonly profile?: ModelProfile | undefined
}

/**
 * A provider whose calls are paid for by a budget: each takes its prompt and its longest reply
 * before it is made, and gives back what it did not use. The provider of a run needs none: pass the
 * budget as `limits.budget` instead, or each call is paid for twice.
 *
 * Calls of the result reject with `BudgetExceededError`, or with `config` if money is limited and
 * the price is not known.
 * @throws {LlmError} `config` — a limit is wrong.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { withBudget } from '@modelport/runtime'
 *
 * const provider = withBudget(createMock({ defaultResponse: 'Hi' }), { maxCalls: 1 })
 * console.log(await provider.complete('Hello'))
 * console.log(await provider.complete('Hello').catch((error) => error.message))
 * ```
 *
 * ```text
 * Hi
 * budget: maxCalls would be 2, the limit is 1
 * ```
 */
export function withBudget(
  provider: Provider,
  budget: RunBudget | BudgetLedger,
  options: ProviderBudgetOptions = {},
): Provider {
  const ledger = budget instanceof BudgetLedger ? budget : new BudgetLedger(budget)
  const { profile, capabilities } = withDescription(provider, options)
  const payer = { provider, ledger, profile, fewestOutputTokens: capabilities?.fewestTokens }
  return wrapProvider(provider, {
    aroundGenerate: async (call, next) => {
      const paid = new PaidCall(payer, call)
      await paid.startTurn(call.messages)
      try {
        const generation = await next(paid.call)
        await paid.settle(generation.usage)
        return generation
      } catch (error) {
        await paid.fail(error)
        throw error
      }
    },
    aroundStream: async (call, next) => {
      const paid = new PaidCall(payer, call)
      await paid.startTurn(call.messages)
      try {
        return new PaidReader(await next(paid.call), paid)
      } catch (error) {
        await paid.fail(error)
        throw error
      }
    },
  })
}

/** Who pays for the calls of a provider. */
interface Payer {
  readonly provider: Provider
  readonly ledger: BudgetLedger
  readonly profile: ModelProfile | undefined
  readonly fewestOutputTokens: number | undefined
}

/** The room of one turn. */
interface PaidTurn {
  readonly inputTokens: number
  readonly reservation: CallReservation
  readonly charge: SharedCharge | undefined
}

/** A call that a budget pays for, turn by turn: each is a request. */
class PaidCall {
  readonly #payer: Payer
  readonly #asked: ProviderCall
  /** Unset: no request is under way. */
  #turn: PaidTurn | undefined
  /** The `maxTokens` that was sent, which later turns of a conversation have too. */
  #maxTokens: number | undefined

  constructor(payer: Payer, call: ProviderCall) {
    this.#payer = payer
    this.#asked = call
  }

  /** Takes the room of a turn. @throws {BudgetExceededError} there is none; nothing was taken. */
  async startTurn(messages: readonly ChatMessage[], further = ''): Promise<void> {
    const { provider, ledger, profile, fewestOutputTokens } = this.#payer
    const { tools, options } = this.#asked
    const estimate = estimateOf(provider)
    const inputTokens =
      messagesTokens(messages, estimate) +
      toolTokens(tools, estimate) +
      estimate(`${options.system ?? ''}${further}`)
    const room = await SharedCharge.room(ledger)
    const reservation = ledger.reserveCall({
      inputTokens,
      room,
      maxOutputTokens: this.#maxTokens ?? options.maxTokens ?? defaultMaxTokens,
      fewestOutputTokens: this.#maxTokens ?? fewestOutputTokens,
      model: `${provider.name}/${provider.model}`,
      ...(profile && { profile }),
    })
    const charge = SharedCharge.of(ledger, reservation, { profile }, options.signal ?? undefined)
    try {
      await charge?.reserve()
    } catch (error) {
      reservation.release()
      throw error
    }
    this.#turn = { inputTokens, reservation, charge }
    this.#maxTokens ??= reservation.maxOutputTokens
  }

  /** The call, within the room that was taken. */
  get call(): ProviderCall {
    const given = this.#asked.options
    const { limitsReply = false, deadlineMs } = this.#turn?.reservation ?? {}
    const onRetry = async (notice: RetryNotice): Promise<void> => {
      this.#turn?.reservation.retried(notice.error)
      await this.#turn?.charge?.retried()
      await given.retry?.onRetry?.(notice)
    }
    const options: CallOptions = mergeOptions(given, {
      ...(limitsReply && this.#maxTokens !== undefined && { maxTokens: this.#maxTokens }),
      retry: { ...given.retry, onRetry },
      ...(deadlineMs !== undefined && {
        deadlineMs: Math.min(deadlineMs, given.deadlineMs ?? Infinity),
      }),
    })
    return { ...this.#asked, options }
  }

  /** Settles the turn with what the server counted. */
  async settle(usage: TokenUsage): Promise<void> {
    const turn = this.#endTurn()
    if (!turn) return
    const { reported, inputTokens } = usage
    const estimated = { inputTokens: turn.inputTokens, outputTokens: 0 }
    const { outputTokens } = measureUsage({ usage, estimated })
    turn.reservation.settle({ reported, ...(reported && { inputTokens, outputTokens, usage }) })
    await turn.charge?.settle()
  }

  /** Charges the turn with the most that it can have cost. */
  async fail(error: unknown): Promise<void> {
    const turn = this.#endTurn()
    if (!turn) return
    const isUnsent =
      (isLlmError(error, 'unsupported') || isLlmError(error, 'config')) && !('status' in error)
    if (isUnsent) turn.reservation.release()
    else turn.reservation.settle({ reported: false, error })
    await turn.charge?.settle()
  }

  #endTurn(): PaidTurn | undefined {
    const turn = this.#turn
    this.#turn = undefined
    return turn
  }
}

/** A conversation whose turns are paid for. */
class PaidReader extends OuterReader<StreamEvent, ToolStreamReader> implements ToolStreamReader {
  readonly #paid: PaidCall

  constructor(inner: ToolStreamReader, paid: PaidCall) {
    super(inner)
    this.#paid = paid
  }

  async next(): Promise<IteratorResult<StreamEvent, undefined>> {
    try {
      const result = await this.inner.next()
      if (!result.done && result.value.type === 'turn-end') await this.#endTurn()
      if (result.done) await this.#paid.fail(undefined)
      return result
    } catch (error) {
      await this.#paid.fail(error)
      throw error
    }
  }

  finishReason(): FinishReason | undefined {
    return this.inner.finishReason()
  }

  async sendToolResults(results: readonly ToolResult[]): Promise<void> {
    await this.#paid.startTurn(this.inner.messages(), JSON.stringify(results))
    try {
      await this.inner.sendToolResults(results)
    } catch (error) {
      await this.#paid.fail(error)
      throw error
    }
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.inner.setTools(tools)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#paid.fail(undefined)
  }

  async #endTurn(): Promise<void> {
    const { turns, toolDefinitionTokens, reported } = this.inner.usage()
    const turn = turns.at(-1)
    if (turn) await this.#paid.settle(toUsage([turn], toolDefinitionTokens, reported))
    else await this.#paid.fail(undefined)
  }
}

import type { BudgetLedger } from '../../budget/budget.js'
import type { Tool, ToolContext } from '../../tools/tool.js'

/** A call that was begun before its reply was whole. */
export interface EagerCall {
  readonly id: string
  readonly signature: string
  readonly controller: AbortController
  /** Unset until the reply is whole. */
  progress?: ToolContext['progress']
  /** True once the budget has it. */
  isCounted: boolean
}

/**
 * The result of a call; undefined if it was not started after all: it is not allowed, or its
 * arguments are not valid.
 */
export type EagerResult = { readonly value: unknown } | undefined

interface Running {
  readonly eager: EagerCall
  readonly result: Promise<EagerResult>
}

/**
 * The calls of eager tools, started as the stream completes them. Their results wait for the reply,
 * which commits them in the order of its calls.
 */
export class EagerCalls {
  readonly #decisions = new Map<string, Promise<unknown>>()
  readonly #running = new Map<string, Running>()
  #isOn = false
  /** The place of the next call in its reply. */
  #index = 0

  /**
   * Starts anew for the next request to the model.
   * @param isOn false for a run with a journal: no call may start before its intent is stored
   */
  begin(isOn: boolean): void {
    this.drop()
    this.#isOn = isOn
    this.#index = 0
  }

  /**
   * Called for each call that is complete in the stream. Returns its index in the reply if it may
   * start now; undefined if eager calls are off, or `most` of them run already.
   */
  nextIndex(most: number): number | undefined {
    const index = this.#index++
    return this.#isOn && this.#running.size < most ? index : undefined
  }

  /** True if a call that does the same was begun. */
  includes(signature: string): boolean {
    return [...this.#running.values()].some(({ eager }) => eager.signature === signature)
  }

  /** Starts a call. */
  add(id: string, signature: string, run: (eager: EagerCall) => Promise<EagerResult>): void {
    const eager: EagerCall = { id, signature, controller: new AbortController(), isCounted: false }
    const result = run(eager)
    // Nobody reads the result of a call that is dropped.
    result.catch(() => undefined)
    this.#running.set(id, { eager, result })
  }

  /** Keeps the decision of the policy about a call, which may still be pending. */
  ask(id: string, decision: Promise<unknown>): void {
    this.#decisions.set(id, decision)
  }

  /** The decision of the policy about a call, if it was asked before the reply was whole. */
  decisionOf(id: string): Promise<unknown> | undefined {
    return this.#decisions.get(id)
  }

  /**
   * Counts a call in the budget, unless it was counted when it was started early.
   * @param eager default: the call that was started early under this id, if there is one
   * @throws {BudgetExceededError} there is no room for the call
   */
  count(
    ledger: BudgetLedger,
    id: string,
    eager: EagerCall | undefined = this.#running.get(id)?.eager,
  ): void {
    if (!eager?.isCounted) ledger.reserveToolCall()
    if (eager) eager.isCounted = true
  }

  /** The tool, with an `execute` that returns the result of a call which was started early. */
  readonly toTaken = (tool: Tool): Tool => {
    if (!tool.eager) return tool
    const execute = async (value: unknown, context: ToolContext): Promise<unknown> => {
      const running = this.#running.get(context.callId)
      // eslint-disable-next-line no-restricted-syntax -- the tool that it stands for
      if (!running) return tool.execute(value, context)

      const { eager, result } = running
      context.signal.addEventListener('abort', () => eager.controller.abort(context.signal.reason))
      eager.progress = context.progress
      const eagerResult = await result
      this.#running.delete(context.callId)
      // eslint-disable-next-line no-restricted-syntax -- the tool that it stands for
      return eagerResult ? eagerResult.value : tool.execute(value, context)
    }
    return { ...tool, execute }
  }

  /** Aborts the calls whose results are not used. */
  drop(): void {
    for (const { eager } of this.#running.values())
      eager.controller.abort(new Error('the reply was not used'))
    this.#running.clear()
    this.#decisions.clear()
  }
}

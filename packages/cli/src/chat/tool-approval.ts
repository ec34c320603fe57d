import type { Approval, Authorize } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { isYes } from '../context/is-yes.js'
import type { LineReader } from '../context/line-reader.js'
import { toVisible } from '../terminal/visible-text.js'

/**
 * Asks a person before a tool runs: each call, or once for a tool that may always run. Without a
 * terminal calls are refused.
 */
export class ToolApproval {
  readonly #cli: Cli
  readonly #lines: LineReader
  readonly #allowAll: boolean
  readonly #allowed = new Set<string>()
  #told = false
  /** Milliseconds that the user was asked since {@link begin}. */
  askedMs = 0

  constructor(cli: Cli, lines: LineReader, allowAll: boolean) {
    this.#cli = cli
    this.#lines = lines
    this.#allowAll = allowAll
  }

  /** Decides about the calls of one message. `stop` is aborted by Ctrl-C at a question. */
  begin(stop: AbortController): Authorize {
    this.askedMs = 0
    return (action) => {
      if (action.type !== 'tool_call') return { effect: 'deny', reason: 'there are no agents here' }
      const { tool, args } = action
      if (this.#allowAll || this.#allowed.has(tool)) return { effect: 'allow' }
      const ask = async (): Promise<Approval> => ({
        approved: await this.#approve(tool, toVisible(JSON.stringify(args)), stop),
        reason: 'the user did not allow this call',
      })
      return { effect: 'require-approval', ask }
    }
  }

  /**
   * Asks whether a call may run. `shown` is the exact JSON that will run, every character visible.
   */
  async #approve(name: string, shown: string, stop: AbortController): Promise<boolean> {
    const { io, err, json } = this.#cli
    if (!io.stdin.isTTY || json) {
      if (!this.#told && !json)
        err.line('tools are refused without a terminal; pass --allow-tools to run them')
      this.#told = true
      return false
    }
    const askedAt = performance.now()
    try {
      const answer = await this.#lines.answer(
        `${err.style('yellow', 'run')} ${name} ${shown} ${err.style('yellow', '[y]es, [N]o, [a]lways?')} `,
      )
      const isAlways = /^a(lways)?$/i.test(answer?.trim() ?? '')
      if (isAlways) this.#allowed.add(name)
      return isAlways || isYes(answer)
    } catch (error) {
      stop.abort(error)
      throw error
    } finally {
      this.askedMs += performance.now() - askedAt
    }
  }
}

import type { ToolDefinition } from '@modelport/core'
import { checkToolNames, checkTools } from '../base/check-request.js'
import type { BudgetLedger } from '../budget/budget.js'
import { toDelegationTools } from '../reply/delegation.js'
import type { Tool } from '../tools/tool.js'
import type { InferRequest } from './run-request.js'

/** What reading the tools needs of the run. */
interface ToolHost {
  readonly request: InferRequest
  readonly step: number
  readonly signal: AbortSignal
  readonly ledger: BudgetLedger
  wait<T>(value: T | PromiseLike<T>): Promise<T>
  warn(warning: string): void
}

/** The tools of the current step. */
export class RunTools {
  #own: readonly Tool[] = []
  #delegation: readonly Tool[] = []
  #definitions: readonly ToolDefinition[] = []

  /** Tools of the application and its sources. */
  get own(): readonly Tool[] {
    return this.#own
  }

  /** Tools that reach the agents. */
  get delegation(): readonly Tool[] {
    return this.#delegation
  }

  /** The definitions of {@link own}. */
  get definitions(): readonly ToolDefinition[] {
    return this.#definitions
  }

  /** Everything that can be executed. */
  get all(): readonly Tool[] {
    return [...this.#own, ...this.#delegation]
  }

  /**
   * Asks for the tools as they are now. A tool of a source whose name is taken is dropped with a warning.
   * @throws {LlmError} `config` — a list is not one of tools, or two of the application's own share a name; what a source throws.
   */
  async refresh(run: ToolHost): Promise<void> {
    const { request, step, signal, ledger } = run
    const { tools = [], sources = [], agents = [] } = request
    // A set was made into a list where the run began.
    const own = (typeof tools === 'function' ? await run.wait(tools(step)) : tools) as readonly Tool[]
    const sourced = sources.length ? await run.wait(Promise.all(sources.map((source) => source.tools(signal)))) : []
    for (const list of [own, ...sourced]) checkTools(list)
    checkToolNames(own)
    const byName = new Map(own.map((tool) => [tool.definition.name, tool]))
    for (const [index, list] of sourced.entries())
      for (const tool of list) {
        const { name } = tool.definition
        if (byName.has(name))
          run.warn(`the tool "${name}" of "${sources[index]?.name}" was dropped: another tool has this name`)
        else byName.set(name, tool)
      }
    this.#own = [...byName.values()]
    this.#definitions = this.#own.map(({ definition }) => definition)
    this.#delegation = toDelegationTools(agents, this.#definitions, ledger)
  }
}

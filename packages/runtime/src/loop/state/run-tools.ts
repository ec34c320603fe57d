import { LlmError, type ToolDefinition } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { checkToolNames, checkTools } from '../../base/check-request.js'
import type { BudgetLedger } from '../../budget/budget.js'
import type { Transcript } from '../../history/transcript.js'
import type { StepChoice } from '../../journal/step-choice.js'
import { toDelegationTools } from '../../reply/delegation.js'
import type { AgentTarget } from '../../tools/agent-target.js'
import type { Tool } from '../../tools/tool.js'
import type { ToolSource } from '../../tools/tool-source.js'
import type { InferRequest } from '../request/run-request.js'
import type { FoundTools } from './found-tools.js'
import type { LongResults } from './long-results.js'
import type { RunControl } from './run-control.js'

/** The parts of the run that reading the tools needs. */
interface ToolHost {
  readonly request: InferRequest
  readonly step: number
  readonly choice: StepChoice | undefined
  readonly control: RunControl
  readonly longResults: LongResults
  readonly found: FoundTools
  readonly transcript: Transcript
  readonly signal: AbortSignal
  readonly ledger: BudgetLedger
  wait<T>(value: T | PromiseLike<T>): Promise<T>
  warn(warning: string): void
}

/** True if the vendor's own search of tools is asked for, which finds deferred ones itself. */
const searchesItself = ({ options }: InferRequest): boolean =>
  options?.providerTools?.some(({ type }) => String(type).startsWith('tool_search')) ?? false

/** The tools of the current step. */
export class RunTools {
  #own: readonly Tool[] = []
  #agents: readonly AgentTarget[] = []
  #delegation: readonly Tool[] = []
  #definitions: readonly ToolDefinition[] = []
  #hidden: readonly Tool[] = []
  #all: readonly Tool[] = []
  /** True if all tools are those of the request, as they are: the same list needs no second look. */
  #arePlain = false

  get own(): readonly Tool[] {
    return this.#own
  }

  get agents(): readonly AgentTarget[] {
    return this.#agents
  }

  get delegation(): readonly Tool[] {
    return this.#delegation
  }

  /** The definitions of {@link own}. */
  get definitions(): readonly ToolDefinition[] {
    return this.#definitions
  }

  /** The definitions of what a written call may name: deferred tools that are not loaded too. */
  get served(): readonly ToolDefinition[] {
    return [...this.#definitions, ...this.#hidden.map(({ definition }) => definition)]
  }

  /** What a call can reach: the tools, those of delegation, and deferred ones. */
  get all(): readonly Tool[] {
    return this.#all
  }

  find(name: string): Tool | undefined {
    return this.#all.find(({ definition }) => definition.name === name)
  }

  /**
   * Asks for the tools as they are now. A tool of a source whose name is taken is dropped with a
   * warning.
   * @throws {LlmError} `config` — a list is not one of tools, two of the application's own share a
   * name, or the step was prepared with a name that nothing has; what a source throws.
   */
  async refresh(run: ToolHost): Promise<void> {
    const { request, step, signal, ledger, choice, control } = run
    const { tools = [], sources = [], agents = [] } = request
    // A set was made into a list where the run began.
    const given = (
      typeof tools === 'function' ? await run.wait(tools(step)) : tools
    ) as readonly Tool[]
    if (this.#arePlain && !choice?.tools && this.#areKnown(given)) return
    checkTools(given)
    const own = [...given, ...control.tools.filter((tool) => !given.includes(tool))]
    const sourced = sources.length
      ? await run.wait(Promise.all(sources.map((source) => toolsOf(source, signal))))
      : []
    for (const list of sourced) checkTools(list)
    const added = [control.tool, run.longResults.tool(() => run.transcript.messages)].flatMap(
      (tool) => tool ?? [],
    )
    checkToolNames([...own, ...added])
    const byName = new Map(own.map((tool) => [tool.definition.name, tool]))
    for (const [index, list] of sourced.entries())
      for (const tool of list) {
        const { name } = tool.definition
        if (byName.has(name))
          run.warn(
            `the tool "${name}" of "${sources[index]?.name}" was dropped: another tool has this name`,
          )
        else byName.set(name, tool)
      }
    const names = [...byName.keys(), ...agents.map(({ name }) => name)]
    const unknown = choice?.tools?.find((name) => !names.includes(name))
    if (unknown !== undefined)
      throw new LlmError(
        'config',
        `${request.prepareStep ? 'prepareStep' : 'handoffs'}: no tool or agent is named "${unknown}"${suggest(unknown, names)}`,
      )
    const isChosen = (name: string): boolean => choice?.tools?.includes(name) ?? true
    const chosen = [...byName.values()].filter(({ definition }) => isChosen(definition.name))
    this.#own = searchesItself(request) ? [...chosen, ...added] : run.found.show(chosen, added)
    this.#hidden = run.found.hidden
    checkToolNames(this.#own)
    this.#definitions = this.#own.map(({ definition }) => definition)
    this.#agents = agents.filter(({ name }) => isChosen(name))
    this.#delegation = toDelegationTools(this.#agents, this.#definitions, ledger)
    this.#all = [...this.#own, ...this.#delegation, ...this.#hidden]
    this.#arePlain =
      this.#all.length === given.length && !sources.length && !added.length && !choice?.tools
  }

  #areKnown(given: readonly Tool[]): boolean {
    return (
      given.length === this.#own.length &&
      given.every((tool, at) => {
        return tool === this.#own[at] && tool.definition === this.#definitions[at]
      })
    )
  }
}

async function toolsOf(source: ToolSource, signal: AbortSignal): Promise<readonly Tool[]> {
  const tools = await source.tools(signal)
  if (!source.deferred) return tools
  return tools.map((tool) => ({ ...tool, definition: { ...tool.definition, deferred: true } }))
}

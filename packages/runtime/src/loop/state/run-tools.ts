import { LlmError, type ToolDefinition } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { checkToolNames, checkTools } from '../../base/check-request.js'
import { toDelegationTools } from '../../reply/delegation.js'
import type { AgentTarget } from '../../tools/agent-target.js'
import type { Tool } from '../../tools/tool.js'
import type { ToolSource } from '../../tools/tool-source.js'
import type { RunRequest } from '../request/open-request.js'
import { EagerCalls } from './eager-calls.js'
import { FoundTools } from './found-tools.js'
import type { RunControl } from './run-control.js'
import type { RunConversation } from './run-conversation.js'
import type { RunMeter } from './run-meter.js'
import type { RunModels } from './run-models.js'
import type { TurnState } from './turn-state.js'

/** The parts of the run that reading the tools needs. */
interface ToolHost {
  readonly request: RunRequest
  readonly turn: TurnState
  readonly models: RunModels
  readonly control: RunControl
  readonly conversation: RunConversation
  readonly meter: RunMeter
}

/** True if the vendor's own search of tools is asked for, which finds deferred ones itself. */
const searchesItself = ({ options }: RunRequest): boolean =>
  options?.providerTools?.some(({ type }) => String(type).startsWith('tool_search')) ?? false

/** The tools of the current step. */
export class RunTools {
  /** The deferred tools, and those that were loaded. */
  readonly found: FoundTools
  /** The calls that were begun before their reply was whole. */
  readonly eager: EagerCalls = new EagerCalls()
  #own: readonly Tool[] = []
  #agents: readonly AgentTarget[] = []
  #delegation: readonly Tool[] = []
  #definitions: readonly ToolDefinition[] = []
  #hidden: readonly Tool[] = []
  #all: readonly Tool[] = []
  /** True if all tools are those of the request: the same list needs no second look. */
  #arePlain = false

  /** @param loaded the deferred tools that were loaded before a resume */
  constructor(loaded: readonly string[] | undefined) {
    this.found = new FoundTools(loaded)
  }

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
    const { request, control, meter, conversation } = run
    const { choice } = run.models
    const { tools = [], sources = [], agents = [] } = request
    // A set was made into a list where the run began.
    const given = (
      typeof tools === 'function' ? await meter.wait(tools(run.turn.step)) : tools
    ) as readonly Tool[]
    if (this.#arePlain && !choice?.tools && this.#areKnown(given)) return
    checkTools(given)
    const own = [...given, ...control.tools.filter((tool) => !given.includes(tool))]
    const sourced = sources.length
      ? await meter.wait(Promise.all(sources.map((source) => toolsOf(source, request.signal))))
      : []
    for (const list of sourced) checkTools(list)
    const added = [
      control.tool,
      conversation.longResults.tool(() => conversation.transcript.messages),
    ].flatMap((tool) => tool ?? [])
    checkToolNames([...own, ...added])
    const byName = new Map(own.map((tool) => [tool.definition.name, tool]))
    for (const [index, list] of sourced.entries())
      for (const tool of list) {
        const { name } = tool.definition
        if (byName.has(name))
          meter.warn(
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
    this.#own = searchesItself(request) ? [...chosen, ...added] : this.found.show(chosen, added)
    this.#hidden = this.found.hidden
    checkToolNames(this.#own)
    this.#definitions = this.#own.map(({ definition }) => definition)
    this.#agents = agents.filter(({ name }) => isChosen(name))
    this.#delegation = toDelegationTools(this.#agents, this.#definitions, meter.ledger)
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

import { LlmError } from '@modelport/core'
import { BudgetLedger, type RunBudget } from '@modelport/runtime'
import type { AgentCallOptions } from '../call/settings.js'
import type { CallTrace } from '../call/trace.js'
import type { DialogCaller } from '../caller/caller.js'

/** The input of the code of an agent type. */
export interface SystemContext<Group extends string> {
  /** The agents of the groups. Their calls share the signal and the budget of the system, and their traces are kept. */
  readonly agents: Readonly<Record<Group, DialogCaller>>
  /** Aborts when the call of the system is aborted. */
  readonly signal: AbortSignal
  /** The rest of the budget of the system's call. */
  readonly budget: BudgetLedger
}

/** A kind of system: several agents and the code that puts them to work. */
export interface AgentType<Task, Result, Group extends string = string> {
  /** Name of the type. */
  readonly type: string
  /** Names of the agents it needs. */
  readonly groups: readonly Group[]
  /** Does one task. */
  call(task: Task, context: SystemContext<Group>): Promise<Result>
}

/** The settings of one call of a system. */
export interface SystemCallOptions {
  /** Aborts the call and every call inside it. */
  readonly signal?: AbortSignal
  /** Budget of all calls together. */
  readonly budget?: RunBudget | BudgetLedger
  /** Called with the trace of each call inside, when it ends; also of one that fails. */
  readonly onTrace?: (trace: CallTrace) => void
}

/** A system with its agents. */
export interface AgentSystem<Task, Result> {
  /** Name of its type. */
  readonly type: string
  /** Does one task. Throws what its code throws: an `AgentCallError` of a call inside it, unless the code handles it. */
  call(task: Task, options?: SystemCallOptions): Promise<Result>
}

/** Makes an agent type; its task, its result and its groups are typed. */
export const defineAgentType = <Task, Result, const Group extends string>(
  type: AgentType<Task, Result, Group>,
): AgentType<Task, Result, Group> => type

/** Agent types by name. The caller owns it: there is no global one. */
export class AgentTypeRegistry {
  readonly #types = new Map<string, AgentType<unknown, unknown>>()

  /** @throws {LlmError} `config` — a type of this name is registered already. */
  register<Task, Result, Group extends string>(type: AgentType<Task, Result, Group>): this {
    if (this.#types.has(type.type))
      throw new LlmError('config', `an agent type "${type.type}" is registered already; give one of them another name`)
    // Task and result are known to whoever builds it.
    this.#types.set(type.type, type)
    return this
  }

  /** The names of all types. */
  list(): readonly string[] {
    return [...this.#types.keys()]
  }

  /**
   * Makes a system of a type.
   * @param type a type, or the name of a registered one
   * @param agents of the configuration, by name; see `createAgents`
   * @throws {LlmError} `config` — the type is not registered, or agents of its groups are missing; the message names them.
   */
  build<Task, Result, Group extends string>(
    type: AgentType<Task, Result, Group>,
    agents: Readonly<Record<string, DialogCaller>>,
  ): AgentSystem<Task, Result>
  build(type: string, agents: Readonly<Record<string, DialogCaller>>): AgentSystem<unknown, unknown>
  build(
    type: string | AgentType<unknown, unknown>,
    agents: Readonly<Record<string, DialogCaller>>,
  ): AgentSystem<unknown, unknown> {
    const found = typeof type === 'string' ? this.#types.get(type) : type
    if (!found)
      throw new LlmError(
        'config',
        `there is no agent type ${JSON.stringify(type)}; known: ${this.list().join(', ') || 'none'}`,
      )
    const missing = found.groups.filter((group) => !Object.hasOwn(agents, group))
    if (missing.length)
      throw new LlmError(
        'config',
        `agent type "${found.type}": the configuration has no agent ${missing.map((one) => `"${one}"`).join(', ')}; it has ${Object.keys(agents).join(', ') || 'none'}`,
      )
    return { type: found.type, call: (task, options = {}) => callSystem(found, agents, task, options) }
  }
}

async function callSystem(
  type: AgentType<unknown, unknown>,
  agents: Readonly<Record<string, DialogCaller>>,
  task: unknown,
  options: SystemCallOptions,
): Promise<unknown> {
  const signal = options.signal ?? new AbortController().signal
  const { budget } = options
  const ledger = budget instanceof BudgetLedger ? budget.child() : new BudgetLedger(budget ?? {})
  const own = type.groups.map(
    (group) => [group, share(agents[group] as DialogCaller, signal, ledger, options)] as const,
  )
  return type.call(task, { agents: Object.fromEntries(own), signal, budget: ledger })
}

/** The agent with the signal and the budget of the system as defaults of each call. */
function share(
  agent: DialogCaller,
  signal: AbortSignal,
  ledger: BudgetLedger,
  { onTrace }: SystemCallOptions,
): DialogCaller {
  const { budget } = agent.settings
  const withShared = <Options extends AgentCallOptions>(options: Options = {} as Options): Options => {
    const own = options.budget ?? budget
    return {
      ...options,
      signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal,
      budget: own instanceof BudgetLedger ? own : ledger.child(own),
      onTrace: (trace) => {
        onTrace?.(trace)
        options.onTrace?.(trace)
      },
    }
  }
  return {
    ...agent,
    call: (dialog, options) => agent.call(dialog, withShared(options)),
    run: (dialog, options) => agent.run(dialog, withShared(options)),
    classify: (dialog, labels, options) => agent.classify(dialog, labels, withShared(options)),
    binaryClassify: (dialog, options) => agent.binaryClassify(dialog, withShared(options)),
  }
}

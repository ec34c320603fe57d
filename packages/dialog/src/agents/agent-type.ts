import { configError } from '@modelport/core'
import { BudgetLedger, type RunBudget } from '@modelport/runtime'
import type { AgentCallOptions } from '../call/settings.js'
import type { CallTrace } from '../call/trace.js'
import type { DialogCaller } from '../caller/caller.js'

/** The input of the code of an agent type. */
export interface SystemContext<Group extends string> {
  /**
   * The agents of the groups. Their calls share the signal and the budget of the system, and their
   * traces are kept.
   */
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
  /**
   * Makes a system of this type.
   * @param agents by name; see `createAgents`
   * @throws {LlmError} `config` — agents of its groups are missing; the message names them.
   */
  build(agents: Readonly<Record<string, DialogCaller>>): AgentSystem<Task, Result>
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
  /**
   * Does one task. Throws what its code throws: an `AgentCallError` of a call inside it, unless the
   * code handles it.
   */
  call(task: Task, options?: SystemCallOptions): Promise<Result>
}

/** Makes an agent type; its task, its result and its groups are typed. */
export function defineAgentType<Task, Result, const Group extends string>(
  type: Omit<AgentType<Task, Result, Group>, 'build'>,
): AgentType<Task, Result, Group> {
  const build = (agents: Readonly<Record<string, DialogCaller>>): AgentSystem<Task, Result> => {
    const missing = type.groups
      .filter((group) => !Object.hasOwn(agents, group))
      .map((group) => `"${group}"`)
    if (missing.length)
      throw configError(
        `agent type "${type.type}": there is no agent ${missing.join(', ')}; there is ${Object.keys(agents).join(', ') || 'none'}`,
      )
    return {
      type: type.type,
      call: (task, options = {}) => callSystem(type, agents, task, options),
    }
  }
  return { ...type, build }
}

async function callSystem<Task, Result, Group extends string>(
  type: Pick<AgentType<Task, Result, Group>, 'groups' | 'call'>,
  agents: Readonly<Record<string, DialogCaller>>,
  task: Task,
  options: SystemCallOptions,
): Promise<Result> {
  const signal = options.signal ?? new AbortController().signal
  const { budget } = options
  const ledger = budget instanceof BudgetLedger ? budget.child() : new BudgetLedger(budget ?? {})
  const own = type.groups.map(
    (group) => [group, share(agents[group] as DialogCaller, signal, ledger, options)] as const,
  )
  const shared = Object.fromEntries(own) as Record<Group, DialogCaller>
  return type.call(task, { agents: shared, signal, budget: ledger })
}

/** The agent with the signal and the budget of the system as defaults of each call. */
function share(
  agent: DialogCaller,
  signal: AbortSignal,
  ledger: BudgetLedger,
  { onTrace }: SystemCallOptions,
): DialogCaller {
  const { budget } = agent.settings
  const withShared = <Options extends AgentCallOptions>(
    options: Options = {} as Options,
  ): Options => {
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

/**
 * What an agent can do, and its limits. {@link defaultCapabilities} has the defaults of a card,
 * `createAgent` sets what it knows.
 */
export interface AgentCapabilities {
  /**
   * True if the agent streams the events of a task. Without it, the operations that stream are
   * refused.
   */
  readonly streaming: boolean
  /** True if the agent notifies callers at an address of theirs. Servers of this library do not. */
  readonly pushNotifications: boolean
  /** True if a task keeps its state changes in `metadata.state_history`. */
  readonly stateTransitionHistory: boolean
  /** True if a model is behind the agent. */
  readonly hasLlm: boolean
  /** Maximum tasks that run at once; a whole number of at least 1. */
  readonly maxConcurrency: number
  /** True if the agent takes several messages in one request. Agents made here do not. */
  readonly messageBatching: boolean
  /** True if the agent has tools. */
  readonly toolCalling: boolean
  /** True if the agent may call its model several times for one message. */
  readonly multiStepReasoning: boolean
  /** True if a task has a time limit. */
  readonly timeoutSupport: boolean
  /** True if the agent may hand work to other agents. */
  readonly delegation: boolean
  /** True if the agent retrieves documents for its replies. */
  readonly rag: boolean
  /** True if the agent executes code. */
  readonly codeExecution: boolean
  /** True if authenticated callers can get a fuller card. */
  readonly extendedAgentCard: boolean
}

/** The capabilities of a card that says nothing. */
export const defaultCapabilities: AgentCapabilities = Object.freeze({
  streaming: false,
  pushNotifications: false,
  stateTransitionHistory: false,
  hasLlm: false,
  maxConcurrency: 1,
  messageBatching: false,
  toolCalling: false,
  multiStepReasoning: false,
  timeoutSupport: false,
  delegation: true,
  rag: false,
  codeExecution: false,
  extendedAgentCard: false,
})

/** The names of capabilities that are on, and `maxConcurrency: n`. */
export const enabledCapabilities = (capabilities: AgentCapabilities): readonly string[] =>
  Object.entries(capabilities).flatMap(([name, value]) => {
    if (typeof value === 'number') return value > 0 ? [`${name}: ${value}`] : []
    return value ? [name] : []
  })

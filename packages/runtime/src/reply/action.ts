import type { JsonObject } from '@modelport/core'

/** The final reply: the run ends with it. */
export interface FinalAction {
  readonly type: 'final'
  /** The final reply. */
  readonly content: string
  /** The model's own words on why. */
  readonly thought?: string
}

/** One call of a tool. */
export interface ToolCallAction {
  readonly type: 'tool_call'
  /** Name of the tool. */
  readonly tool: string
  /** The arguments, checked before the tool is executed. */
  readonly args: JsonObject
  /** The model's reason; kept, never executed. */
  readonly thought?: string
}

/** Work handed to another agent: one of its tools, or a prompt for it. */
export type AgentCallAction =
  | {
      readonly type: 'agent_call'
      /** Name of the agent. */
      readonly agent: string
      readonly action: 'tool_call'
      /** Name of the agent's tool. */
      readonly tool: string
      readonly args: JsonObject
      readonly thought?: string
    }
  | {
      readonly type: 'agent_call'
      readonly agent: string
      readonly action: 'infer'
      /** What the agent is asked. */
      readonly prompt: string
      readonly thought?: string
    }

/** The decision of a model in one step. It only declares: every effect is the runtime's. */
export type Action = FinalAction | ToolCallAction | AgentCallAction

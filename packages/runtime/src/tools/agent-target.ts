import type { JsonObject, ToolDefinition } from '@modelport/core'
import type { BudgetLedger } from '../budget/budget.js'
import type { EffectDeclaration } from './reconcile.js'
import type { ToolContext } from './tool.js'

/** A request to another agent. */
export type AgentRequest =
  | { readonly action: 'tool_call'; readonly tool: string; readonly args: JsonObject }
  | { readonly action: 'infer'; readonly prompt: string }

/** The context of the call that an agent serves. */
export interface AgentContext extends Pick<ToolContext, 'step' | 'run' | 'progress'> {
  /** The id of the action in the events of the run. */
  readonly callId: string
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /**
   * The rest of the run's budget: pass it to a run of the agent as its `budget`, and both count.
   */
  readonly budget: BudgetLedger
}

/** Another agent that work can be handed to. */
export interface AgentTarget extends EffectDeclaration<AgentRequest> {
  /** Name the model calls it by. */
  readonly name: string
  /** What it is good for; the model reads this. */
  readonly description: string
  /** Its tools the model may call directly. Unset: it only takes prompts. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /**
   * Asks the agent; the result is any JSON value or text, or `pending(taskId)` when it will come
   * later: the run then ends as `suspended`. A thrown error becomes a result the model can read. No
   * time limit but the run's own `maxRuntimeMs`: an agent has limits of its own.
   */
  call(request: AgentRequest, context: AgentContext): unknown
}

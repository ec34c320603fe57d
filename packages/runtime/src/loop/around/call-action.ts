import {
  type CallOptions,
  type Capabilities,
  type ChatMessage,
  type Generation,
  type ModelProfile,
  mergeOptions,
  type Provider,
  type StreamEvent,
  type ToolDefinition,
  toUsage,
} from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import {
  checkMessages,
  checkProvider,
  checkRequest,
  type RequestRules,
} from '../../base/check-request.js'
import { BudgetLedger } from '../../budget/budget.js'
import { isFormatRefusal } from '../../output/format-refusal.js'
import type { Action } from '../../reply/action.js'
import { type ActionMode, resolveMode } from '../../reply/action-mode.js'
import type { ActionPrompt } from '../../reply/action-prompt.js'
import { toDelegationTools, toTargets } from '../../reply/delegation.js'
import { lastFormatLevel, type PromptPlan, toPromptPlan } from '../../reply/prompt-plan.js'
import { readReply } from '../../reply/read-reply.js'
import { renderCalls } from '../../reply/render-calls.js'
import { isToolRefusal } from '../../reply/tool-refusal.js'
import type { AgentTarget } from '../../tools/agent-target.js'
import { withDescription } from '../request/with-description.js'
import { generateStream } from './generate-stream.js'

/** The request of {@link callAction}. */
export interface ActionRequest {
  /** The conversation so far. */
  readonly messages: readonly ChatMessage[]
  /** Tools the model may call. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Agents the model may delegate to. Default: none. */
  readonly agents?: readonly AgentTarget[] | undefined
  /** Default `auto`. */
  readonly mode?: ActionMode | 'auto' | undefined
  /** What the provider can do: for `auto`, and for how JSON is asked for. */
  readonly capabilities?: Capabilities | undefined
  /** What the application knows of the model. */
  readonly profile?: ModelProfile | undefined
  /** The application's own instructions. */
  readonly system?: string | undefined
  /** Replaces the instructions on how to act. Default: those of the mode. */
  readonly actionPrompt?: ActionPrompt | undefined
  /** Options of the model call. */
  readonly options?: CallOptions | undefined
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
}

/** What the model decided in one step. */
export interface ActionResult {
  /** The first of `actions`. */
  readonly action: Action
  /**
   * Everything it asked for at once: one final reply, or calls in order. JSON mode has one action a
   * step.
   */
  readonly actions: readonly Action[]
  /** The reply's text, whole. */
  readonly rawResponse: string
  /** True for calls in the API's own form, and for the plain text of native mode. */
  readonly native: boolean
  /** How the action was asked for, and how the reply was read. */
  readonly metadata: {
    readonly mode: ActionMode
    /** The repairs of the reply. */
    readonly repairs: readonly string[]
  }
  /** The model call behind it. */
  readonly generation: Generation
}

/**
 * Gets one validated decision out of a model. Nothing is executed.
 * @throws {ActionParseError} `protocol` — the reply is not an action.
 * @throws {LlmError} any other code of the call; the signal's own reason when that is aborted.
 */
export function callAction(provider: Provider, request: ActionRequest): Promise<ActionResult> {
  return acquire(provider, request, (messages, plan, options) =>
    provider.generate(
      messages,
      options,
      plan.definitions.length ? { tools: plan.definitions } : {},
    ),
  )
}

/**
 * The same over a stream: every piece is given out as it comes, and the decision is made when the
 * reply is whole.
 * @param onEvent called with each event of the stream; an error that it throws ends the call
 */
export function callActionStream(
  provider: Provider,
  request: ActionRequest,
  onEvent?: (event: StreamEvent) => void,
): Promise<ActionResult> {
  return acquire(provider, request, async (messages, { definitions }, options) => {
    const reader = await generateStream(
      provider,
      messages,
      options,
      definitions.length ? { tools: definitions } : {},
    )
    try {
      for await (const event of reader) onEvent?.(event)
    } finally {
      await reader.close()
    }
    return reader.generation()
  })
}

const rules: RequestRules = {
  where: 'callAction',
  toolsAre: 'definitions',
  known: namesOf<ActionRequest>({
    messages: true,
    tools: true,
    agents: true,
    mode: true,
    capabilities: true,
    profile: true,
    system: true,
    actionPrompt: true,
    options: true,
    signal: true,
  }),
}

type Generate = (
  messages: readonly ChatMessage[],
  plan: PromptPlan,
  options: CallOptions,
) => Promise<Generation>

async function acquire(
  provider: Provider,
  request: ActionRequest,
  generate: Generate,
): Promise<ActionResult> {
  checkProvider(provider)
  checkRequest(request, rules)
  checkMessages(request.messages)
  const { capabilities, profile } = withDescription(provider, request)
  const { messages, tools = [], agents = [], signal, actionPrompt, options: given } = request
  const { system = given?.system ?? '' } = request
  const isAuto = (request.mode ?? 'auto') === 'auto'
  let chosen = resolveMode(request.mode, capabilities, profile)
  let mode = isAuto && !tools.length && !agents.length ? 'native' : chosen
  const delegation = toDelegationTools(agents, tools, new BudgetLedger({})).map(
    ({ definition }) => definition,
  )
  const first =
    capabilities?.schema.supported === false || profile?.supportsJsonSchema === false ? 1 : 0
  let formatLevel = first
  for (;;) {
    const plan = toPromptPlan({
      mode,
      tools,
      delegation,
      agents,
      formatLevel,
      nativePrompt: false,
      ...(actionPrompt !== undefined && { actionPrompt }),
      ...(given?.reasoning !== undefined && { reasoning: given.reasoning }),
    })
    const instructions = [plan.prompt, system].filter(Boolean).join('\n\n')
    const options = mergeOptions(
      given,
      plan.options,
      instructions ? { system: instructions } : {},
      signal ? { signal } : {},
    )
    try {
      return toResult(
        await generate(renderCalls(messages, chosen), plan, options),
        mode,
        tools,
        agents,
      )
    } catch (error) {
      if (isAuto && plan.definitions.length && isToolRefusal(error)) mode = chosen = 'json'
      else if (
        isFormatRefusal(error) &&
        plan.options.responseFormat &&
        formatLevel < lastFormatLevel
      )
        formatLevel++
      else throw error
    }
  }
}

function toResult(
  generation: Generation,
  mode: ActionMode,
  tools: readonly ToolDefinition[],
  agents: readonly AgentTarget[],
): ActionResult {
  const { message, finishReason, text } = generation
  const interpreted = readReply(
    { message, finishReason, usage: toUsage([]) },
    mode,
    toTargets(tools, agents),
    (index) => `action_${index + 1}`,
  )
  // A reply of calls has at least one.
  const actions = (
    interpreted.kind === 'final'
      ? [interpreted.action]
      : interpreted.calls.map(({ action }) => action)
  ) as [Action, ...Action[]]
  const native = interpreted.kind === 'calls' ? interpreted.native : mode === 'native'
  return {
    action: actions[0],
    actions,
    rawResponse: text,
    native,
    metadata: { mode, repairs: interpreted.repairs },
    generation,
  }
}

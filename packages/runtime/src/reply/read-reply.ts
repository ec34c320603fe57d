import type { AssistantMessage, Content, FinishReason, TokenUsage, ToolCall } from '@modelport/core'
import { textOf } from '@modelport/core'
import type { BudgetDecision } from '../budget/budget.js'
import type { AgentCallAction, FinalAction, ToolCallAction } from './action.js'
import type { ActionMode } from './action-mode.js'
import { ActionParseError } from './action-parse-error.js'
import { delegationNames, toAgentAction, toDelegationCall } from './delegation.js'
import { type ParsedAction, parseAction } from './parse-action.js'
import type { ActionTargets } from './repair-action.js'
import { parseTextReply, type TextCall } from './text-calls.js'

/** The reply of a model in one step. */
export interface ModelReply {
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  readonly usage: TokenUsage
  /** The limit of the budget that the reported tokens passed. */
  readonly overrun?: BudgetDecision
}

/** A call the model asks for: as an action, and as the call that executes it. */
export interface PlannedCall {
  readonly call: ToolCall
  readonly action: ToolCallAction | AgentCallAction
}

/** A reply as the runtime interprets it. */
export type InterpretedReply =
  | {
      readonly kind: 'final'
      readonly action: FinalAction
      readonly content: Content
      readonly repairs: readonly string[]
    }
  | {
      readonly kind: 'calls'
      readonly calls: readonly PlannedCall[]
      /** True for calls in the API's own form, whose results are tool messages. */
      readonly native: boolean
      readonly repairs: readonly string[]
    }

/**
 * Reads what the model wants out of its reply. Calls in the API's own form count in every mode; in
 * native mode a reply that is only the JSON of a call counts as that call, since some models print
 * calls as text.
 * @param idOf makes the id of a call that has none, by its place in the reply
 * @throws {ActionParseError} `protocol` — the reply is neither a call nor final.
 */
export function readReply(
  { message, finishReason }: ModelReply,
  mode: ActionMode,
  targets: ActionTargets,
  idOf: (index: number) => string,
): InterpretedReply {
  const { toolCalls = [], content } = message
  if (toolCalls.length)
    return {
      kind: 'calls',
      native: true,
      repairs: [],
      calls: toolCalls.map((call) => ({ call, action: toNativeAction(call, targets) })),
    }
  const text = textOf(content)
  if (mode === 'json') return readJson(text, targets, idOf)
  const blank = text.trim() === ''
  if (blank && (typeof content === 'string' || content.every(({ type }) => type === 'text'))) {
    const why =
      finishReason === 'length'
        ? 'Your reply was cut off before it said anything: be shorter.'
        : 'Your reply was empty.'
    throw new ActionParseError({ feedback: why, rawResponse: text })
  }
  if (mode === 'native')
    return readPrintedAction(text, content, targets, idOf) ?? toFinal(text, content)
  const { calls, text: rest } = parseTextReply(text, targets.tools)
  return calls.length
    ? {
        kind: 'calls',
        native: false,
        repairs: [],
        calls: calls.map((call, index) => plan(call, targets, idOf(index))),
      }
    : toFinal(rest, rest)
}

/**
 * Names the effect of a call, not its spelling: a delegation tool is an agent call, as long as
 * there are agents.
 */
function toNativeAction(
  call: ToolCall,
  { agents }: ActionTargets,
): ToolCallAction | AgentCallAction {
  const action = agents.length ? toAgentAction(call) : undefined
  return action ?? { type: 'tool_call', tool: call.name, args: call.arguments }
}

function readJson(
  text: string,
  targets: ActionTargets,
  idOf: (index: number) => string,
): InterpretedReply {
  const { action, repairs } = parseAction(text, targets)
  if (action.type === 'final') return { kind: 'final', action, content: action.content, repairs }
  return { kind: 'calls', native: false, repairs, calls: [toPlanned(action, targets, idOf(0))] }
}

/** Repairs after which a printed object is certainly a call and not a final reply. */
const harmless: readonly string[] = ['name and arguments read', 'null fields dropped']

/**
 * Reads a reply that is only the JSON of an action: some models print calls as text, or wrap their
 * final reply.
 */
function readPrintedAction(
  text: string,
  content: Content,
  targets: ActionTargets,
  idOf: (index: number) => string,
): InterpretedReply | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  const callable = targets.agents.length
    ? { ...targets, tools: [...targets.tools, ...Object.values(delegationNames)] }
    : targets
  let parsed: ParsedAction
  try {
    parsed = parseAction(text, callable)
  } catch {
    return undefined
  }
  const { action, repairs } = parsed
  if (action.type === 'final') {
    if (typeof content !== 'string' || repairs.some((repair) => repair !== 'null fields dropped'))
      return undefined
    return {
      kind: 'final',
      action,
      content: action.content,
      repairs: [...repairs, 'printed answer unwrapped'],
    }
  }
  const known =
    action.type === 'tool_call'
      ? callable.tools.includes(action.tool)
      : targets.agents.includes(action.agent)
  if (!known || repairs.some((repair) => !harmless.includes(repair))) return undefined
  return {
    kind: 'calls',
    native: false,
    repairs: [...repairs, 'printed call taken as one'],
    calls: [toPlanned(action, targets, idOf(0))],
  }
}

/** A reply without calls. */
export const toFinal = (
  text: string,
  content: Content,
): Extract<InterpretedReply, { kind: 'final' }> => ({
  kind: 'final',
  action: { type: 'final', content: text },
  content,
  repairs: [],
})

const plan = ({ tool, args }: TextCall, targets: ActionTargets, id: string): PlannedCall =>
  toPlanned({ type: 'tool_call', tool, args }, targets, id)

function toPlanned(
  action: ToolCallAction | AgentCallAction,
  targets: ActionTargets,
  id: string,
): PlannedCall {
  if (action.type === 'agent_call') return { action, call: toDelegationCall(action, id) }
  const call = {
    id,
    name: action.tool,
    arguments: action.args,
    argumentsText: JSON.stringify(action.args),
  }
  const { thought } = action
  return {
    action: { ...toNativeAction(call, targets), ...(thought !== undefined && { thought }) },
    call,
  }
}

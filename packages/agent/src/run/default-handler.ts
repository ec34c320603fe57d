import { type ChatMessage, isObject, type JsonObject } from '@modelport/core'
import {
  BudgetLedger,
  type CompactionResult,
  type InferRequest,
  infer,
  type ResumeDecision,
  ResumeError,
  type RunBudget,
  type RunEvent,
  type RunResult,
} from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { Message } from '../models/message.js'
import type { TaskEventBody } from '../models/task-event.js'
import type { TaskTurn } from '../session/task-leases.js'
import type { AgentSettings } from './agent.js'
import { budgetOf } from './budget-of.js'
import { toContent } from './content.js'
import { type MessageCalls, requestOfCalls } from './message-calls.js'
import { noModel } from './no-model.js'
import { bindTool } from './pending-work.js'
import { allowsCompaction, toAuthorize } from './policy.js'
import { hasContent } from './read-messages.js'
import { bindTarget, type ChildResult, type ChildWaits } from './sub-agent.js'
import type { Turn } from './turn.js'
import { askedBy, toResumeDecisions } from './wait-state.js'

/** What a run of the model works with. */
export interface ModelTurn extends Omit<Turn, 'message'> {
  /** Unset: it is not new. */
  readonly message: Message | undefined
  readonly runId: string
  readonly children: ChildWaits
  /** The calls that the message makes itself. */
  readonly calls?: MessageCalls
  /** The part of the run that another process stored. */
  readonly stored?: TaskTurn
  /** Called when the run made its conversation shorter. */
  readonly onCompacted: (report: CompactionResult) => void
  /** Messages that the stored run has not read. */
  readonly unread: readonly Message[]
}

/** Runs the model of an agent on one message, or continues a suspended run. */
export async function runModel(turn: ModelTurn): Promise<RunResult> {
  const { agent, wait, signal, stored } = turn
  const { provider = noModel } = agent.settings
  const { durable, ...base } = { ...requestOf(turn), signal }
  const resume = stored ? stored.resume : wait?.checkpoint
  if (!resume)
    return infer(provider, {
      ...base,
      durable,
      messages: turn.conversation,
      ...(asksModel(turn) && queryOf(turn.message)),
    })
  const pending = new Map(resume.pending.map((item) => [item.id, item.type]))
  // A decision belongs to the checkpoint that asked for it: a later one has used it.
  const asked = wait && (stored ? askedBy(wait, resume) : wait.requests)
  const decisions = [
    ...toResumeDecisions(asked ?? [], turn.decisions),
    ...[...turn.results].map(([id, outcome]) => toDecision(id, outcome)),
  ]
  const fits = ({ id, type }: ResumeDecision): boolean =>
    pending.has(id) && ((type !== 'result' && type !== 'failure') || pending.get(id) !== 'approval')
  const unread = stored
    ? turn.unread
    : turn.message && hasContent(turn.message)
      ? [turn.message]
      : []
  const followUps = unread.map(
    ({ parts }): ChatMessage => ({ role: 'user', content: toContent(parts) }),
  )
  return infer(provider, {
    ...base,
    messages: [...(stored ? stored.messages : (wait?.messages ?? [])), ...followUps],
    durable: {
      ...durable,
      resume,
      decisions: decisions.filter(fits),
      acceptChange: (_, touched) => mayContinue(turn, touched.length > 0),
    },
  }).catch((error: unknown) => {
    // In a durable store an operator decides; see `Activations`.
    if (error instanceof ResumeError && (!stored || mustFail(turn, error)))
      throw new AgentError('unsupported-operation', error.message, { cause: error })
    throw error
  })
}

/** True if a run that was stored under other settings of the agent continues under these. */
function mayContinue({ agent, stored }: ModelTurn, touchesPending: boolean): boolean {
  if (stored?.acceptsChange) return true
  return (agent.settings.onChange ?? 'continue') === 'continue' && !touchesPending
}

const mustFail = ({ agent }: ModelTurn, { problem }: ResumeError): boolean =>
  problem === 'fingerprint' && agent.settings.onChange === 'stop'

/** False for a turn that only makes the calls of its message. */
const asksModel = ({ calls }: ModelTurn): boolean => calls?.asksModel !== false

function toDecision(id: string, outcome: ChildResult): ResumeDecision {
  if ('result' in outcome) return { type: 'result', id, result: outcome.result }
  if ('unknown' in outcome) return { type: 'give-up', id }
  return { type: 'failure', id, message: outcome.failure }
}

const queryOf = (message: Message | undefined): Pick<InferRequest, 'query'> =>
  message ? { query: toContent(message.parts) } : {}

/** The schema that an `infer` part asks for, or that of the agent. */
const schemaOf = ({ agent, message }: ModelTurn): JsonObject | undefined => {
  const asked = message?.parts.flatMap((part) =>
    part.type === 'infer' && part.content.outputSchema ? [part.content.outputSchema] : [],
  )
  return asked?.[0] ?? agent.settings.outputSchema
}

function requestOf(turn: ModelTurn): InferRequest {
  const { agent, run, scope } = turn
  const { settings } = agent
  // A turn that asks no model has no reply that could have a form.
  const outputSchema = asksModel(turn) ? schemaOf(turn) : undefined
  const { traceId } = run
  return {
    ...pick(settings, ['system', 'prepareStep', 'stopWhen', 'models', 'mode', 'options']),
    ...(settings.tools && { tools: settings.tools.map((tool) => bindTool(tool, turn)) }),
    ...(settings.handoffs && { handoffs: bindHandoffs(settings.handoffs, turn) }),
    ...(turn.calls &&
      requestOfCalls(turn.calls, (event) => turn.write(event), turn.entropy, settings.stopWhen)),
    limits: {
      ...settings.limits,
      ...pick(settings, ['capabilities', 'profile']),
      ...(settings.compaction &&
        allowsCompaction(settings.policy) && { compaction: settings.compaction }),
      budget: runBudgetOf(turn),
    },
    agents: (settings.agents ?? []).map((target) => bindTarget(target, run, turn)),
    authorize: toAuthorize(settings.policy ?? {}, scope),
    durable: {
      runId: turn.runId,
      policyVersion: settings.policy?.version ?? '1',
      scope: {
        sessionId: run.sessionId,
        keyPrefix: `${run.taskId}/${turn.runId}`,
        ...(traceId !== undefined && { traceId }),
        webhook: (call) => turn.webhook(turn.runId, call),
      },
      ...(turn.stored && { journal: turn.stored.journal }),
    },
    observe: { agentName: agent.name, sink: { write: (event) => store(turn, event) } },
    ...(outputSchema && { outputSchema }),
  }
}

/** Whom the model can hand over to, with tools that are called for one task. */
const bindHandoffs = (
  handoffs: NonNullable<AgentSettings['handoffs']>,
  turn: ModelTurn,
): InferRequest['handoffs'] =>
  Object.fromEntries(
    Object.entries(handoffs).map(([name, target]) => [
      name,
      {
        ...target,
        ...(target.tools && {
          tools: target.tools.map((tool) =>
            typeof tool === 'string' ? tool : bindTool(tool, turn),
          ),
        }),
      },
    ]),
  )

/** The budget of the agent, lowered to what the caller grants and to the time that is left. */
function runBudgetOf({ agent, run, scope, deadline }: ModelTurn): RunBudget | BudgetLedger {
  const given = budgetOf(agent, run.principal)
  const own = given instanceof BudgetLedger ? {} : given
  const budget: { -readonly [K in keyof RunBudget]: RunBudget[K] } = { ...own }
  for (const [name, limit] of Object.entries(run.limits ?? {}) as [keyof RunBudget, number][])
    budget[name] = Math.min(limit, own[name] ?? Infinity)
  if (deadline !== undefined) {
    const left = Math.max(1, deadline - scope.now())
    budget.maxRuntimeMs = Math.min(left, budget.maxRuntimeMs ?? Infinity)
  }
  return given instanceof BudgetLedger ? given.child(budget) : budget
}

function pick<T extends object, K extends keyof T>(
  from: T,
  keys: readonly K[],
): { [P in K]: Exclude<T[P], undefined> } {
  return Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as {
    [P in K]: Exclude<T[P], undefined>
  }
}

/** The model call of the run that the last text delta came from. */
const lastCalls = new WeakMap<ModelTurn, string>()

/** What the model thinks, as it comes. */
type Thought = Extract<RunEvent, { readonly type: 'reasoning-delta' }>

/** The reasoning of each run that is not stored yet: its pieces are often a word. */
const thoughts = new WeakMap<ModelTurn, Thought>()

/** Characters of reasoning that are stored together. */
const thoughtLength = 200

/** Stores one event of the run, behind the reasoning that came before it. */
function store(turn: ModelTurn, event: RunEvent): Promise<void> | undefined {
  const before = thoughts.get(turn)
  if (event.type !== 'reasoning-delta') {
    thoughts.delete(turn)
    if (before) void storeEvent(turn, before)
    return storeEvent(turn, event)
  }
  if (turn.agent.settings.reasoning !== 'keep') return undefined

  const isSame = before?.step === event.step && before.attempt === event.attempt
  const thought = isSame ? { ...event, text: before.text + event.text } : event
  if (before && !isSame) void storeEvent(turn, before)
  if (thought.text.length < thoughtLength) {
    thoughts.set(turn, thought)
    return undefined
  }
  thoughts.delete(turn)
  return storeEvent(turn, thought)
}

/**
 * Stores one event of the run. Text is stored as text; the first piece of each call and attempt
 * replaces what was shown before.
 */
function storeEvent(turn: ModelTurn, event: RunEvent): Promise<void> | undefined {
  if (event.type === 'context-compacted') turn.onCompacted(event.report)
  const write = (body: TaskEventBody): Promise<void> | undefined => {
    const written = turn.write(body)
    if (!turn.stored) return written
    // The journal keeps the order, and reports the failure of any write at its next one.
    written.catch(() => undefined)
    return undefined
  }
  if (event.type === 'text-delta') {
    const call = `${event.step}/${event.attempt}`
    const isFirst = lastCalls.get(turn) !== call
    lastCalls.set(turn, call)
    turn.setAttempt(event.attempt)
    return write({
      type: 'text-delta',
      text: event.text,
      ...(isFirst && { first: true as const }),
      ...(turn.stored && { runSeq: event.seq }),
    })
  }
  if (event.type === 'tool-call-delta' || event.type === 'context-prepared') return undefined
  if (event.type === 'tool-progress')
    return write({ type: 'progress', ...progressOf(event.progress) })
  return write({ type: 'run', event: plainEvent(shorten(event)) })
}

/** What a tool reports, as progress of a task: its `percent` and `message`, or its text. */
function progressOf(value: unknown): { readonly percent?: number; readonly message?: string } {
  const { percent, message } = isObject(value) ? value : {}
  if (typeof percent !== 'number' && typeof message !== 'string')
    return { message: typeof value === 'string' ? value : JSON.stringify(value) }
  return {
    ...(typeof percent === 'number' && { percent }),
    ...(typeof message === 'string' && { message }),
  }
}

/**
 * Maximum messages of the conversation that a stored model call lists: what a task stores must not
 * grow with its session.
 */
const mostHistoryBlocks = 32

/**
 * Drops the oldest messages of the conversation from the list of sent blocks; its sums still count
 * them.
 */
function shorten(event: RunEvent): RunEvent {
  if (event.type !== 'model-call-start') return event
  const { blocks } = event.manifest
  let surplus = blocks.filter(({ origin }) => origin === 'history').length - mostHistoryBlocks
  if (surplus <= 0) return event
  const kept = blocks.filter(({ origin }) => origin !== 'history' || surplus-- <= 0)
  return { ...event, manifest: { ...event.manifest, blocks: kept } }
}

/** Results may hold values that JSON has no form for. */
const plainEvent = (event: RunEvent): RunEvent => {
  try {
    return JSON.parse(JSON.stringify(event)) as RunEvent
  } catch {
    return { ...event, ...('result' in event && { result: String(event.result) }) }
  }
}

/**
 * The message of a failed run for the caller: its class, never a key, an address or a stack.
 *
 * @param made what the run had done by then: it is not to be asked for again
 */
export function failureText(result: RunResult, made?: string): string {
  if (made === undefined) return reasonOf(result)
  const reason =
    result.status === 'failed' && result.error.retryable
      ? `The model call failed: ${result.error.code}`
      : reasonOf(result)
  return `${reason}${reason.endsWith('.') ? '' : '.'} ${made}`
}

function reasonOf(result: RunResult): string {
  switch (result.status) {
    case 'failed':
      return `The model call failed: ${result.error.code}; ${result.error.retryable ? 'send the message again later' : 'the operator of the agent reads why'}`
    case 'limit':
      return result.problem === undefined
        ? result.message
        : `${result.message} The last one: ${result.problem}`
    case 'budget':
      return result.message
    case 'cancelled':
      return 'The task was cancelled'
    case 'final':
    case 'suspended':
      return ''
  }
}

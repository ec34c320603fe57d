import type { JsonObject } from '@modelport/core'
import { canonicalJson } from '../../base/canonical-json.js'
import { copyJson } from '../../base/copy-json.js'
import { jsonHash } from '../../base/json-hash.js'
import { messageOf } from '../../base/message-of.js'
import type { RunEventEmitter } from '../../events/run-event-emitter.js'
import { sourcesOf } from '../../history/sources.js'
import type { RecordedDecision } from '../../journal/journal-entry.js'
import type { PendingApproval } from '../../journal/pending-item.js'
import {
  type Approval,
  type Authorize,
  type Decision,
  toApproval,
  toDecision,
} from '../../policy/authorize.js'
import type { PlannedCall } from '../../reply/read-reply.js'
import type { Tool } from '../../tools/tool.js'
import type { Uses } from '../state/run-state.js'

/** The parts of a run that a decision about a call uses. */
type PermissionParts = Uses<
  'request' | 'control' | 'tools' | 'conversation' | 'meter' | 'events' | 'storage' | 'turn'
>

/** Whether a call may run. */
export type Verdict =
  | {
      readonly effect: 'allow'
      readonly arguments?: JsonObject
      /** True if a person approved the call. */
      readonly approved?: true
    }
  | { readonly effect: 'deny'; readonly reason: string }
  | { readonly effect: 'wait'; readonly item: PendingApproval }

/** The policy of the agent in control. */
export const authorizeOf = ({
  request,
  control,
}: Uses<'request' | 'control'>): Authorize | undefined =>
  control.handoff?.authorize ?? request.authorize

/** Asks the policy about a call, or reuses its recorded decision, and applies later decisions. */
export async function permit(
  state: PermissionParts,
  planned: PlannedCall,
  index: number,
  tool: Tool,
): Promise<Verdict> {
  const { storage } = state
  const { call } = planned
  if (!authorizeOf(state) || call.error !== undefined) return { effect: 'allow' }
  const key = storage.log.keyOf('authorization', index)
  const decision = await decisionOf(state, planned, key)
  if (decision.effect !== 'require-approval') return decision
  return settle(state, planned, key, tool, decision)
}

/** What was decided about a call: by the policy now, or recorded. */
async function decisionOf(
  state: PermissionParts,
  planned: PlannedCall,
  key: string,
): Promise<RecordedDecision> {
  const { storage, events } = state
  const { action } = planned
  if (storage.log.find(key)?.receipt?.kind !== 'authorization') {
    const label = action.type === 'tool_call' ? action.tool : action.agent
    const effect = {
      kind: 'authorization',
      label,
      repeat: 'always',
      input: { ...action },
    } as const
    const made = await storage.log.perform(key, effect, () => decideNow(state, planned, key))
    if (made) return made.value
  }
  const recorded = storage.log.find(key)?.receipt
  if (recorded?.kind !== 'authorization')
    throw new TypeError(`${key} was recorded as something else`)
  events.skipTo(recorded.seq)
  return recorded.decision
}

async function decideNow(
  state: PermissionParts,
  planned: PlannedCall,
  key: string,
): Promise<RecordedDecision> {
  const { storage, events } = state
  const { action, call } = planned
  await storage.log.intend(key, { entry: 'intent', kind: 'authorization', callId: call.id, action })
  const { decision, approval } = await ask(state, planned)
  await storage.log.record(key, {
    entry: 'receipt',
    kind: 'authorization',
    callId: call.id,
    decision,
  })
  if (approval) events.emit({ type: 'approval-decision', actionId: call.id, ...approval })
  return decision
}

/** The decision, after everybody who could be asked was asked. */
interface Asked {
  readonly decision: RecordedDecision
  readonly approval?: Approval
}

/** What `authorize` says about a call. */
export async function askPolicy(
  state: Uses<'request' | 'control' | 'conversation' | 'turn'>,
  { action, call }: PlannedCall,
): Promise<unknown> {
  const { request, turn, conversation } = state
  const seen = sourcesOf(conversation.transcript.messages)
  return authorizeOf(state)?.(action, {
    runId: request.runId,
    step: turn.step,
    actionId: call.id,
    seen,
    context: request.context,
    signal: request.signal,
  })
}

async function ask(state: PermissionParts, planned: PlannedCall): Promise<Asked> {
  const { call } = planned
  let given: Decision
  try {
    given = toDecision(
      await state.meter.wait(state.tools.eager.decisionOf(call.id) ?? askPolicy(state, planned)),
    )
  } catch (error) {
    throwIfOver(state)
    given = { effect: 'deny', reason: messageOf(error) }
  }
  report(state.events, call.id, given)
  if (given.effect === 'deny') return { decision: { effect: 'deny', reason: given.reason } }
  if (given.effect === 'allow')
    return { decision: { effect: 'allow', ...(given.arguments && { arguments: given.arguments }) } }
  const { reason, expiresAt } = given
  if (!given.ask) {
    const waiting = {
      ...(reason !== undefined && { reason }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
    return { decision: { effect: 'require-approval', ...waiting } }
  }
  const approval = await askSomebody(state, (abort) => given.ask?.(abort) ?? false)
  if (approval.approved) return { approval, decision: { effect: 'allow', approved: true } }
  return {
    approval,
    decision: { effect: 'deny', reason: approval.reason ?? 'approval was refused' },
  }
}

async function askSomebody(
  state: Uses<'request' | 'meter'>,
  askThem: NonNullable<Extract<Decision, { effect: 'require-approval' }>['ask']>,
): Promise<Approval> {
  try {
    return toApproval(await state.meter.wait(askThem(state.request.signal)))
  } catch (error) {
    throwIfOver(state)
    return { approved: false, reason: messageOf(error) }
  }
}

/** Throws if the run ended while an approval was pending: that is not a denial. */
function throwIfOver({ request, meter }: Uses<'request' | 'meter'>): void {
  request.signal.throwIfAborted()
  meter.ledger.checkTime()
}

function report(
  events: RunEventEmitter,
  actionId: string,
  decision: Decision | RecordedDecision,
): void {
  const reason = 'reason' in decision ? decision.reason : undefined
  events.emit({
    type: 'policy-decision',
    actionId,
    effect: decision.effect,
    ...(reason !== undefined && { reason }),
    ...('ask' in decision && { asked: true as const }),
  })
}

/** Applies the decision of a person, if there is one; else the call waits. */
async function settle(
  state: Uses<'conversation' | 'meter' | 'events' | 'storage'>,
  { action, call }: PlannedCall,
  key: string,
  tool: Tool,
  { reason, expiresAt }: Extract<RecordedDecision, { effect: 'require-approval' }>,
): Promise<Verdict> {
  const checked = await state.meter.wait(tool.validate(copyJson(call.arguments)))
  // Arguments that are not valid are refused when they would be executed; nobody is asked about
  // them.
  if (!checked.ok) return { effect: 'allow' }
  const { thought: _thought, ...approved } = action
  const item: PendingApproval = {
    type: 'approval',
    id: call.id,
    action,
    // What somebody approves: the action, the tool behind it, and the arguments as the tool will
    // get them.
    digest: jsonHash(canonicalJson([approved, tool.definition, checked.value])),
    ...(reason !== undefined && { reason }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const decided = decide(state, item)
  if (!decided) return { effect: 'wait', item }
  const { approval, verdict } = decided
  await state.storage.log.record(key, {
    entry: 'receipt',
    kind: 'authorization',
    callId: call.id,
    decision: verdict,
  })
  state.events.emit({ type: 'approval-decision', actionId: call.id, ...approval })
  return verdict
}

/** The decision about an item, and its effect. Undefined: nothing yet. */
function decide(
  { storage, conversation }: Uses<'conversation' | 'storage'>,
  { id, digest, expiresAt }: PendingApproval,
):
  | { readonly approval: Approval; readonly verdict: Exclude<Verdict, { effect: 'wait' }> }
  | undefined {
  const given = storage.decisions.get(id)
  const refuse = (
    reason: string,
    by?: string,
  ): {
    readonly approval: Approval
    readonly verdict: { readonly effect: 'deny'; readonly reason: string }
  } => ({
    approval: { approved: false, reason, ...(by !== undefined && { by }) },
    verdict: { effect: 'deny', reason },
  })
  if (given?.type === 'deny') return refuse(given.reason ?? 'approval was refused', given.by)
  // On an engine the end of the wait is recorded, and says so by a decision.
  const isOver = !storage.log.isOnEngine && expiresAt !== undefined && expiresAt <= Date.now()
  if (given?.type === 'expire' || isOver) return refuse('nobody approved the call in time')
  if (given?.type === 'approve' && given.digest === digest) {
    const { by, arguments: changed } = given
    return {
      approval: { approved: true, ...(by !== undefined && { by }) },
      verdict: { effect: 'allow', approved: true, ...(changed && { arguments: changed }) },
    }
  }
  return conversation.hasFollowUps
    ? refuse('the user sent a new message instead of approving the call')
    : undefined
}

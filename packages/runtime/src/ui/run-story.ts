import { isObject } from '@modelport/core'
import type { RunEvent } from '../events/run-event.js'
import type { PendingItem } from '../journal/pending-item.js'

/** The visible changes of a run, one at a time. Both UI protocols are written from these. */
export type StoryChange =
  | { readonly type: 'start'; readonly runId: string }
  | { readonly type: 'step-start' | 'step-end'; readonly step: number }
  | { readonly type: 'block-start' | 'block-end'; readonly kind: BlockKind; readonly id: string }
  | {
      readonly type: 'block-delta'
      readonly kind: BlockKind
      readonly id: string
      readonly text: string
    }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'approval-request'
      readonly id: string
      /** Set when the run has stopped to wait: what a decision holds for. */
      readonly digest?: string
      /** True if somebody is asked while the run continues. */
      readonly asked?: boolean
      readonly reason?: string | undefined
    }
  | {
      readonly type: 'approval'
      readonly id: string
      readonly approved: boolean
      readonly reason?: string | undefined
    }
  | {
      readonly type: 'call-progress' | 'call-result'
      readonly id: string
      readonly output: unknown
    }
  | { readonly type: 'call-error'; readonly id: string; readonly message: string }
  | { readonly type: 'call-denied'; readonly id: string; readonly reason: string }
  | { readonly type: 'failure'; readonly message: string; readonly code: string }
  | {
      readonly type: 'end'
      readonly runId: string
      readonly outcome: StoryOutcome
      readonly pending: readonly PendingItem[]
    }

/** How a run ended, for a page; `length` if the limit of output tokens cut its reply off. */
export type StoryOutcome = 'final' | 'length' | 'suspended' | 'stopped'

/** Text for the user, or reasoning. */
export type BlockKind = 'text' | 'reasoning'

/** Follows a run and lists what changes on a screen. */
export class RunStory {
  #runId = ''
  #isStarted = false
  #step = 0
  #attempt = 0
  #block: { readonly kind: BlockKind; readonly id: string } | undefined
  #blocks = 0
  /** True once text of the current attempt was shown. */
  #hasText = false
  #outcome: StoryOutcome = 'stopped'
  #pending: readonly PendingItem[] = []

  /** The changes that an event makes; none for events that a user does not see. */
  changesOf(event: RunEvent): readonly StoryChange[] {
    const start: StoryChange[] = this.#isStarted ? [] : [{ type: 'start', runId: event.runId }]
    this.#isStarted = true
    this.#runId = event.runId
    if (this.#outcome === 'suspended' && event.type !== 'run-suspended') {
      // The events of a run that was resumed: it waits no more.
      this.#outcome = 'stopped'
      this.#pending = []
    }
    return [...start, ...this.#changes(event)]
  }

  /** The changes at the end of the events. */
  end(): readonly StoryChange[] {
    return [
      ...this.#endStep(),
      { type: 'end', runId: this.#runId, outcome: this.#outcome, pending: this.#pending },
    ]
  }

  #changes(event: RunEvent): readonly StoryChange[] {
    switch (event.type) {
      case 'step-start':
        return this.#startStep(event.step)
      case 'text-delta':
        return this.#delta('text', event.text, event.attempt)
      case 'reasoning-delta':
        return this.#delta('reasoning', event.text, event.attempt)
      case 'model-call-end':
        return this.#endBlock()
      case 'final':
        this.#outcome = event.truncated ? 'length' : 'final'
        return this.#hasText
          ? []
          : [...this.#delta('text', event.action.content, this.#attempt), ...this.#endBlock()]
      case 'model-error':
        return event.recoverable
          ? []
          : [{ type: 'failure', message: event.message, code: event.code }]
      case 'run-limited': {
        const { status, limit, message } = event
        if (limit === 'length') this.#outcome = 'length'
        const code = status === 'budget' ? 'budget-exceeded' : 'limit-exceeded'
        return [{ type: 'failure', message, code: limit === 'length' ? limit : code }]
      }
      case 'run-suspended':
        this.#outcome = 'suspended'
        // Stored events may be damaged.
        this.#pending = Array.isArray(event.pending)
          ? event.pending.filter((item): item is PendingItem => isObject(item))
          : []
        return this.#pending.flatMap((item): readonly StoryChange[] =>
          item.type === 'approval'
            ? [{ type: 'approval-request', id: item.id, digest: item.digest, reason: item.reason }]
            : [],
        )
      default:
        return changesOfAction(event)
    }
  }

  #startStep(step: number): readonly StoryChange[] {
    const changes = this.#endStep()
    this.#step = step
    this.#attempt = 0
    this.#hasText = false
    return [...changes, { type: 'step-start', step }]
  }

  #endStep(): readonly StoryChange[] {
    const changes: StoryChange[] = [...this.#endBlock()]
    if (this.#step > 0) changes.push({ type: 'step-end', step: this.#step })
    this.#step = 0
    return changes
  }

  #delta(kind: BlockKind, text: string, attempt: number): readonly StoryChange[] {
    const changes: StoryChange[] = []
    if (this.#block && (this.#block.kind !== kind || attempt !== this.#attempt))
      changes.push(...this.#endBlock())
    this.#attempt = attempt
    if (kind === 'text') this.#hasText = true
    if (!this.#block) {
      this.#block = { kind, id: `${kind}-${++this.#blocks}` }
      changes.push({ type: 'block-start', ...this.#block })
    }
    return text ? [...changes, { type: 'block-delta', ...this.#block, text }] : changes
  }

  #endBlock(): readonly StoryChange[] {
    const block = this.#block
    this.#block = undefined
    return block ? [{ type: 'block-end', ...block }] : []
  }
}

function changesOfAction(event: RunEvent): readonly StoryChange[] {
  switch (event.type) {
    case 'action-requested': {
      const { actionId: id, action } = event
      if (action.type === 'tool_call')
        return [{ type: 'call', id, name: action.tool, input: action.args }]
      const input =
        action.action === 'infer'
          ? { prompt: action.prompt }
          : { tool: action.tool, args: action.args }
      return [{ type: 'call', id, name: action.agent, input }]
    }
    case 'action-repeated':
      return [{ type: 'call-error', id: event.actionId, message: 'the same call was made before' }]
    case 'policy-decision':
      if (event.effect === 'deny')
        return [{ type: 'call-denied', id: event.actionId, reason: event.reason ?? 'denied' }]
      return event.effect === 'require-approval'
        ? [
            {
              type: 'approval-request',
              id: event.actionId,
              reason: event.reason,
              asked: event.asked === true,
            },
          ]
        : []
    case 'approval-decision': {
      const { actionId: id, approved, reason } = event
      const denial: StoryChange[] = approved
        ? []
        : [{ type: 'call-denied', id, reason: reason ?? 'approval was refused' }]
      return [{ type: 'approval', id, approved, reason }, ...denial]
    }
    case 'tool-progress':
      return [{ type: 'call-progress', id: event.actionId, output: event.progress }]
    case 'tool-result':
    case 'agent-call-result':
      return [{ type: 'call-result', id: event.actionId, output: event.result }]
    case 'tool-error':
    case 'agent-call-error':
      return event.phase === 'authorization'
        ? []
        : [{ type: 'call-error', id: event.actionId, message: event.message }]
    default:
      return []
  }
}

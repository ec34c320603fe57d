import type { ChatMessage, Provider } from '@modelport/core'
import { LlmError, isLlmError } from '@modelport/core'
import { type Approval, type Authorize, infer, type RunEvent, type RunResult, type Tool } from '@modelport/runtime'
import type { DecideCall, RunRecord, RunStatus, StartRun, StudioEvent } from '../protocol/protocol.js'
import type { StudioModel } from './studio-options.js'

/** What the listener of a run receives: the events since the last call, in order. */
export type LiveListener = (events: readonly StudioEvent[]) => void

/** What a live run needs from its surroundings. */
export interface LiveContext {
  readonly model: StudioModel
  readonly tools: readonly Tool[]
  readonly now: () => number
  readonly provider: () => Promise<Provider>
}

type Unnumbered = StudioEvent extends infer Event
  ? Event extends StudioEvent
    ? Omit<Event, 'seq' | 'at'>
    : never
  : never

interface PendingCall {
  readonly resolve: (approval: Approval) => void
}

/** Start of the last thing that the user said, for a list. */
export function titleOf(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user')
  const { content } = last ?? { content: '' }
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  return text.trim().slice(0, 120) || 'without text'
}

/** One run while it happens: its events, its pending approvals, and whoever listens. */
export class LiveRun {
  readonly events: StudioEvent[] = []
  readonly #context: LiveContext
  readonly #abort = new AbortController()
  readonly #listeners = new Set<LiveListener>()
  readonly #pending = new Map<string, PendingCall>()
  #run: RunRecord

  constructor(run: RunRecord, context: LiveContext) {
    this.#run = run
    this.#context = context
  }

  /** The run as it stands. */
  get run(): RunRecord {
    return this.#run
  }

  /** Runs to the end. Never rejects: a failure is the run's outcome. */
  async start(request: StartRun): Promise<RunRecord> {
    const { model, tools, now, provider } = this.#context
    try {
      const result = await infer(await provider(), {
        messages: request.messages,
        tools,
        authorize: this.#authorize(request.approvals ?? 'ask'),
        options: request.options ?? {},
        signal: this.#abort.signal,
        runId: this.#run.id,
        ...(model.profile && { profile: model.profile }),
        onEvent: (event: RunEvent) => {
          this.#mark(event)
          this.#emit({ type: 'run', event })
        },
      })
      this.#run = { ...this.#run, ...toOutcome(result), latencyMs: now() - this.#run.at }
    } catch (error) {
      const { code, message } = isLlmError(error) ? error : new LlmError('config', String(error))
      this.#run = { ...this.#run, status: 'failed', error: { code, message }, latencyMs: now() - this.#run.at }
    }
    this.#emit({ type: 'end', run: this.#run })
    this.#listeners.clear()
    return this.#run
  }

  /** Ends the run as `cancelled`; what has arrived stays. */
  stop(): void {
    this.#abort.abort(new DOMException('stopped by the user', 'AbortError'))
  }

  /** Answers a pending approval. False when no call with this id is waiting. */
  decide({ callId, approved, reason }: DecideCall): boolean {
    const pending = this.#pending.get(callId)
    if (!pending) return false
    this.#pending.delete(callId)
    this.#setStatus(this.#pending.size > 0 ? 'waiting' : 'running')
    this.#emit({ type: 'decision', callId, approved, ...(reason !== undefined && { reason }) })
    pending.resolve({ approved, by: 'studio', ...(reason !== undefined && { reason }) })
    return true
  }

  /** Calls the listener with the events after `after`, then with each new batch; returns what ends that. */
  subscribe(after: number, listener: LiveListener): () => void {
    if (this.events.length > after) listener(this.events.slice(after))
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #authorize(approvals: 'ask' | 'allow'): Authorize {
    if (approvals === 'allow') return () => ({ effect: 'allow' })
    return (action, { actionId }) => ({
      effect: 'require-approval',
      ask: (signal) =>
        new Promise<Approval>((resolve, reject) => {
          const tool = action.type === 'tool_call' ? action.tool : action.agent
          this.#pending.set(actionId, { resolve })
          this.#setStatus('waiting')
          this.#emit({ type: 'approval', callId: actionId, tool, args: 'args' in action ? action.args : undefined })
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        }),
    })
  }

  #mark(event: RunEvent): void {
    if (this.#run.firstTokenMs !== undefined || !isText(event)) return
    this.#run = { ...this.#run, firstTokenMs: this.#context.now() - this.#run.at }
  }

  #setStatus(status: RunStatus): void {
    this.#run = { ...this.#run, status }
  }

  #emit(event: Unnumbered): void {
    const numbered = { ...event, seq: this.events.length + 1, at: this.#context.now() } as StudioEvent
    this.events.push(numbered)
    for (const listener of this.#listeners) listener([numbered])
  }
}

const isText = ({ type }: RunEvent): boolean => type === 'text-delta' || type === 'reasoning-delta'

function toOutcome(
  result: RunResult,
): Pick<RunRecord, 'status' | 'transcript' | 'usage'> & Partial<Pick<RunRecord, 'cost' | 'error'>> {
  const { status, transcript, usage, metrics } = result
  return {
    status,
    transcript,
    usage,
    ...(metrics.totalCost !== undefined && { cost: metrics.totalCost }),
    ...(result.status === 'failed' && { error: { code: result.error.code, message: result.error.message } }),
    ...((result.status === 'limit' || result.status === 'budget') && {
      error: { code: result.status, message: result.message },
    }),
  }
}

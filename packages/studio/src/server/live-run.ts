import { type ChatMessage, configError, isLlmError, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { checkAnswer, ResumeError, type RunEvent } from '@modelport/runtime'
import type { PendingCall } from '../protocol/pending-call.js'
import type {
  DecideCall,
  RunRecord,
  RunStatus,
  StartRun,
  StudioEvent,
} from '../protocol/protocol.js'
import { toInterrupted } from '../store/studio-store.js'
import type { Decision, ExecuteRun } from './run-port.js'
import { WaitClock } from './wait-clock.js'

/** The argument of a run's listener: the events since the last call, in order. */
export type LiveListener = (events: readonly StudioEvent[]) => void

type Unnumbered = StudioEvent extends infer Event
  ? Event extends StudioEvent
    ? Omit<Event, 'seq' | 'at'>
    : never
  : never

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

/** One run while it happens: its events, its pending approvals, and its listeners. */
export class LiveRun {
  readonly events: StudioEvent[]
  readonly #execute: ExecuteRun
  readonly #now: () => number
  readonly #abort = new AbortController()
  readonly #listeners = new Set<LiveListener>()
  readonly #pending = new Map<
    string,
    { readonly call: PendingCall; readonly resolve: (to: Decision) => void }
  >()
  #isInterrupted = false
  /** Milliseconds in which no studio ran this run. */
  readonly #idleMs: number
  readonly #waits: WaitClock
  #run: RunRecord

  /** @param before the events of a run that continues, in order */
  constructor(
    run: RunRecord,
    execute: ExecuteRun,
    now: () => number,
    before: readonly StudioEvent[] = [],
  ) {
    this.#run = run
    this.#execute = execute
    this.#now = now
    this.events = [...before]
    this.#idleMs = idleMs(before, now())
    this.#waits = new WaitClock(before)
  }

  /** The run as it stands. */
  get run(): RunRecord {
    return this.#run
  }

  /** Runs to the end. Never rejects: a failure is the run's outcome. */
  async start(request: StartRun): Promise<RunRecord> {
    if (this.events.length > 0) this.#emit({ type: 'continued' })
    try {
      const end = await this.#execute(request, {
        signal: this.#abort.signal,
        run: (event) => {
          if (isText(event)) this.#markFirstToken()
          this.#emit({ type: 'run', event })
        },
        agent: (event) => {
          if (event.type === 'text-delta') this.#markFirstToken()
          this.#emit({ type: 'agent', event })
        },
        task: (task) => {
          this.#run = { ...this.#run, task }
        },
        request: (sent) => this.#emit({ type: 'request', request: sent }),
        note: (text) => this.#emit({ type: 'note', text }),
        ask: (call, signal) => this.#ask(call, signal),
      })
      this.#run = { ...this.#run, ...end, ...this.#times }
    } catch (error) {
      const { code, message } = isLlmError(error) ? error : configError(String(error))
      this.#run = { ...this.#run, status: 'failed', error: { code, message }, ...this.#times }
      // Nothing was called, so the run can be continued once its settings fit again.
      if (error instanceof ResumeError)
        this.#run = {
          ...this.#run,
          status: 'cancelled',
          error: { code: 'interrupted', message },
          canContinue: true,
        }
    }
    if (this.#isInterrupted && this.#run.status === 'cancelled')
      this.#run = toInterrupted(this.#run, true)
    this.#emit({ type: 'end', run: this.#run })
    this.#listeners.clear()
    return this.#run
  }

  /** Ends the run as `cancelled`; what has arrived stays. */
  stop(): void {
    this.#abort.abort(new DOMException('stopped by the user', 'AbortError'))
  }

  /** Ends the run because the studio ends; `canContinue`: the next studio can continue it. */
  interrupt(canContinue: boolean): void {
    this.#isInterrupted = canContinue
    this.stop()
  }

  /** Marks the run as not stored. The first reason stays. */
  markNotKept(error: unknown): void {
    const reason = errorText(error)
    this.#run = { ...this.#run, notKept: this.#run.notKept ?? reason }
  }

  /**
   * Resolves a pending approval or question, or says what became of a call. False when it does not
   * wait.
   * @throws {LlmError} `invalid-request` — the content does not fit, or an uncertain call is
   * allowed or denied
   */
  decide(decision: DecideCall): boolean {
    const { callId, outcome, result, reason, digest, content } = decision
    const { call, resolve } = this.#pending.get(callId) ?? {}
    if (!resolve || call?.question?.digest !== digest) return false
    const approved = isApproved(call?.uncertain === true, decision)
    if (call?.question)
      checkAnswer(call.question, { action: approved ? 'accept' : 'decline', content })
    this.#pending.delete(callId)
    this.#setStatus(this.#pending.size > 0 ? 'waiting' : 'running')
    const shown = reason ?? result
    const said = { approved, ...(outcome && { outcome }) }
    this.#emit({ type: 'decision', callId, ...said, ...(shown !== undefined && { reason: shown }) })
    resolve({
      ...said,
      by: 'studio',
      ...(result !== undefined && { result }),
      ...(reason !== undefined && { reason }),
      ...(content && { content }),
    })
    return true
  }

  /**
   * Calls the listener with the events after `after`, then with each new batch; returns a function
   * that removes it.
   */
  subscribe(after: number, listener: LiveListener): () => void {
    if (this.events.length > after) listener(this.events.slice(after))
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get #elapsed(): number {
    return this.#now() - this.#run.at - this.#idleMs - this.#waits.ms(this.#now())
  }

  get #times(): Pick<RunRecord, 'latencyMs' | 'waitedMs'> {
    const waitedMs = this.#waits.ms(this.#now())
    return { latencyMs: this.#elapsed, ...(waitedMs > 0 && { waitedMs }) }
  }

  #ask(call: PendingCall, signal: AbortSignal): Promise<Decision> {
    return new Promise((resolve, reject) => {
      this.#pending.set(call.callId, { call, resolve })
      this.#setStatus('waiting')
      this.#emit({ type: 'wait', ...call })
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }

  #markFirstToken(): void {
    this.#run = { ...this.#run, firstTokenMs: this.#run.firstTokenMs ?? this.#elapsed }
  }

  #setStatus(status: RunStatus): void {
    this.#run = { ...this.#run, status }
  }

  #emit(event: Unnumbered): void {
    const numbered = { ...event, seq: this.events.length + 1, at: this.#now() } as StudioEvent
    this.events.push(numbered)
    this.#waits.add(numbered)
    for (const listener of this.#listeners) listener([numbered])
  }
}

/**
 * Time between the end of a studio and the next one that continued the run, all such times
 * together.
 */
function idleMs(before: readonly StudioEvent[], now: number): number {
  const last = before.at(-1)
  return before.reduce(
    (sum, { type, at }, index) =>
      type === 'continued' ? sum + at - (before[index - 1]?.at ?? at) : sum,
    last ? now - last.at : 0,
  )
}

const isText = ({ type }: RunEvent): boolean => type === 'text-delta' || type === 'reasoning-delta'

/**
 * True if the call runs now. A call whose outcome is unknown may have had its effect: an allowance
 * does not say that.
 */
function isApproved(isUncertain: boolean, { approved, outcome }: DecideCall): boolean {
  if (isUncertain && outcome === undefined)
    throw new LlmError(
      'invalid-request',
      'the outcome of this call is unknown, so it is neither allowed nor denied; say outcome "happened", "did-not-happen" or "unknown"',
    )
  if (!isUncertain && (approved === undefined || outcome !== undefined))
    throw new LlmError('invalid-request', 'this call was not started; say approved true or false')
  return approved ?? outcome === 'did-not-happen'
}

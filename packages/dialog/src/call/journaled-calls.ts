import { type ChatMessage, LlmError } from '@modelport/core'
import {
  canonicalHash,
  type InferRequest,
  type JournalEntry,
  type RunCheckpoint,
  type RunEventSink,
  type RunJournal,
} from '@modelport/runtime'
import type { Dialog } from '../dialog/dialog.js'
import type { JournaledRun } from './journaled-run.js'
import type { CallOutcome } from './outcome.js'

/** The value of `caller` next to a checkpoint. */
const key = 'calls'

/**
 * A finished call in the checkpoints of later calls: everything that is needed to read its last
 * step again.
 */
interface FinishedCall {
  /** Hash of the dialog that was called. */
  readonly dialog: string
  /** Where the last step began, with everything recorded in it. */
  readonly checkpoint: RunCheckpoint
  /** The messages of the checkpoint. */
  readonly messages: readonly ChatMessage[]
}

/** The calls of a run, as each of its checkpoints has them. */
interface StoredCalls {
  /** In the order they were made. */
  readonly finished: readonly FinishedCall[]
  /** Hash of the dialog of the call that the checkpoint belongs to. */
  readonly dialog: string
  readonly events: number
}

/** The options of one call of a journaled run. */
export interface JournaledPlace extends Partial<Omit<JournaledRun, 'id' | 'signal' | 'useTools'>> {
  /** True makes a model call again that is recorded as failed: the run was opened again for it. */
  readonly repeatFailed?: boolean
  /** Added to the keys of the call; empty for the first. */
  readonly keySuffix: string
}

/**
 * The agent calls of one journaled run, which are made one after the other, and in the same order
 * when the run continues.
 */
export class JournaledCalls {
  readonly #run: JournaledRun
  readonly #finished: FinishedCall[] = []
  /** The stored part of the run when this process took it. */
  readonly #stored: StoredCalls | undefined
  #events: number
  #current: CurrentCall | undefined
  /** Calls that this process began and finished. */
  #count = 0
  /** Why no other call can follow. */
  #end: string | undefined

  constructor(run: JournaledRun) {
    this.#run = run
    // `infer` keeps what it finds under `caller`; only this class writes it.
    this.#stored = run.resume?.caller?.[key] as StoredCalls | undefined
    this.#events = this.#stored?.events ?? 0
  }

  /**
   * Begins the next call: a finished one is read again, and the one that was cut off continues.
   * @throws {LlmError} `invalid-request` — another call is running, none may follow, or the run had
   * another dialog here before.
   */
  begin(called: Dialog): JournaledPlace {
    const number = this.#count + 1
    const refuse = (problem: string): never => {
      throw new LlmError('invalid-request', `call ${number} of run "${this.#run.id}": ${problem}`)
    }
    if (this.#current) refuse('the call before it has not ended; await it first')
    if (this.#end !== undefined)
      refuse(`the call before it ${this.#end}; let its error end the function of the run`)
    const dialog = canonicalHash(called.messages)
    const { finished = [], dialog: cut } = this.#stored ?? {}
    const known = finished[this.#count]
    const isCut = !known && this.#run.resume !== undefined && this.#count === finished.length
    const before = known ? known.dialog : isCut ? cut : undefined
    if (before !== undefined && before !== dialog)
      refuse(
        'its dialog is not the one it had before; a run must make the same calls in the same order',
      )
    const keySuffix = this.#count ? `#${number}` : ''
    if (known) {
      this.#current = new CurrentCall(dialog, known)
      // Everything is recorded: nothing is written again.
      return { keySuffix, resume: known.checkpoint, messages: known.messages }
    }
    const { resume, messages, decisions, sink } = this.#run
    const from = isCut && resume ? { checkpoint: withoutCalls(resume), messages } : undefined
    const current = new CurrentCall(dialog, from)
    this.#current = current
    const journal = current.journal(this.#run.journal, this.#events, (checkpoint) =>
      this.#mark(checkpoint, dialog),
    )
    return {
      keySuffix,
      journal,
      sink: sink && current.sink(sink),
      ...(from && { resume: from.checkpoint, messages, decisions, repeatFailed: true }),
    }
  }

  /** Names the tools of a call to the run. */
  useTools(request: InferRequest): void {
    this.#run.useTools?.(request)
  }

  /**
   * Ends the call that was begun. A call that ended before its run began leaves its place to the
   * next.
   */
  end(outcome: CallOutcome<unknown>): void {
    const current = this.#current
    this.#current = undefined
    const result = outcome.status === 'success' ? outcome.runResult : outcome.error.runResult
    const finished = current?.finished
    if (!current || !result || !finished) return
    const { status } = result
    if (status === 'suspended' || status === 'cancelled' || status === 'budget') {
      this.#end = status === 'budget' ? 'passed its budget' : `was ${status}`
      return
    }
    this.#count++
    this.#finished.push(finished)
    this.#events += current.events
  }

  #mark(checkpoint: RunCheckpoint, dialog: string): RunCheckpoint {
    const calls: StoredCalls = { finished: this.#finished, dialog, events: this.#events }
    return { ...checkpoint, caller: { ...checkpoint.caller, [key]: calls } }
  }
}

/** Notes what a call stores, for the checkpoints of later calls. */
class CurrentCall {
  readonly #dialog: string
  #checkpoint: RunCheckpoint | undefined
  #messages: readonly ChatMessage[]
  /** Written since the checkpoint. */
  #entries: JournalEntry[] = []
  #lastEvent = 0

  constructor(dialog: string, from: Pick<FinishedCall, 'checkpoint' | 'messages'> | undefined) {
    this.#dialog = dialog
    this.#checkpoint = from?.checkpoint
    this.#messages = from?.messages ?? []
  }

  /** The call as later checkpoints have it; undefined if its run never began. */
  get finished(): FinishedCall | undefined {
    if (!this.#checkpoint) return undefined
    const entries = [...this.#checkpoint.entries, ...this.#entries]
    return {
      dialog: this.#dialog,
      checkpoint: { ...this.#checkpoint, entries },
      messages: this.#messages,
    }
  }

  get events(): number {
    return this.#lastEvent
  }

  sink(inner: RunEventSink): RunEventSink {
    return {
      write: (event) => {
        this.#lastEvent = Math.max(this.#lastEvent, event.seq)
        return inner.write(event)
      },
    }
  }

  /**
   * @param eventsBefore events of the run that belong to earlier calls: each call counts its own
   * from 1
   * @param mark adds the calls of the run to a checkpoint
   */
  journal(
    inner: RunJournal,
    eventsBefore: number,
    mark: (checkpoint: RunCheckpoint) => RunCheckpoint,
  ): RunJournal {
    return {
      writeIntent: async (intent, signal) => {
        await inner.writeIntent(intent, signal)
        this.#entries.push(intent)
      },
      writeReceipt: async (receipt) => {
        await inner.writeReceipt(receipt)
        this.#entries.push(receipt)
      },
      writeCheckpoint: async (checkpoint, change) => {
        await inner.writeCheckpoint(mark(checkpoint), change)
        this.#checkpoint = checkpoint
        this.#messages = [...this.#messages.slice(0, change.keep), ...change.add]
        this.#entries = []
      },
      readTail: async (checkpoint) => {
        const tail = await inner.readTail(checkpoint)
        if (!tail) return undefined
        this.#entries = [...tail.entries]
        if (tail.seq === undefined) return tail
        const seq = Math.max(0, tail.seq - eventsBefore)
        this.#lastEvent = Math.max(this.#lastEvent, seq)
        return { ...tail, seq }
      },
    }
  }
}

function withoutCalls({ caller, ...checkpoint }: RunCheckpoint): RunCheckpoint {
  const { [key]: _calls, ...rest } = caller ?? {}
  return Object.keys(rest).length ? { ...checkpoint, caller: rest } : checkpoint
}

/** The calls of each run, by the object that its function was given. */
const known = new WeakMap<JournaledRun, JournaledCalls>()

/** The agent calls of a journaled run. */
export function callsOf(run: JournaledRun): JournaledCalls {
  const calls = known.get(run) ?? new JournaledCalls(run)
  known.set(run, calls)
  return calls
}

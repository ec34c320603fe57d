import type { ChatMessage } from '@modelport/core'
import type {
  InferRequest,
  ResumeDecision,
  RunCheckpoint,
  RunEventSink,
  RunJournal,
} from '@modelport/runtime'

/**
 * A run of a durable store, as `store.runs.run` of `@modelport/durable` hands it to its function.
 */
export interface JournaledRun {
  /** Identifies the run in its store. */
  readonly id: string
  /** Where the call is written down. */
  readonly journal: RunJournal
  /** Stores every event of the call. Unset: events are not stored. */
  readonly sink?: RunEventSink | undefined
  /** Aborts when the store cancels the run, or when another process may have taken it over. */
  readonly signal: AbortSignal
  /** Where the call continues. Unset: it starts. */
  readonly resume?: RunCheckpoint | undefined
  /** The messages stored with `resume`. */
  readonly messages: readonly ChatMessage[]
  /** What was decided about the pending items of `resume`. */
  readonly decisions: readonly ResumeDecision[]
  /** Called with the tools of each call: a store that cancels the run asks them to cancel work. */
  useTools?(tools: Pick<InferRequest, 'tools' | 'sources'>): void
}

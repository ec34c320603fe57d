import type { JsonObject } from '@modelport/core'
import type { AgentCallAction, ToolCallAction } from '../reply/action.js'
import type { Answer, StoredQuestion } from '../tools/question.js'

/** The fields that every pending item has. */
export interface PendingItemFields {
  /** The id of the call it is about; decisions name it. */
  readonly id: string
  /** The call. */
  readonly action: ToolCallAction | AgentCallAction
}

/** A call that nobody has approved yet. It was not started. */
export interface PendingApproval extends PendingItemFields {
  readonly type: 'approval'
  /**
   * SHA-256 over the tool and the validated arguments. An approval repeats it, and holds for
   * nothing else.
   */
  readonly digest: string
  /** Why approval is needed, in the words of `authorize`. */
  readonly reason?: string
  /**
   * When the request expires, in milliseconds since 1970; a run that is resumed later treats it as
   * denied. Unset: never.
   */
  readonly expiresAt?: number
}

/** Work that an agent, or a tool, continues elsewhere: it returned `pending(id)`. */
export interface PendingTask extends PendingItemFields {
  /** `task` for an agent, `wait` for a tool. */
  readonly type: 'task' | 'wait'
  /** What was given to `pending`. */
  readonly taskId: string
  /**
   * When to look again, in milliseconds since 1970: a run that is resumed then asks the tool's
   * `reconcile`, and looks again later if that does not know.
   */
  readonly until?: number
  /** True if the tool can cancel the work: it has `cancelPending`. */
  readonly cancelable?: true
}

/**
 * A call that was started and has no recorded result, of a tool that cannot be repeated. It may
 * have had its effect.
 */
export interface PendingOutcome extends PendingItemFields {
  readonly type: 'uncertain'
  /** The key the call was made with. */
  readonly idempotencyKey: string
  /**
   * Which attempt at the call it was, from 2. Unset: the first. 0: it was not begun, and an earlier
   * one like it may have had the effect.
   */
  readonly attempt?: number
}

/** A call that ended by asking the user. It is executed again, from its start, with the answer. */
export interface PendingQuestion extends PendingItemFields {
  readonly type: 'question'
  /** {@link StoredQuestion.digest}. An answer repeats it. */
  readonly digest: string
  /** What is asked. Texts of an MCP server are its own: show who asks, and the whole address. */
  readonly question: Pick<StoredQuestion, 'message' | 'schema' | 'url' | 'from'>
}

/** What a suspended run waits for. */
export type PendingItem = PendingApproval | PendingTask | PendingOutcome | PendingQuestion

/**
 * What somebody decided about a {@link PendingItem}, given to `infer` with `resume`. Items without
 * a decision stay pending, unless the resumed request has a user message: then they are closed, the
 * model reads why, and the message follows. `attempt` is that of the item that was shown;
 * another one is refused. Unset: as it waits; on DBOS and Restate 1.
 */
export type ResumeDecision =
  /** Executes an `approval`. */
  | {
      readonly type: 'approve'
      readonly id: string
      /** {@link PendingApproval.digest} of what was shown to whoever approved. */
      readonly digest: string
      /** Who decided. */
      readonly by?: string
      /**
       * Executes the call with these arguments instead; they are validated, and the model reads
       * what was executed.
       */
      readonly arguments?: JsonObject
    }
  /** Refuses an `approval`; the model reads the reason. */
  | { readonly type: 'deny'; readonly id: string; readonly reason?: string; readonly by?: string }
  /** Ends the wait for an `approval` that nobody decided in time; the model reads that. */
  | { readonly type: 'expire'; readonly id: string }
  /** Answers a `question`. It is stored before the call is executed again. */
  | {
      readonly type: 'answer'
      readonly id: string
      /** {@link PendingQuestion.digest} of what was shown. */
      readonly digest: string
      readonly action: Answer['action']
      /** Of `accept`: what the schema of the question asks for. */
      readonly content?: JsonObject
      /** Who answered. */
      readonly by?: string
    }
  /** The result of a `task`, a `wait`, or of an `uncertain` call that was executed after all. */
  | {
      readonly type: 'result'
      readonly id: string
      readonly result: unknown
      readonly attempt?: number
    }
  /** A `task`, a `wait` or an `uncertain` call failed; the model reads the message. */
  | {
      readonly type: 'failure'
      readonly id: string
      readonly message: string
      readonly attempt?: number
    }
  /**
   * An `uncertain` call was not executed: the run executes it now, with the same idempotency key.
   */
  | { readonly type: 'repeat'; readonly id: string; readonly attempt?: number }
  /**
   * Nobody will find out about an `uncertain` call, or wait for a `task`; the model reads that its
   * outcome is unknown.
   */
  | { readonly type: 'give-up'; readonly id: string; readonly attempt?: number }

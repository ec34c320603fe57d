import type {
  AssistantMessage,
  Content,
  FinishReason,
  JsonObject,
  UserMessage,
} from '@modelport/core'
import type { ToolOutcome } from '../../tools/tool-outcome.js'

/** A final reply, before it is accepted. */
export interface FinalReply {
  /** The text; in JSON mode that of the field `content`. */
  readonly text: string
  /** The reply as parts, if it has images or sound. */
  readonly content: Content
  /** The whole message. */
  readonly message: AssistantMessage
  /** Why the turn ended: `length` for a reply that was cut off. */
  readonly finishReason: FinishReason
}

/** The result of a parser for a reply. */
export type ParsedOutput<Output> =
  | { readonly ok: true; readonly value: Output }
  | {
      readonly ok: false
      /** All problems at once, for the model and for the event. At least one. */
      readonly issues: readonly string[]
      /**
       * What the model reads instead of the issues. Default: the preset's `parseFailureText`, or a
       * text of this package around the issues.
       */
      readonly correction?: string
    }

/** Turns a final reply into a value. */
export interface OutputParser<Output> {
  /**
   * Called for each final reply, in the loop. A refused reply counts towards `maxParseFailures`,
   * and the model is asked again. An error it throws ends the run as `failed`. Must be pure: a
   * reply that was recorded is parsed again on resume.
   */
  parse(reply: FinalReply): ParsedOutput<Output> | Promise<ParsedOutput<Output>>
  /**
   * Called with the text so far whenever it has grown (by a 64th, once it is long), to show a value
   * before it is whole. A result other than `undefined` becomes an event `output-partial`. Not
   * called in JSON mode. An error that it throws is ignored.
   */
  readonly partial?: ((text: string) => unknown) | undefined
  /**
   * JSON Schema of the replies that `parse` reads. The server is asked to enforce it like an
   * `outputSchema`: in the strict form if that loses nothing, and in a weaker form if the server
   * refuses. Nulls that the strict form added are dropped before `parse`. Not used in the modes
   * `json` and `text`.
   */
  readonly schema?: JsonObject | undefined
}

/** The result of one call, as `afterTools` sees it. */
export interface FinishedCall {
  /** The id of the call. */
  readonly callId: string
  /** Name of the tool; of the delegation tool for an agent. */
  readonly name: string
  /** The arguments that were executed. */
  readonly arguments: unknown
  /** What the model is shown. */
  readonly content: Content
  /** True if the call failed or was refused. */
  readonly isError: boolean
  /**
   * What came of it, with the tool's own value or error; unset for a call that was not let through.
   */
  readonly outcome?: ToolOutcome
}

/**
 * Called at the end of a step that had calls, once all of them have a result, before the next model
 * call. May return a user message, or its text, that follows the results. Called again if the run
 * was cut before the end of the step was stored.
 */
export type AfterTools = (
  results: readonly FinishedCall[],
  context: { readonly step: number; readonly signal: AbortSignal },
) => UserMessage | string | undefined | Promise<UserMessage | string | undefined>

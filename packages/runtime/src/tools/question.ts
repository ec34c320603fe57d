import type { JsonObject } from '@modelport/core'
import type { ToolArguments, ToolParameters } from './tool-parameters.js'

/** A question of a tool to the user of its run. */
export interface Question<Schema extends ToolParameters = ToolParameters> {
  /** The text for the user: 1 to 10,000 characters. */
  readonly message: string
  /**
   * What `content` of the answer has to be: an object. It may have at most 128 KiB. Unset: the user
   * only accepts or declines.
   */
  readonly schema?: Schema | undefined
  /**
   * An address that the user opens, in place of `schema`: `https:`, or `http:` of this machine.
   * modelport shows it, and never opens or fetches it.
   */
  readonly url?: string | undefined
  /**
   * Who asks, if it is not the tool itself, for example the name of an MCP server. The user is
   * shown it.
   */
  readonly from?: string | undefined
  /**
   * JSON that is stored with the question and is in `context.answers` again, at most 256 KiB. It is
   * shown to nobody.
   */
  readonly state?: unknown
}

/** What the user said: `decline` is a no; `cancel` says that the question was dismissed. */
export type Answer<Content = JsonObject> =
  | {
      readonly action: 'accept'
      /** Fits the schema of the question; empty without one. */
      readonly content: Content
    }
  | { readonly action: 'decline' | 'cancel' }

/** A question as it is stored. Plain JSON. */
export interface StoredQuestion extends Omit<Question<JsonObject>, 'schema'> {
  /** As JSON Schema. */
  readonly schema?: JsonObject
  /**
   * SHA-256 over the question and its place among those of the call. An answer repeats it, and
   * holds for nothing else.
   */
  readonly digest: string
  /** Set once it was answered. */
  readonly answer?: Answer
  /** Who answered. */
  readonly by?: string
}

/** Asks the user of the run. */
export type Ask = <const Schema extends ToolParameters = JsonObject>(
  question: Question<Schema>,
) => Promise<Answer<ToolArguments<Schema>>>

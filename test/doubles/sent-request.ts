/** A request as a server gets it. */
export interface SentRequest {
  readonly method: string
  /** The whole address, or only path and query. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or the text of what is not JSON. */
  readonly body: unknown
}

/** An object of a body. */
export type Fields = Readonly<Record<string, unknown>>

/** What a vendor refuses. */
export interface Problem {
  /**
   * The rule that is broken; `shape` for what the type of the request says, `unknown-field` for
   * what it does not have.
   */
  readonly rule: string
  /** Where in the body, for example `messages[2].tool_calls[0].id`. */
  readonly path: string
  readonly message: string
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as an object, with nothing in it where it is something else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** The objects of a list, with nothing in them where it is something else. */
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []

/** A text, or '' for what is not a text. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

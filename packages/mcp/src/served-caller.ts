/** Who asks for a prompt or a resource. */
export interface McpCaller {
  /**
   * The text of what `authenticate` found; `anonymous` over HTTP without it, `local` over standard
   * input and output.
   */
  readonly principal: string
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal
}

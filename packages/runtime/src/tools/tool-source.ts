import type { Tool } from './tool.js'

/** A place tools come from during a run, for example an MCP server. */
export interface ToolSource {
  /** Names the source in errors and events. */
  readonly name: string
  /**
   * Every `host:port` the source may connect to, known before it does. Empty for a source that
   * opens no connection.
   */
  readonly apiHosts: readonly string[]
  /**
   * True hides its tools until a search finds them, as `deferred` of a tool does. Default false.
   */
  readonly deferred?: boolean | undefined
  /**
   * The tools as they are now; asked again before each step, so it should be cheap when nothing has
   * changed.
   * @throws {LlmError} `network` — the source cannot be reached; `protocol` — its response is not a
   * list of tools.
   */
  tools(signal?: AbortSignal): Promise<readonly Tool[]>
  /** Ends the connection. Never rejects; more calls change nothing. */
  close(): Promise<void>
}

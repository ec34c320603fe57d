/**
 * What a server says of a call that it works on as a task.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks (read
 * 2026-11-30)
 */
export interface TaskReport {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string | undefined
  /** Milliseconds that the server wants between two looks. */
  readonly pollInterval?: number | undefined
  /** Of 2026-07-28: what the server wants to know, by keys that it uses once. */
  readonly inputRequests?: Readonly<Record<string, unknown>> | undefined
  /** Of 2026-07-28, completed: what the call would have given. */
  readonly result?: unknown
  /** Of 2026-07-28, failed: the error that the call would have ended with. */
  readonly error?: { readonly message?: unknown } | undefined
}

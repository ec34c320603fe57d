import {
  type CallToolRequestParams,
  type CallToolResult,
  type Client,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { LlmError, longestTimer } from '@modelport/core'

type RequestOptions = NonNullable<Parameters<Client['callTool']>[1]>

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
}

/** Milliseconds between two looks at a task whose server does not say. */
const usualPollMs = 1_000
const longestPollMs = 60_000
/** Maximum milliseconds for a request about a task. */
const requestMs = 30_000
const longestId = 1_024

/** Milliseconds until the next look at a task. */
export const pollMsOf = ({ pollInterval = usualPollMs }: TaskReport): number =>
  Math.min(Math.max(pollInterval, 1), longestPollMs)

/** The tasks of one server. */
export class ServerTasks {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Begins a call as a task.
   * @throws {LlmError} `protocol` — the id of the task is too long to be stored
   */
  async begin(params: CallToolRequestParams, options: RequestOptions): Promise<TaskReport> {
    const { task } = await this.#client.request(
      { method: 'tools/call', params: { ...params, task: {} } },
      specTypeSchemas.CreateTaskResult,
      { ...options, timeout: Math.min(options.timeout ?? requestMs, requestMs) },
    )
    if (task.taskId.length > longestId)
      throw new LlmError('protocol', `the id of the task has more than ${longestId} characters`)
    return task
  }

  /** What the server says of a task now. */
  async look(taskId: string, signal?: AbortSignal): Promise<TaskReport> {
    return this.#client.request(
      { method: 'tasks/get', params: { taskId } },
      specTypeSchemas.GetTaskResult,
      { timeout: requestMs, ...(signal && { signal }) },
    )
  }

  /** The result of a task; of one that is not over, when it is. */
  async result(taskId: string, options: RequestOptions): Promise<CallToolResult> {
    return this.#client.request(
      { method: 'tasks/result', params: { taskId } },
      specTypeSchemas.CallToolResult,
      options,
    )
  }

  /** Cancels a task. One that is over stays as it is. */
  async cancel(taskId: string): Promise<void> {
    await this.#client.request(
      { method: 'tasks/cancel', params: { taskId } },
      specTypeSchemas.CancelTaskResult,
      { timeout: requestMs },
    )
  }

  /**
   * Looks at a task until it is over, needs its user, or the time is up.
   * @param onReport called when the server says something new
   */
  async follow(
    begun: TaskReport,
    waitMs: number,
    signal: AbortSignal,
    onReport: (report: TaskReport) => void,
  ): Promise<TaskReport> {
    const until = performance.now() + waitMs
    let report = begun
    while (report.status === 'working' && performance.now() + pollMsOf(report) <= until) {
      await pause(pollMsOf(report), signal)
      const next = await this.look(report.taskId, signal)
      if (next.statusMessage !== report.statusMessage) onReport(next)
      report = next
    }
    return report
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, longestTimer),
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

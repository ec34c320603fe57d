import {
  type CallToolRequestParams,
  type CallToolResult,
  type Client,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { LlmError, longestTimer } from '@modelport/core'
import { extendedReport, isModern, noReport } from './task-extension.js'
import type { TaskReport } from './task-report.js'

type RequestOptions = NonNullable<Parameters<Client['callTool']>[1]>

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
    const request = { method: 'tasks/get', params: { taskId } }
    const options = { timeout: requestMs, ...(signal && { signal }) }
    return isModern(this.#client)
      ? this.#client.request(request, extendedReport, options)
      : this.#client.request(request, specTypeSchemas.GetTaskResult, options)
  }

  /** Tells a server of 2026-07-28 what its task asked for. */
  async update(
    taskId: string,
    inputResponses: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const request = { method: 'tasks/update', params: { taskId, inputResponses } }
    await this.#client.request(request, noReport, { timeout: requestMs, signal })
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
    const request = { method: 'tasks/cancel', params: { taskId } }
    const options = { timeout: requestMs }
    if (isModern(this.#client)) await this.#client.request(request, noReport, options)
    else await this.#client.request(request, specTypeSchemas.CancelTaskResult, options)
  }

  /**
   * Looks at a task until it is over, needs its user, or the time is up.
   * @param until a time of `performance`
   * @param onReport called when the server says something new
   * @param answered keys of the questions whose answers the server has; it may still list them
   */
  async follow(
    begun: TaskReport,
    until: number,
    signal: AbortSignal,
    onReport: (report: TaskReport) => void,
    answered: ReadonlySet<string> = new Set(),
  ): Promise<TaskReport> {
    let report = begun
    while (isAtWork(report, answered) && performance.now() + pollMsOf(report) <= until) {
      await pause(pollMsOf(report), signal)
      const next = await this.look(report.taskId, signal)
      if (next.statusMessage !== report.statusMessage) onReport(next)
      report = next
    }
    return report
  }
}

/** True if a task has to be looked at again. */
const isAtWork = ({ status, inputRequests }: TaskReport, answered: ReadonlySet<string>): boolean =>
  status === 'working' ||
  (status === 'input_required' &&
    answered.size > 0 &&
    Object.keys(inputRequests ?? {}).every((key) => answered.has(key)))

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

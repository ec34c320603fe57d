import {
  type CallToolResult,
  type Client,
  type ElicitRequest,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/client'
import { LlmError, longestTimer } from '@modelport/core'
import {
  OutcomeUnknown,
  type PendingResult,
  pending,
  type ReconcileOutcome,
  type ToolContext,
  ToolFailure,
} from '@modelport/runtime'
import type { McpConnection } from './connection.js'
import { answerRequests, toQuestion } from './elicitation.js'
import { toPlainWords } from './plain-words.js'
import { pollMsOf, ServerTasks } from './server-task.js'
import type { McpSettings } from './settings.js'
import { isModern, resultOfTask } from './task-extension.js'
import type { TaskReport } from './task-report.js'

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>

/** Milliseconds for the requests about a task around the time that a call waits for it. */
const graceMs = 60_000
const mostWords = 500

/** True for a tool that the server runs as a task only. */
export const needsTask = ({ execution }: Tool): boolean => execution?.taskSupport === 'required'

/** The result of a call, or the work that continues at the server. */
type Came = CallToolResult | { readonly work: PendingResult }

/**
 * Calls that a server works on as tasks: of 2025-11-25, those of a tool that it runs so only; of
 * 2026-07-28, any that it likes. A call waits for its task as long as a call may take; then the
 * task is pending, and is looked at again when the run is resumed.
 */
export class TaskCalls {
  readonly #where: string
  readonly #connection: McpConnection
  readonly #settings: McpSettings
  readonly #waitMs: number
  readonly #isRequired: boolean

  constructor(listed: Tool, connection: McpConnection, settings: McpSettings) {
    this.#where = `MCP server "${settings.name}": tool "${toPlainWords(listed.name, 100)}"`
    this.#connection = connection
    this.#settings = settings
    this.#waitMs = settings.timeoutMs ?? 120_000
    this.#isRequired = needsTask(listed)
  }

  /** Within this time a call has a result, or leaves its task pending. */
  get timeoutMs(): number {
    return Math.min(this.#waitMs + graceMs, longestTimer)
  }

  /** True if calls are to be sent as tasks; the server of 2026-07-28 decides that itself. */
  isOffered(client: Client): boolean {
    return (
      this.#isRequired && client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined
    )
  }

  /** Waits for a task that was begun. If the run ends first, the task is cancelled. */
  async follow(
    client: Client,
    begun: TaskReport,
    options: CallOptions,
    context: ToolContext,
  ): Promise<Came> {
    const { signal, progress } = context
    const tasks = new ServerTasks(client)
    const until = performance.now() + this.#waitMs
    const answered = new Set<string>()
    const onReport = (next: TaskReport): void =>
      progress?.({ status: next.status, message: this.#wordsOf(next) })
    let report = begun
    try {
      for (;;) {
        report = await tasks.follow(report, until, signal, onReport, answered)
        const asked = Object.keys(report.inputRequests ?? {}).filter((key) => !answered.has(key))
        if (report.status !== 'input_required' || !isModern(client) || !asked.length) break
        await tasks.update(report.taskId, await this.#answers(report, asked, context), signal)
        for (const key of asked) answered.add(key)
      }
      if (report.status === 'working') return toPending(report)
      if (report.status === 'input_required')
        return isModern(client)
          ? toPending(report)
          : await this.#ask(tasks, report, options, context)
      return await this.#resultOf(tasks, report, signal)
    } catch (error) {
      if (error instanceof OutcomeUnknown) throw error
      const typed = this.#connection.toError(error)
      const isLost = typed.code === 'network' || typed.code === 'timeout'
      // The server has the task: what became of it is found out later.
      if (isLost && !signal.aborted) return toPending(report)
      if (report.status === 'working' || report.status === 'input_required')
        await tasks.cancel(report.taskId).catch(() => undefined)
      throw typed
    }
  }

  /** What became of a task that was left pending. */
  async outcomeOf(
    taskId: string | undefined,
    finish: (result: CallToolResult) => unknown,
    signal: AbortSignal,
  ): Promise<ReconcileOutcome> {
    if (taskId === undefined)
      return this.#isRequired
        ? { outcome: 'unknown' }
        : { outcome: 'unknown', message: `${this.#where}: ${lost}` }
    const tasks = new ServerTasks(await this.#connection.client())
    try {
      const report = await tasks.look(taskId, signal)
      if (report.status === 'working') return { outcome: 'unknown' }
      if (report.status === 'input_required') {
        await tasks.cancel(taskId)
        return { outcome: 'unknown', message: `${this.#where}: ${unheard}` }
      }
      return { outcome: 'executed', result: finish(await this.#resultOf(tasks, report, signal)) }
    } catch (error) {
      if (error instanceof OutcomeUnknown) return { outcome: 'unknown', message: error.message }
      if (error instanceof ToolFailure) return { outcome: 'failed', message: error.message }
      if (isNotOpen(error)) return { outcome: 'unknown', message: `${this.#where}: ${forgotten}` }
      const typed = this.#connection.toError(error)
      // Nobody answers, or not now: it is looked at again.
      if (typed.code !== 'protocol' && typed.code !== 'limit-exceeded') throw typed
      return { outcome: 'failed', message: typed.message }
    }
  }

  /** Cancels a task that was left pending, if it is not over. */
  async cancel(taskId: string): Promise<void> {
    try {
      await new ServerTasks(await this.#connection.client()).cancel(taskId)
    } catch (error) {
      if (!isNotOpen(error)) throw this.#connection.toError(error)
    }
  }

  async #resultOf(
    tasks: ServerTasks,
    report: TaskReport,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    if (report.status === 'cancelled')
      throw new OutcomeUnknown(
        `${this.#where}: the task was cancelled; whether it had an effect is not known. ${this.#wordsOf(report)}`.trim(),
      )
    // The answer to a call says of a task that is over already only that it is.
    if (isModern(await this.#connection.client()))
      return resultOfTask(
        report.result !== undefined || report.error
          ? report
          : await tasks.look(report.taskId, signal),
      )
    return tasks.result(report.taskId, { signal, timeout: graceMs })
  }

  /** What the user says to the questions of a task of 2026-07-28. */
  #answers(
    { inputRequests = {} }: TaskReport,
    keys: readonly string[],
    context: ToolContext,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { elicitation, name } = this.#settings
    const { ask } = context
    if (!elicitation || !ask) throw this.#nobodyToAsk()
    const read = (asked: ElicitRequest['params']) => toQuestion(asked, name, this.#connection.show)
    return answerRequests(
      keys.map((key) => [key, inputRequests[key]] as const),
      (question) => ask(read(question)),
    )
  }

  #nobodyToAsk(): LlmError {
    return new LlmError(
      'unsupported',
      `${this.#where}: the task asks its user, and nobody can be asked; set "elicitation"`,
    )
  }

  /** Waits for the result while the server asks its user. */
  #ask(
    tasks: ServerTasks,
    { taskId }: TaskReport,
    options: CallOptions,
    { ask }: ToolContext,
  ): Promise<CallToolResult> {
    const { elicitation, name } = this.#settings
    const { openCalls, show } = this.#connection
    if (!elicitation || !ask) throw this.#nobodyToAsk()
    return openCalls.send(
      (more) => tasks.result(taskId, more),
      options,
      ask,
      (asked) => toQuestion(asked, name, show),
    )
  }

  #wordsOf({ statusMessage = '' }: TaskReport): string {
    return toPlainWords(this.#connection.redact(statusMessage), mostWords)
  }
}

/** True if a server says that it does not know a task, or that one is over. */
const isNotOpen = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === ProtocolErrorCode.InvalidParams

const toPending = (report: TaskReport): { readonly work: PendingResult } => ({
  work: pending(report.taskId, { until: Date.now() + pollMsOf(report) }),
})

const unheard =
  'the task asked its user when no call was open, and was cancelled; whether it had an effect is not known; give calls more time ("timeoutMs")'
const lost = 'its reply was lost; whether the call had an effect is not known'
const forgotten =
  'the server does not know the task any more; whether it had an effect is not known'

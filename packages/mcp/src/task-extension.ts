import {
  type CallToolResult,
  type Client,
  type JSONRPCMessage,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { isObject, LlmError } from '@modelport/core'
import type { TaskReport } from './task-report.js'

/**
 * The extension of 2026-07-28 by which a server may make a task of any call.
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension (read 2026-11-30)
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** The place of a task in a result that the client of the protocol lets through. */
const taskKey = 'modelport/task'

const states: ReadonlySet<unknown> = new Set<TaskReport['status']>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

/** True for a server of 2026-07-28 or newer, whose tasks are those of the extension. */
export const isModern = (client: Client): boolean => client.getProtocolEra() === 'modern'

/** True if a server may answer any call with a task. */
export const mayAnswerWithTasks = (client: Client | undefined): boolean =>
  client?.getServerCapabilities()?.extensions?.[tasksExtension] !== undefined

/**
 * The message with a task as a result that the client of the protocol lets through: it knows
 * results of one kind, and refuses a task before anybody could read its id.
 */
export function withTaskInMeta<Message extends JSONRPCMessage>(message: Message): Message {
  const { result } = message as { readonly result?: unknown }
  if (!isObject(result) || result['resultType'] !== 'task' || !toReport(result)) return message
  return {
    ...message,
    result: { resultType: 'complete', content: [], _meta: { [taskKey]: result } },
  }
}

/** The task that a server made of a call. Unset: it gave the result. */
export function taskOf(result: unknown): TaskReport | undefined {
  const meta = isObject(result) ? result['_meta'] : undefined
  return isObject(meta) ? toReport(meta[taskKey]) : undefined
}

/** What a server says of a task, with the name that the interval had before. */
function toReport(given: unknown): TaskReport | undefined {
  if (!isObject(given)) return undefined
  const { taskId, status, statusMessage, pollIntervalMs, inputRequests, result, error } = given
  if (typeof taskId !== 'string' || !taskId || !states.has(status)) return undefined
  return {
    taskId,
    status: status as TaskReport['status'],
    ...(typeof statusMessage === 'string' && { statusMessage }),
    ...(typeof pollIntervalMs === 'number' && { pollInterval: pollIntervalMs }),
    ...(isObject(inputRequests) && { inputRequests }),
    ...(result !== undefined && { result }),
    ...(isObject(error) && { error }),
  }
}

/** Reads what a server says of a task. Some say that this is a task, too. */
export const extendedReport: StandardSchemaV1<unknown, TaskReport> = {
  '~standard': {
    version: 1,
    vendor: 'modelport',
    validate: (given) => {
      const value = taskOf(given) ?? toReport(given)
      return value ? { value } : { issues: [{ message: 'it is not a task' }] }
    },
  },
}

/** Reads a result that says nothing. */
export const noReport: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'modelport', validate: (value) => ({ value }) },
}

/**
 * What the call of a task that is over came to.
 * @throws {LlmError} `protocol` — the call ended with an error, or its result is not one of a call
 */
export function resultOfTask({ result, error }: TaskReport): CallToolResult {
  if (error) {
    const words = typeof error.message === 'string' ? error.message : 'the call failed'
    throw new LlmError('protocol', words)
  }
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(result)
  if (checked instanceof Promise || checked.issues)
    throw new LlmError('protocol', 'the task is over, and its result is not one of a call')
  return checked.value
}

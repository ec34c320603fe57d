import {
  type AgentErrorReason,
  createMessage,
  isAgentError,
  type NewTaskEvent,
  type TaskKey,
  type TaskRecord,
} from '@modelport/agent'

/** Throws if two values differ as JSON. */
export function same(found: unknown, expected: unknown, what: string): void {
  const a = JSON.stringify(found)
  const b = JSON.stringify(expected)
  if (a !== b) throw new Error(`${what}: expected ${b}, found ${a}`)
}

/** Throws unless the promise rejects with an {@link AgentError} of the reason. */
export async function refused(promise: Promise<unknown>, reason: AgentErrorReason): Promise<void> {
  let found: unknown
  try {
    found = await promise
  } catch (error) {
    if (isAgentError(error, reason)) return
    throw new Error(`expected the refusal ${reason}, found ${String(error)}`, { cause: error })
  }
  throw new Error(`expected the refusal ${reason}, found the result ${JSON.stringify(found)}`)
}

/** A record of a task. */
export const recordOf = (id: string, fields: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  agent: 'a',
  principal: 'alice',
  sessionId: 's',
  createdAt: '2026-01-01T00:00:00.000Z',
  metadata: {},
  flowState: {},
  ...fields,
})

/** The key of a task of alice. */
export const keyOf = (id: string, principal = 'alice'): TaskKey => ({ principal, id })

/** A status event at a second of one minute. */
export const statusAt = (
  state: 'submitted' | 'working' | 'completed' | 'input-required',
  second = 0,
): NewTaskEvent => ({
  type: 'status',
  state,
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  attempt: 1,
})

/** A message event. */
export const messageEvent = (text: string): NewTaskEvent => ({
  type: 'message',
  message: createMessage('user', text),
  at: '2026-01-01T00:00:00.000Z',
  attempt: 1,
})

/** A delta event. */
export const deltaEvent = (text: string): NewTaskEvent => ({
  type: 'text-delta',
  text,
  at: '2026-01-01T00:00:00.000Z',
  attempt: 1,
})

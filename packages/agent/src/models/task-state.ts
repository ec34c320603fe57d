import { AgentError } from '../base/agent-error.js'

/** Where a task stands. */
export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'rejected'
  | 'unknown'

/** Every state, in the order of the table. */
export const taskStates: readonly TaskState[] = Object.freeze([
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'cancelled',
  'rejected',
  'unknown',
] as const)

const transitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ['working', 'failed', 'cancelled', 'rejected'],
  working: ['input-required', 'auth-required', 'completed', 'failed', 'cancelled', 'rejected'],
  'input-required': ['working', 'failed', 'cancelled', 'rejected'],
  'auth-required': ['working', 'failed', 'cancelled', 'rejected'],
  completed: [],
  failed: [],
  cancelled: [],
  rejected: [],
  unknown: taskStates.filter((state) => state !== 'unknown'),
}

const terminal: ReadonlySet<TaskState> = new Set(['completed', 'failed', 'cancelled', 'rejected'])

/** True for a state that nothing follows. */
export const isTerminal = (state: TaskState): boolean => terminal.has(state)

/** True for a state that waits for somebody outside. */
export const isInterrupted = (state: TaskState): boolean =>
  state === 'input-required' || state === 'auth-required'

/** True if a task may go from one state to the other; staying is always allowed. */
export const mayTransition = (from: TaskState, to: TaskState): boolean =>
  from === to || transitions[from].includes(to)

/**
 * Refuses a transition that the table does not have.
 * @throws {AgentError} `unsupported-operation` — names both states.
 */
export function checkTransition(from: TaskState, to: TaskState): void {
  if (mayTransition(from, to)) return
  throw new AgentError('unsupported-operation', `Invalid task state transition: ${from} -> ${to}`)
}

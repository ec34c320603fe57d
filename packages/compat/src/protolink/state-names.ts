import { type TaskState, taskStates } from '@modelport/agent'

/** Protolink and A2A spell one state with a single l. */
const spellState = (state: TaskState): string => (state === 'cancelled' ? 'canceled' : state)

/** The states as they are read: `cancelled` in both spellings. */
const states = new Map<string, TaskState>([
  ...taskStates.map((state) => [state, state] as const),
  ...taskStates.map((state) => [spellState(state), state] as const),
])

/** The names of states that are read. */
export const wireStates: readonly string[] = [...states.keys()]

/** The state as Protolink knows it. */
export function toProtolinkState(state: TaskState): string {
  if (state === 'rejected') return 'failed'
  if (state === 'auth-required') return 'input-required'
  return spellState(state)
}

/** True for a state that Protolink does not have: its form is the name of another one. */
export const isForeignState = (state: TaskState): boolean =>
  toProtolinkState(state) !== spellState(state)

/** The state of a name, if there is one. */
export const fromProtolinkState = (name: unknown): TaskState | undefined =>
  typeof name === 'string' ? states.get(name) : undefined

import { type Task, textOfParts } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { compactObject } from '@modelport/serve/wire'
import { fromProtolinkState, isForeignState, toProtolinkState } from './state-names.js'

/** The metadata of a task in Protolink's form. */
export interface ProtolinkMetadata {
  readonly metadata: JsonObject
  /** What gives the task back as it was; it goes into the extension. */
  readonly original: JsonObject
}

/** The fields of a state change that name a state. */
const stateFields = ['previous_state', 'new_state'] as const

/**
 * The metadata with Protolink's names of states, and with the reason of a failure at `error`, where
 * its class `Task` has it.
 */
export function toProtolinkMetadata(task: Task): ProtolinkMetadata {
  const { state_history: history, error } = task.metadata
  const reason = error === undefined ? reasonOf(task) : ''

  return {
    metadata: {
      ...structuredClone(task.metadata),
      ...(Array.isArray(history) && { state_history: history.map(toProtolinkChange) }),
      ...(reason && { error: reason }),
    },
    original: compactObject({
      state_history: hasForeignState(history) ? structuredClone(history) : undefined,
      error_from_status: reason ? true : undefined,
    }),
  }
}

/** Reads metadata in Protolink's form. `original` is what the extension kept. */
export function fromProtolinkMetadata(metadata: JsonObject, original: JsonObject): JsonObject {
  const { state_history: history, error, ...rest } = metadata
  const exact = Array.isArray(original['state_history']) ? original['state_history'] : []
  const isCopied = original['error_from_status'] === true

  return {
    ...rest,
    ...(error !== undefined && !isCopied && { error }),
    ...(history !== undefined && {
      state_history: Array.isArray(history)
        ? history.map((change, index) => fromProtolinkChange(change, exact[index]))
        : history,
    }),
  }
}

/** When the state changed last, as the history says. */
export function lastChangeOf(metadata: JsonObject): string | undefined {
  const { state_history: history } = metadata
  const last: unknown = Array.isArray(history) ? history.at(-1) : undefined
  return isObject(last) && typeof last['timestamp'] === 'string' ? last['timestamp'] : undefined
}

/** Why a task failed. Empty if it did not fail, or if nobody said. */
const reasonOf = ({ state, statusMessage }: Task): string =>
  toProtolinkState(state) === 'failed' && statusMessage ? textOfParts(statusMessage.parts) : ''

function toProtolinkChange(change: unknown): unknown {
  if (!isObject(change)) return structuredClone(change)
  return { ...structuredClone(change), ...renamedStates(change, toProtolinkState) }
}

function fromProtolinkChange(change: unknown, exact: unknown): unknown {
  const isUnchanged = JSON.stringify(toProtolinkChange(exact)) === JSON.stringify(change)
  if (isUnchanged) return exact
  if (!isObject(change)) return change
  return { ...change, ...renamedStates(change, (state) => state) }
}

/** The names of states in a change, each renamed; other values are left out. */
function renamedStates(
  change: JsonObject,
  rename: (state: Task['state']) => string,
): Record<string, string> {
  const renamed: Record<string, string> = {}
  for (const field of stateFields) {
    const state = fromProtolinkState(change[field])
    if (state !== undefined) renamed[field] = rename(state)
  }
  return renamed
}

function hasForeignState(history: unknown): boolean {
  if (!Array.isArray(history)) return false
  return history.some(
    (change) =>
      isObject(change) &&
      stateFields.some((field) => {
        const state = fromProtolinkState(change[field])
        return state !== undefined && isForeignState(state)
      }),
  )
}

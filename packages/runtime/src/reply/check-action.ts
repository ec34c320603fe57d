import { isObject, type JsonObject } from '@modelport/core'
import type { Action } from './action.js'

/** An action, or everything that is wrong with it, in words for the model. */
export type CheckedAction =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly problems: readonly string[] }

/** What is wrong with the value of a field; undefined if nothing is. */
type Check = (value: unknown) => string | undefined
type Fields = Readonly<Record<string, Check>>

const anything: Check = () => undefined
const text: Check = (value) => (typeof value === 'string' ? undefined : expected('string', value))
const name: Check = (value) =>
  text(value) ?? (value === '' ? 'Too small: expected string to have >=1 characters' : undefined)
const prompt: Check = (value) =>
  text(value) ?? (String(value).trim() === '' ? 'must not be blank' : undefined)
const thought: Check = (value) => (value === undefined ? undefined : text(value))
const args: Check = (value) =>
  value === undefined || isObject(value) ? undefined : expected('record', value)

/** The fields of each type of action, in the order in which problems are named. */
const fieldsOfType: Readonly<Record<string, Fields>> = {
  final: { type: anything, content: name, thought },
  tool_call: { type: anything, tool: name, args, thought },
}

const fieldsOfAgentCall: Readonly<Record<string, Fields>> = {
  tool_call: { type: anything, agent: name, action: anything, tool: name, args, thought },
  infer: { type: anything, agent: name, action: anything, prompt, thought },
}

/** Checks an action: unknown fields are refused, and `args` default to an empty object. */
export function checkAction(value: Readonly<Record<string, unknown>>): CheckedAction {
  const { type, action } = value
  const isAgentCall = type === 'agent_call'
  const fields = isAgentCall ? ownOf(fieldsOfAgentCall, action) : ownOf(fieldsOfType, type)
  if (!fields) {
    const problem = isAgentCall
      ? `Field 'agent_call -> action': Invalid discriminator value. Expected 'tool_call' | 'infer'`
      : `Field 'type': must be "final", "tool_call" or "agent_call"`
    return { ok: false, problems: [problem] }
  }
  const wrong = Object.entries(fields).flatMap(([field, check]) => {
    const problem = check(value[field])
    return problem === undefined ? [] : [`Field '${String(type)} -> ${field}': ${problem}`]
  })
  const unknown = Object.keys(value).filter((field) => !Object.hasOwn(fields, field))
  const problems = unknown.length
    ? [...wrong, `unknown field${unknown.length === 1 ? '' : 's'} ${unknown.sort().join(', ')}`]
    : wrong
  return problems.length ? { ok: false, problems } : { ok: true, action: toAction(value, fields) }
}

const ownOf = (all: Readonly<Record<string, Fields>>, key: unknown): Fields | undefined =>
  typeof key === 'string' && Object.hasOwn(all, key) ? all[key] : undefined

/** The fields in their order. The check has found that they are those of an action. */
function toAction(value: Readonly<Record<string, unknown>>, fields: Fields): Action {
  const entries = Object.keys(fields).flatMap((field): [string, unknown][] => {
    if (field === 'args') return [[field, copyArguments(value[field])]]
    return field in value ? [[field, value[field]]] : []
  })
  return Object.fromEntries(entries) as Action
}

/** A copy, so that no two parts of a run share it. A key `__proto__` is not an argument. */
const copyArguments = (given: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(given) ? given : {}).filter(([key]) => key !== '__proto__'),
  )

function expected(wanted: string, value: unknown): string {
  const isKind = typeof value !== 'number' || Number.isFinite(value)
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return `Invalid input: expected ${wanted}, received ${isKind ? kind : String(value)}`
}

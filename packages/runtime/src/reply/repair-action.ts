import { isPlainObject } from '../base/canonical-json.js'
import { parseShorthand } from './call-shorthand.js'
import { toNamedCall } from './text-calls.js'

/** What can be called: a repair needs a target there is no doubt about. */
export interface ActionTargets {
  /** Names of the tools. */
  readonly tools: readonly string[]
  /** Names of the agents. */
  readonly agents: readonly string[]
}

/** An object as the schema of actions wants it, and what was done to it. */
export interface Repaired {
  readonly value: Readonly<Record<string, unknown>>
  readonly repairs: readonly string[]
}

type Envelope = Readonly<Record<string, unknown>>
/** One repair: the new object, or undefined when it does not apply. */
type Repair = readonly [name: string, apply: (value: Envelope, targets: ActionTargets) => Envelope | undefined]

/** A reply with any of these is meant as an action, and is held to its rules. */
const envelopeKeys = ['type', 'tool', 'args', 'agent', 'action', 'prompt', 'content', 'payload', 'thought']

const repairs: readonly Repair[] = [
  ['name and arguments read', namedCall],
  ['answer taken as final', bareObject],
  ['payload flattened', flatPayload],
  ['content made text', textContent],
  ['shorthand call read', shorthandTool],
  ['the only agent filled in', onlyAgent],
  ['agent call of a local tool', localTool],
]

/** Applies every repair that leaves no doubt about what is meant. */
export function repairAction(value: Envelope, targets: ActionTargets): Repaired {
  const done: string[] = []
  let current = value
  for (const [name, apply] of repairs) {
    const next = apply(current, targets)
    if (!next) continue
    current = next
    done.push(name)
  }
  return { value: current, repairs: done }
}

function namedCall(value: Envelope, { tools }: ActionTargets): Envelope | undefined {
  const call = toNamedCall(value, tools)
  return call && { type: 'tool_call', ...call }
}

function bareObject(value: Envelope): Envelope | undefined {
  const keys = Object.keys(value)
  if (!keys.length || keys.some((key) => envelopeKeys.includes(key))) return undefined
  return { type: 'final', content: JSON.stringify(value) }
}

function flatPayload({ payload, ...rest }: Envelope): Envelope | undefined {
  if (typeof rest['type'] !== 'string' || !isPlainObject(payload)) return undefined
  // Two values for one key would be a guess.
  return Object.keys(payload).some((key) => Object.hasOwn(rest, key)) ? undefined : { ...rest, ...payload }
}

function textContent(value: Envelope): Envelope | undefined {
  const { type, content } = value
  if (type !== 'final' || typeof content === 'string' || content === undefined || content === null) return undefined
  return { ...value, content: JSON.stringify(content) }
}

function shorthandTool(value: Envelope, { tools }: ActionTargets): Envelope | undefined {
  const { type, tool, args } = value
  if (type !== 'tool_call' || typeof tool !== 'string' || tools.includes(tool)) return undefined
  if (args !== undefined && !(isPlainObject(args) && !Object.keys(args).length)) return undefined
  const call = parseShorthand(tool, tools)
  return call && { ...value, ...call }
}

function onlyAgent(value: Envelope, { agents }: ActionTargets): Envelope | undefined {
  if (value['type'] !== 'agent_call' || value['agent'] !== undefined || agents.length !== 1) return undefined
  return { ...value, agent: agents[0] }
}

function localTool(value: Envelope, { tools, agents }: ActionTargets): Envelope | undefined {
  const { type, agent, action, tool, args = {}, thought } = value
  if (type !== 'agent_call' || action !== 'tool_call' || typeof tool !== 'string' || !tools.includes(tool))
    return undefined
  if (typeof agent === 'string' && agents.includes(agent)) return undefined
  return { type: 'tool_call', tool, args, ...(thought !== undefined && { thought }) }
}

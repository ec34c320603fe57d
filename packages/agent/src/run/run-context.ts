import { type JsonObject, longestTimer } from '@modelport/core'
import { AgentError } from '../base/agent-error.js'
import { compactObject, isObject, objectAt } from '../base/json.js'
import type { TaskRecord } from '../models/task-event.js'
import { extensionUri } from '../wire/extension.js'
import {
  fromProtolinkBudget,
  fromProtolinkPermissions,
  type GrantedLimits,
  readLimits,
  toProtolinkBudget,
} from '../wire/protolink/run-context-codec.js'

/** Where a task belongs: given to its handler, and passed on to every agent that it calls. */
export interface AgentRunContext {
  /** The task at hand. */
  readonly taskId: string
  /** Its session. */
  readonly sessionId: string
  /** Who owns the task. */
  readonly principal: string
  /** Ties together what all agents of a chain do. */
  readonly traceId?: string
  /** The task of the caller. */
  readonly parentTaskId?: string
  /** Names of the agents from the first caller to this one. */
  readonly chain: readonly string[]
  /** Capabilities that the caller allows, as names or prefixes. Unset: all. */
  readonly permissions?: readonly string[]
  /** When the work must be done, in milliseconds since 1970. */
  readonly deadline?: number
  /** Most cost that the caller grants. */
  readonly maxCost?: number
  /** Other limits that the caller grants. */
  readonly limits?: GrantedLimits
}

/** What a caller may say about where its task belongs. It is not trusted: it only narrows. */
export type ForeignContext = Pick<
  AgentRunContext,
  'traceId' | 'parentTaskId' | 'chain' | 'permissions' | 'deadline' | 'maxCost' | 'limits'
>

/** Most agents in a chain of calls. */
export const longestChain = 16

const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string' && item.length <= 256)
    : undefined
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value && value.length <= 256 ? value : undefined
/** What the caller permits. An invalid list permits nothing: read as absent, it would permit everything. */
const permissionsOf = (value: unknown): readonly string[] | undefined =>
  value === undefined || value === null ? undefined : (strings(value) ?? [])
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** Reads the context out of the metadata of a request: under our extension, or in Protolink's place. */
export function readForeignContext(metadata: JsonObject): ForeignContext {
  // Fast path: most callers say nothing.
  if (!(extensionUri in metadata) && !('run_context' in metadata)) return { chain: [] }
  const own = objectAt(objectAt(metadata, extensionUri), 'run_context')
  const wire = Object.keys(own).length ? own : objectAt(metadata, 'run_context')
  const budget = objectAt(wire, 'budget')
  const { permissions } = wire
  return readContext({
    chain: wire['agent_chain'],
    traceId: wire['trace_id'],
    parentTaskId: wire['parent_run_id'],
    permissions: isObject(permissions) ? fromProtolinkPermissions(permissions) : permissions,
    deadline: wire['deadline'],
    maxCost: budget['max_cost'],
    limits: fromProtolinkBudget(budget),
  })
}

/** Reads each field as far as it is valid. */
const readContext = (given: Readonly<Record<string, unknown>>): ForeignContext => ({
  chain: strings(given['chain']) ?? [],
  ...compactObject({
    traceId: text(given['traceId']),
    parentTaskId: text(given['parentTaskId']),
    permissions: permissionsOf(given['permissions']),
    deadline: number(given['deadline']),
    maxCost: number(given['maxCost']),
    limits: limitsOf(given['limits']),
  }),
})

/** Unset if there are none. */
const limitsOf = (value: unknown): GrantedLimits | undefined => {
  const limits = readLimits(isObject(value) ? value : {})
  return Object.keys(limits).length ? limits : undefined
}

/** The context as metadata of a request to another agent. */
export const toForeignMetadata = (context: AgentRunContext): JsonObject => ({
  [extensionUri]: {
    run_context: compactObject({
      session_id: context.sessionId,
      trace_id: context.traceId,
      parent_run_id: context.taskId,
      agent_chain: context.chain,
      permissions: context.permissions,
      deadline: context.deadline,
      budget: grantedBudgetOf(context),
    }),
  },
})

/** What the caller grants, as `budget` of a run context. Unset if it limits nothing. */
export function grantedBudgetOf({
  maxCost,
  limits,
}: Pick<AgentRunContext, 'maxCost' | 'limits'>): JsonObject | undefined {
  const budget = { ...toProtolinkBudget(limits ?? {}), ...(maxCost !== undefined && { max_cost: maxCost }) }
  return Object.keys(budget).length ? budget : undefined
}

/**
 * The chain with one more agent.
 * @throws {AgentError} `forbidden` — the agent is in the chain already, or the chain is too long.
 */
export function extendChain(chain: readonly string[], name: string): readonly string[] {
  if (chain.includes(name))
    throw new AgentError('forbidden', `The agent ${name} is already in the chain of callers: ${chain.join(' > ')}`)
  if (chain.length >= longestChain)
    throw new AgentError(
      'forbidden',
      `The chain of callers has ${chain.length} agents; at most ${longestChain} are allowed`,
    )
  return [...chain, name]
}

/** The context that a task was created with; it never widens, also after a restart. */
export function contextOf({ context, agent }: TaskRecord): ForeignContext {
  if (!context) return { chain: [agent] }
  const { chain, ...rest } = context
  // Fast path: most callers only extend the chain.
  for (const _ in rest) return readContext(context)
  return { chain: strings(chain) ?? [] }
}

/**
 * Lets no turn begin after the caller's deadline, for example when the task continues in another process.
 * @throws {AgentError} `busy`
 */
export function checkDeadline({ deadline }: ForeignContext, now: number): void {
  if (deadline !== undefined && deadline <= now)
    throw new AgentError('busy', "The caller's deadline has passed; send the message again with a later deadline")
}

/** Most milliseconds of one turn: what the agent allows (default 600,000), and what the caller's deadline leaves. */
export function turnTimeoutOf(own: number | undefined, { deadline }: ForeignContext, now: number): number {
  const most = own ?? 600_000
  const left = deadline === undefined ? most : Math.max(1, deadline - now)
  return Math.min(most, left, longestTimer)
}

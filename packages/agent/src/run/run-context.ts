import { isObject, longestTimer } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import type { RunBudget } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { TaskRecord } from '../models/task-event.js'

/** Limits that a caller grants for a run; each can only lower the limit of the agent. */
export type GrantedLimits = { readonly [Limit in keyof RunBudget]?: number }

/** Where a task belongs: given to its handler, and passed on to every agent that it calls. */
export interface AgentRunContext {
  /** The current task. */
  readonly taskId: string
  /** Its session. */
  readonly sessionId: string
  /** Who owns the task, as the text of a `Principal`. */
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
  /** Limits that the caller grants. */
  readonly limits?: GrantedLimits
}

/** What a caller may say about where its task belongs. It is not trusted: it only narrows. */
export type ForeignContext = Pick<
  AgentRunContext,
  'traceId' | 'parentTaskId' | 'chain' | 'permissions' | 'deadline' | 'limits'
>

/** Maximum agents in a chain of calls. */
export const longestChain = 16

const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string' && item.length <= 256)
    : undefined
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value && value.length <= 256 ? value : undefined
const permissionsOf = (value: unknown): readonly string[] | undefined =>
  value === undefined || value === null ? undefined : (strings(value) ?? [])
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/**
 * Reads the context of a caller's task, each field as far as it is valid. A list of permissions
 * that is not valid permits nothing: read as absent, it would permit everything.
 */
export function readForeignContext(given: Readonly<Record<string, unknown>>): ForeignContext {
  const fields = {
    traceId: text(given['traceId']),
    parentTaskId: text(given['parentTaskId']),
    permissions: permissionsOf(given['permissions']),
    deadline: number(given['deadline']),
    limits: limitsOf(given['limits']),
  }
  const valid = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  )
  return { chain: strings(given['chain']) ?? [], ...valid }
}

/** Names of the limits. */
export const limitNames: readonly string[] = namesOf<GrantedLimits>({
  maxSteps: true,
  maxCalls: true,
  maxToolCalls: true,
  maxRuntimeMs: true,
  maxInputTokens: true,
  maxOutputTokens: true,
  maxCost: true,
})

/** Unset if there are none. */
function limitsOf(given: unknown): GrantedLimits | undefined {
  if (!isObject(given)) return undefined
  const limits = limitNames.flatMap((name) => {
    const limit = number(given[name])
    return limit === undefined ? [] : [[name, limit] as const]
  })
  return limits.length ? Object.fromEntries(limits) : undefined
}

/** The context of a task, as it is passed on to an agent that the task calls. */
export const contextForChild = ({
  sessionId: _,
  principal: __,
  taskId,
  ...rest
}: AgentRunContext): ForeignContext => ({
  ...rest,
  parentTaskId: taskId,
})

/**
 * The chain with one more agent.
 * @throws {AgentError} `forbidden` — the agent is in the chain already, or the chain is too long.
 */
export function extendChain(chain: readonly string[], name: string): readonly string[] {
  if (chain.includes(name))
    throw new AgentError(
      'forbidden',
      `The agent ${name} is already in the chain of callers: ${chain.join(' > ')}`,
    )
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
  for (const _ in rest) return readForeignContext(context)
  return { chain: strings(chain) ?? [] }
}

/**
 * Lets no turn begin after the caller's deadline, for example when the task continues in another
 * process.
 * @throws {AgentError} `busy`
 */
export function checkDeadline({ deadline }: ForeignContext, now: number): void {
  if (deadline !== undefined && deadline <= now)
    throw new AgentError(
      'busy',
      "The caller's deadline has passed; send the message again with a later deadline",
    )
}

/**
 * Maximum milliseconds of one turn: the limit of the agent (default 600,000), or the rest of the
 * caller's deadline.
 */
export function turnTimeoutOf(
  own: number | undefined,
  { deadline }: ForeignContext,
  now: number,
): number {
  const most = own ?? 600_000
  const left = deadline === undefined ? most : Math.max(1, deadline - now)
  return Math.min(most, left, longestTimer)
}

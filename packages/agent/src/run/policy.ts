import { configError, isObject, type JsonObject } from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import type { AgentCallAction, Authorize, Decision, ToolCallAction } from '@modelport/runtime'

/** What a rule says about a capability. */
export type PolicyEffect = 'allow' | 'deny' | 'require-approval'

/** What a policy decides about: the effect of an action, whatever its spelling. */
export interface PolicyRequest {
  /** `tool.<name>`, `agent.<name>.infer` or `agent.<name>.tool.<tool>`. */
  readonly capability: string
  /** The validated arguments, or the prompt. */
  readonly args: JsonObject
  /** Who owns the task, as the text of a `Principal`. */
  readonly principal: string
  /** Names of the MCP servers and other sources whose results are in the conversation. */
  readonly seen: readonly string[]
}

/** What an agent may do. */
export interface AgentPolicy {
  /** What applies if no rule does. Default `allow`. */
  readonly default?: PolicyEffect | undefined
  /**
   * Effects by capability: a full name (`tool.get_weather`) or a prefix (`tool.*`, `*`). The most
   * specific rule decides; `tool.a.*` is more specific than `tool.*`. A full name or a prefix that
   * fits nothing of the agent is refused, so that a misspelled `deny` never allows; `tool.*`,
   * `agent.*` and `llm.*` always fit. `llm.history.compact` is about shortening a conversation,
   * which has no approvals: every effect but `allow` forbids it.
   */
  readonly rules?: Readonly<Record<string, PolicyEffect>> | undefined
  /**
   * Rules, as they are written, that need not fit anything of this agent because several agents
   * share them. Default: none.
   */
  readonly optional?: readonly string[] | undefined
  /**
   * Called after the rules, for actions that they do not deny. May make the decision stricter or
   * change the arguments, which are validated again. An error that it throws denies, and so does a
   * result of another form.
   */
  readonly decide?:
    | ((request: PolicyRequest) => PolicyChange | undefined | Promise<PolicyChange | undefined>)
    | undefined
  /**
   * Version of the rules: a task that waits does not continue under another version. Default `1`.
   */
  readonly version?: string | undefined
}

/** What {@link AgentPolicy.decide} may change. */
export interface PolicyChange {
  /**
   * A stricter effect than that of the rules; a laxer one is ignored. Default: that of the rules.
   */
  readonly effect?: PolicyEffect
  /** Why. The model reads it after a denial, and whoever approves reads it in the request. */
  readonly reason?: string
  /**
   * Arguments that replace those of the model, which reads the new ones. They are validated again.
   * Only an allowed call takes them.
   */
  readonly args?: JsonObject
}

const strictness: readonly PolicyEffect[] = ['allow', 'require-approval', 'deny']

const stricter = (a: PolicyEffect, b: PolicyEffect): PolicyEffect =>
  strictness.indexOf(a) > strictness.indexOf(b) ? a : b

const families: readonly string[] = ['tool', 'agent', 'llm']

/** The capability of making a conversation shorter. */
const compaction = 'llm.history.compact'

/** An agent's tools and the agents that it may call, as far as rules can name them. */
export interface PolicyNames {
  readonly tools: readonly string[]
  readonly agents: readonly {
    readonly name: string
    readonly tools?: readonly { readonly name: string }[] | undefined
  }[]
}

const policyNames = namesOf<AgentPolicy>({
  default: true,
  rules: true,
  optional: true,
  decide: true,
  version: true,
})
const changeNames: readonly string[] = namesOf<PolicyChange>({
  effect: true,
  reason: true,
  args: true,
})

/**
 * Checks a policy.
 * @throws {LlmError} `config` — an effect or a pattern is not valid, or a rule names what the agent
 * does not have.
 */
export function checkPolicy(policy: AgentPolicy, { tools, agents }: PolicyNames): void {
  checkSettings('createAgent: policy', policy, policyNames)
  const effects = Object.entries({ default: policy.default ?? 'allow', ...policy.rules })
  for (const [name, effect] of effects)
    if (!strictness.includes(effect))
      throw configError(
        `policy rule ${JSON.stringify(name)} has the effect ${JSON.stringify(effect)}; it must be one of ${strictness.join(', ')}`,
      )
  const known = [
    ...tools.map((name) => `tool.${name}`),
    ...agents.flatMap(({ name, tools: own = [] }) => [
      `agent.${name}.infer`,
      ...own.map((tool) => `agent.${name}.tool.${tool.name}`),
    ]),
    compaction,
  ]
  for (const pattern of Object.keys(policy.rules ?? {})) {
    const problem = problemOf(pattern, policy.optional ?? [], known)
    if (problem) throw configError(`policy rule ${JSON.stringify(pattern)}: ${problem}`)
  }
}

function problemOf(
  pattern: string,
  optional: readonly string[],
  known: readonly string[],
): string | undefined {
  if (!/^(\*|[^*]+(\.\*)?)$/.test(pattern))
    return '"*" may only stand alone or at the end, after a dot'
  if (pattern === '*') return undefined
  const [, family = '', rest = ''] = /^([^.]+)\.(.+)$/s.exec(pattern) ?? []
  if (family === 'mcp')
    return `it would hold nothing; tools of an MCP server are ruled by their own names: write "tool.NAME"`
  if (!families.includes(family) || !rest)
    return `it must begin with ${families.map((each) => `"${each}."`).join(', ')} or be "*"; for a tool write ${JSON.stringify(`tool.${pattern}`)}`
  if (
    rest === '*' ||
    optional.includes(pattern) ||
    known.some((one) => specificityOf(pattern, one) >= 0)
  )
    return undefined
  const own = known.filter((one) => one.startsWith(`${family}.`)).slice(0, 20)
  return `the agent has no such capability; it has ${own.join(', ') || `none of "${family}."`}. Correct the name, or list it in policy.optional`
}

/**
 * True if the rules let somebody make a conversation shorter. Nobody can be asked, so a rule that
 * wants an approval forbids it; `default` is for actions.
 */
export const allowsCompaction = (policy: AgentPolicy = {}): boolean =>
  effectOf({ ...policy, default: 'allow' }, compaction) === 'allow'

/**
 * The effect of the most specific rule that matches, or of the strictest among equally specific
 * ones.
 */
export function effectOf(policy: AgentPolicy, capability: string): PolicyEffect {
  let best = -1
  let effect = policy.default ?? 'allow'
  for (const [pattern, rule] of Object.entries(policy.rules ?? {})) {
    const specificity = specificityOf(pattern, capability)
    if (specificity < 0 || specificity < best) continue
    effect = specificity === best ? stricter(effect, rule) : rule
    best = specificity
  }
  return effect
}

function specificityOf(pattern: string, capability: string): number {
  if (pattern === '*') return 0
  if (!pattern.endsWith('.*')) return pattern === capability ? Infinity : -1
  const prefix = pattern.slice(0, -1)
  return capability.startsWith(prefix) ? prefix.length : -1
}

/** The capability that an action uses. */
export function capabilityOf(action: ToolCallAction | AgentCallAction): string {
  if (action.type === 'tool_call') return `tool.${action.tool}`
  return action.action === 'infer'
    ? `agent.${action.agent}.infer`
    : `agent.${action.agent}.tool.${action.tool}`
}

const argsOf = (action: ToolCallAction | AgentCallAction): JsonObject =>
  action.type === 'agent_call' && action.action === 'infer'
    ? { prompt: action.prompt }
    : action.args

/** What `decide` needs to know of the task. */
export interface PolicyScope {
  readonly principal: string
  /** Capabilities that the caller allows, as names or prefixes. Unset: all. They only narrow. */
  readonly permissions?: readonly string[]
  /** How long an approval is waited for, in milliseconds. Unset: forever. */
  readonly approvalExpiresInMs?: number
  now(): number
}

/** What is wrong with what untyped code returned: a misspelled denial must not allow. */
function mistakeOf(change: unknown): string | undefined {
  if (!isObject(change)) return `${JSON.stringify(change)}; it must be an object or undefined`
  const { effect = 'allow' } = change
  const unknown = Object.keys(change).find((name) => !changeNames.includes(name))
  if (unknown !== undefined)
    return `the field ${JSON.stringify(unknown)}; it may have ${changeNames.join(', ')}`
  return strictness.some((each) => each === effect)
    ? undefined
    : `the effect ${JSON.stringify(effect)}; it must be one of ${strictness.join(', ')}`
}

/** Decides about one action. */
export async function decide(
  policy: AgentPolicy,
  scope: PolicyScope,
  action: ToolCallAction | AgentCallAction,
  seen: readonly string[] = [],
): Promise<Decision> {
  const capability = capabilityOf(action)
  const { permissions, principal, approvalExpiresInMs } = scope
  if (permissions && !permissions.some((pattern) => specificityOf(pattern, capability) >= 0))
    return { effect: 'deny', reason: `the caller's permissions do not include ${capability}` }
  const ruled = effectOf(policy, capability)
  if (ruled === 'deny') return { effect: 'deny', reason: `the policy denies ${capability}` }
  const args = argsOf(action)
  const change = (await policy.decide?.({ capability, args, principal, seen })) ?? {}
  const mistake = mistakeOf(change)
  if (mistake !== undefined)
    return { effect: 'deny', reason: `the policy's decide returned ${mistake}` }
  const effect = stricter(ruled, change.effect ?? 'allow')
  const reason =
    change.reason ?? (effect === 'require-approval' ? `${capability} needs approval` : undefined)
  if (effect === 'deny') return { effect, reason: reason ?? `the policy denies ${capability}` }
  if (effect === 'require-approval')
    return {
      effect,
      ...(reason !== undefined && { reason }),
      ...(approvalExpiresInMs !== undefined && { expiresAt: scope.now() + approvalExpiresInMs }),
    }
  return {
    effect,
    ...(reason !== undefined && { reason }),
    ...(change.args && { arguments: change.args }),
  }
}

/** The policy as the runtime asks it. */
export const toAuthorize =
  (policy: AgentPolicy, scope: PolicyScope): Authorize =>
  (action, { seen }) =>
    decide(policy, scope, action, seen)

import type {
  CallOptions,
  Capabilities,
  ChatMessage,
  JsonObject,
  ModelProfile,
  Provider,
} from '@modelport/core'
import { configError, isObject } from '@modelport/core'
import { checkRanges, checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import {
  type ActionMode,
  type AgentTarget,
  type AutoCompaction,
  BudgetLedger,
  defaultRunLimits,
  type InferRequest,
  inferStream,
  type PendingResult,
  type ReconcileOutcome,
  type RunBudget,
  type RunLimits,
  type Tool,
  type Webhook,
} from '@modelport/runtime'
import type { JsonValue } from '../base/json.js'
import type { Artifact } from '../models/artifact.js'
import { type AgentCard, type CardFields, createCard, createSkill } from '../models/card.js'
import type { Message } from '../models/message.js'
import type { Part } from '../models/part.js'
import type { Task } from '../models/task.js'
import { type AgentPolicy, checkPolicy } from './policy.js'
import { type AgentRunContext, limitNames } from './run-context.js'

/** What an effect of a handler is given: see {@link TaskContext.effect}. */
export interface HandlerEffect {
  /** The same in every run of the handler: for a receiver that refuses a key it has. */
  readonly idempotencyKey: string
  /** Aborts when the task is cancelled or its time is over. */
  readonly signal: AbortSignal
  /**
   * Makes an address and a secret for the result: give it to the service that does the work, and
   * return `pending`. Whatever posts there ends the effect.
   */
  readonly webhook: () => Promise<Webhook>
}

/**
 * What a handler knows of its task, and what it can do. Everything it emits is stored before the
 * promise resolves.
 *
 * With a store that outlives the process, a handler whose process ended runs again from its start.
 * What it says, appends and reports is numbered by its order, and not stored twice. What it does
 * besides happens again, unless it is an {@link TaskContext.effect}.
 */
export interface TaskContext {
  /** The task, up to and including the current message. */
  readonly task: Task
  /** The current message. */
  readonly message: Message
  /** Text of the message. */
  readonly input: string
  /**
   * What was said before in the session of the task, from its last compaction on; read when it is
   * asked for.
   */
  conversation(): Promise<readonly ChatMessage[]>
  /** Where the task belongs: pass it on to agents that the handler calls. */
  readonly run: AgentRunContext
  /** Aborts when the task is cancelled or its time is over. */
  readonly signal: AbortSignal
  /** A piece of the answer. */
  delta(text: string): Promise<void>
  /** How far the work is. */
  progress(percent?: number, message?: string): Promise<void>
  /** Adds or replaces an artifact; with `append`, adds its parts to the artifact of its id. */
  artifact(artifact: Artifact, options?: { readonly append?: boolean }): Promise<void>
  /** Says something that is not the result. */
  say(message: string | readonly Part[]): Promise<void>
  /** When the message came, in milliseconds since 1970: the same in every run of the handler. */
  now(): number
  /** Another id at each call, in the same order in every run of the handler. */
  id(): string
  /**
   * Does something outside once, and gives what came of it also when the handler runs again. It
   * goes the way of a call of a tool: that it begins is recorded before, its outcome after it.
   *
   * @param name names it; effects with the same name count in the order in which they are made
   * @param run what is done; its result is plain JSON of at most 3,900,000 characters. An error of
   * it is recorded as its outcome. `pending('job-1')`: the work continues elsewhere, the task
   * waits, and the handler runs again when the result was delivered, a text
   * @param options `idempotent`: its receiver knows its key, so that it is sent again after a death
   * or a lost reply. `reconcile` asks the receiver what became of it. `once`: a person decides if
   * nobody knows; the task waits, and the handler runs again with what the person said. Default:
   * none of them
   * @throws {OutcomeUnknown} it began, and nobody knows what came of it: the process ended before
   * its outcome was stored, or `run` threw that. With `once` the task waits for a person, whatever
   * the handler makes of this error
   */
  effect<Result extends JsonValue | undefined>(
    name: string,
    run: (effect: HandlerEffect) => Result | PendingResult | Promise<Result | PendingResult>,
    options?: {
      readonly idempotent?: boolean
      readonly once?: boolean
      readonly reconcile?: (
        effect: Pick<HandlerEffect, 'idempotencyKey'>,
      ) => ReconcileOutcome | Promise<ReconcileOutcome>
    },
  ): Promise<Result>
}

/**
 * Ends a turn in another state than `completed`. A waiting task continues with the next message.
 */
export interface TaskOutcome {
  /** The state that the turn ends in. */
  readonly state: 'input-required' | 'auth-required' | 'failed' | 'rejected'
  /** What is wanted, or why. */
  readonly message: string | readonly Part[]
}

/** What a handler may give back. */
export type HandlerResult = string | Part | readonly Part[] | Message | TaskOutcome | undefined

/**
 * Works on one message of a task. Returned text, a part or several become the answer, nothing
 * completes the task without one. A returned message is an answer without an artifact: a caller
 * that started the task and does not stream gets the message in place of the task. An `error` part
 * fails the task, and a `status` part ends the turn in its state. An error that it throws fails the
 * task.
 */
export type AgentHandler = (context: TaskContext) => HandlerResult | Promise<HandlerResult>

/** Who decides about what a task waits for. */
export interface DecisionSettings {
  /**
   * How long the approval of a call is waited for, in milliseconds; then it is refused. Unset:
   * forever.
   */
  readonly expiresInMs?: number | undefined
  /**
   * Says whether a principal may decide about a task. It is given as its text: compare the whole
   * of it, a caller of a JWT with `toPrincipalText({ issuer, subject })`. Default: only the owner of
   * the task may.
   */
  readonly mayDecide?: ((principal: string, task: Task) => boolean | Promise<boolean>) | undefined
  /**
   * Says whether a principal may deliver the result of work that a task waits for: its tool
   * returned `pending`. Default: only the owner of the task may.
   */
  readonly mayDeliver?: ((principal: string, task: Task) => boolean | Promise<boolean>) | undefined
}

/** What an agent is made of. */
export interface AgentSettings {
  /** Who it is. Tools are added as skills. */
  readonly card: CardFields
  /** Works on messages. Default: runs the provider with the tools. */
  readonly handler?: AgentHandler | undefined
  /** The model of the default handler. */
  readonly provider?: Provider | undefined
  /** What the model may call. */
  readonly tools?: readonly Tool[] | undefined
  /** Agents that the model may delegate to: see `toAgentTarget`. */
  readonly agents?: readonly AgentTarget[] | undefined
  /** The application's own instructions. */
  readonly system?: InferRequest['system']
  /** Says before each step what holds for it: see `infer`. */
  readonly prepareStep?: InferRequest['prepareStep']
  /** Ends a turn after a step that had calls: see `infer`. */
  readonly stopWhen?: InferRequest['stopWhen']
  /**
   * To whom the model can hand the conversation: see `infer`. The policy of the agent holds for all
   * of them.
   */
  readonly handoffs?:
    | Readonly<Record<string, Omit<NonNullable<InferRequest['handoffs']>[string], 'authorize'>>>
    | undefined
  /** The other models that `prepareStep` and `handoffs` may name. */
  readonly models?: InferRequest['models']
  /** How the model is asked to act. Default: what the provider supports best. */
  readonly mode?: ActionMode | 'auto' | undefined
  /** What the model can do, where the provider does not know. */
  readonly capabilities?: Capabilities | undefined
  /** Facts about the model, as its prices. */
  readonly profile?: ModelProfile | undefined
  /** Maximum steps and calls of one turn. */
  readonly limits?: Partial<RunLimits> | undefined
  /**
   * Budget of one turn of a task; a ledger is shared by all turns. A function makes that of a
   * caller, given as the text of its `Principal`: `(caller) => store.budgets.of(caller, limits)`.
   */
  readonly budget?:
    | RunBudget
    | BudgetLedger
    | ((principal: string) => RunBudget | BudgetLedger)
    | undefined
  /** When the conversation is shortened. Default: never. */
  readonly compaction?: AutoCompaction | undefined
  /**
   * `keep` stores what the model thinks with the events of a task, for pages that show it; callers
   * that use our extension get it too. Default `drop`.
   */
  readonly reasoning?: 'keep' | 'drop' | undefined
  /** JSON schema that each answer must satisfy. */
  readonly outputSchema?: JsonObject | undefined
  /** Settings of each model call. */
  readonly options?: CallOptions | undefined
  /** What may be done without asking. Default: everything. */
  readonly policy?: AgentPolicy | undefined
  /** Who decides about what a task waits for. */
  readonly decisions?: DecisionSettings | undefined
  /** Tools that callers may call directly, and that are shown as skills. Default: all. */
  readonly expose?: readonly string[] | undefined
  /**
   * What an upgrade of the agent does to stored tasks, which began under other tools, prompts,
   * limits or another model. `continue`: they continue from their last finished step, unless the
   * change touches a call that waits for somebody. `ask`: each waits until an operator lets it
   * continue (`modelport agent resume`), as every task does whose waiting call is touched. `stop`:
   * they fail. Default `continue`.
   */
  readonly onChange?: 'continue' | 'ask' | 'stop' | undefined
  /** Maximum tasks that run at once. Default 64. */
  readonly maxConcurrency?: number | undefined
  /** Maximum tasks that wait for a place; further ones are refused as `busy`. Default 1,000. */
  readonly maxQueue?: number | undefined
  /**
   * What a new task does to one of its session that waits for input: `supersede` cancels it, `keep`
   * leaves it. Default `supersede`.
   */
  readonly whenWaiting?: 'supersede' | 'keep' | undefined
  /**
   * Maximum milliseconds of one turn. A handler or a call that ignores the signal is then dropped
   * half a second later: its task fails, its place is free, and what it writes is refused. Default
   * 600,000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum milliseconds that a task waits while the same other task has the turn of its session;
   * then it fails and names that task. Default 300,000.
   */
  readonly turnWaitMs?: number | undefined
  /**
   * Makes a fuller card for an authenticated caller, given as the text of its `Principal`. Called
   * for each request; its fields replace those of `card`. Default: there is none.
   */
  readonly extendedCard?: ((principal: string) => CardFields | Promise<CardFields>) | undefined
}

/** A card and a handler. */
export interface Agent {
  /** The name of its card; unique within a server. */
  readonly name: string
  /** Without addresses: those are where the agent is served. */
  readonly card: AgentCard
  /** What it was made of. */
  readonly settings: AgentSettings
}

/**
 * Makes an agent. Nothing runs yet.
 * @throws {AgentError} `invalid-params` — the card is not valid.
 * @throws {LlmError} `config` — a policy, a limit or `expose` is not valid.
 * @throws {TypeError} a setting that nothing reads; names it, and the one that was probably meant.
 * @example
 * ```ts
 * import { answerOf, createAgent, createLocalClient } from '@modelport/agent'
 * import { createMock } from '@modelport/provider-mock'
 *
 * const weather = createAgent({
 *   card: { name: 'weather', description: 'The weather anywhere, now' },
 *   provider: createMock({ defaultResponse: 'It is warm in Rome' }),
 * })
 * console.log(answerOf(await createLocalClient(weather).send('Is it warm in Rome?')))
 * ```
 *
 * ```text
 * It is warm in Rome
 * ```
 */
export function createAgent(settings: AgentSettings): Agent {
  checkAgentSettings(settings)
  const {
    card: fields,
    tools = [],
    policy = {},
    provider,
    agents = [],
    handoffs,
    maxConcurrency = 64,
  } = settings
  const handed = Object.values(handoffs ?? {}).flatMap(({ tools: own = [] }) =>
    own.map((tool) => (typeof tool === 'string' ? tool : tool.definition.name)),
  )
  const callable = [
    ...tools.map(({ definition: { name } }) => name),
    ...handed,
    ...(handoffs ? ['hand_off'] : []),
  ]
  checkPolicy(policy, { tools: callable, agents })
  const exposed = settings.expose ?? tools.map(({ definition }) => definition.name)
  for (const name of exposed)
    if (!tools.some(({ definition }) => definition.name === name))
      throw configError(`expose names the tool ${JSON.stringify(name)}; the agent has no such tool`)
  const own = new Set(fields.skills?.map(({ id }) => id))
  const skills = tools
    .filter(({ definition: { name } }) => exposed.includes(name) && !own.has(name))
    .map(({ definition: { name, description, parameters } }) =>
      createSkill({
        id: name,
        description,
        tags: ['tool'],
        ...(parameters && { inputSchema: parameters }),
      }),
    )
  const card = createCard({
    ...fields,
    skills: [...(fields.skills ?? []), ...skills],
    capabilities: {
      streaming: true,
      stateTransitionHistory: true,
      hasLlm: provider !== undefined,
      toolCalling: tools.length > 0,
      multiStepReasoning: provider !== undefined,
      timeoutSupport: true,
      delegation: agents.length > 0,
      maxConcurrency,
      ...(settings.extendedCard && { extendedAgentCard: true }),
      ...fields.capabilities,
    },
  })
  return { name: card.name, card, settings }
}

const settingNames = namesOf<AgentSettings>({
  card: true,
  handler: true,
  provider: true,
  tools: true,
  agents: true,
  system: true,
  prepareStep: true,
  stopWhen: true,
  models: true,
  handoffs: true,
  mode: true,
  capabilities: true,
  profile: true,
  limits: true,
  budget: true,
  compaction: true,
  outputSchema: true,
  reasoning: true,
  options: true,
  policy: true,
  decisions: true,
  expose: true,
  maxConcurrency: true,
  maxQueue: true,
  whenWaiting: true,
  onChange: true,
  timeoutMs: true,
  turnWaitMs: true,
  extendedCard: true,
})

/** The names of the fields of settings that are objects. */
const groups = {
  options: optionNames.call,
  limits: Object.keys(defaultRunLimits),
  budget: limitNames,
  decisions: namesOf<DecisionSettings>({
    expiresInMs: true,
    mayDecide: true,
    mayDeliver: true,
  }),
} as const

function checkAgentSettings(settings: AgentSettings): void {
  if (!(settings as Partial<AgentSettings>).card)
    throw configError('createAgent needs a card; set card: { name, description }')
  checkSettings('createAgent', settings, settingNames, groups)
  const { budget } = settings
  const isPlain = typeof budget === 'object' && !(budget instanceof BudgetLedger)
  for (const name of Object.keys(groups) as (keyof typeof groups)[])
    if (name !== 'budget' || isPlain)
      checkSettings(`createAgent: ${name}`, settings[name] ?? {}, groups[name])
  const { card, handler, provider, tools, decisions = {} } = settings
  checkRanges(settings, [
    ['maxConcurrency', 1, Infinity],
    ['timeoutMs', 1, Infinity],
    ['turnWaitMs', 1, Infinity],
    ['maxQueue', 0, Infinity],
  ])
  checkRanges(decisions, [['expiresInMs', 1, 1e14]], 'decisions.') // a date ends at 8.64e15
  if (typeof (decisions.mayDecide ?? isObject) !== 'function')
    throw configError('decisions.mayDecide must be a function')
  if (typeof (decisions.mayDeliver ?? isObject) !== 'function')
    throw configError('decisions.mayDeliver must be a function')
  // Checks the bounds as each turn does; nothing runs before the first read.
  const { limits, compaction, profile, capabilities, handoffs } = settings
  const bounds = { ...limits, compaction, profile, capabilities }
  if (provider)
    inferStream(provider, {
      query: '',
      limits: { ...bounds, ...(isPlain && { budget }) },
      handoffs,
    })
  if (!handler && !provider && !tools?.length)
    throw configError(
      `the agent ${JSON.stringify(card.name)} has nothing that works on messages; set provider or handler`,
    )
}

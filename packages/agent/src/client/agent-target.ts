import type { ToolDefinition } from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import { errorText } from '@modelport/core/text'
import {
  type AgentContext,
  type AgentRequest,
  type AgentTarget,
  OutcomeUnknown,
} from '@modelport/runtime'
import { isAgentError } from '../base/agent-error.js'
import { textHash } from '../base/text-hash.js'
import type { AgentCard, AgentSkill } from '../models/card.js'
import { createMessage } from '../models/message.js'
import { createPart, type Part, type RequestDecision } from '../models/part.js'
import { isCutOff, requestsOf, type Task } from '../models/task.js'
import { isInterrupted } from '../models/task-state.js'
import type { AgentRunContext } from '../run/run-context.js'
import { type BoundTarget, type ChildOutcome, errorOf } from '../run/sub-agent.js'
import type { AcceptedDecision } from '../run/wait-state.js'
import { isAway } from '../run/while-away.js'
import { type AgentClient, answerOf } from './client.js'

/** What a model is shown of an agent. */
export interface AgentTargetOptions {
  /** Name that the model calls it by. Default: that of the card. */
  readonly name?: string | undefined
  /**
   * What it is good for; the model reads this. Default: the description and the skills of the card.
   */
  readonly description?: string | undefined
  /**
   * Tools of the agent that the model may call directly. Default: the skills of the card that are
   * tools, if the card is read, else none.
   */
  readonly tools?: readonly ToolDefinition[] | undefined
  /**
   * True if the agent works once on a message whose id arrives twice, as a server of modelport does
   * while its store lives. If the caller's process ended before the result of a call was recorded,
   * a resume sends the call again and finds its task; otherwise a person is asked. Default false.
   */
  readonly idempotent?: boolean | undefined
}

/**
 * Makes an agent a target that models can delegate to. The child is a task of its own; if it waits
 * for approval, so does the caller's task, and decisions are handed on.
 */
export function toAgentTarget(
  client: AgentClient,
  options: AgentTargetOptions & { readonly name: string; readonly description: string },
): AgentTarget
/**
 * The same, with missing fields taken from the card.
 * @throws {AgentError} the card cannot be read.
 */
export function toAgentTarget(
  client: AgentClient,
  options?: AgentTargetOptions,
): Promise<AgentTarget>
export function toAgentTarget(
  client: AgentClient,
  options: AgentTargetOptions = {},
): AgentTarget | Promise<AgentTarget> {
  checkSettings(
    'toAgentTarget',
    options,
    namesOf<AgentTargetOptions>({
      name: true,
      description: true,
      tools: true,
      idempotent: true,
    }),
  )
  const { name, description } = options
  if (name !== undefined && description !== undefined)
    return createTarget(client, { ...options, name, description })
  return client.card().then((card) => {
    const defaults = optionsOfCard(card)
    return createTarget(client, {
      ...options,
      name: name ?? defaults.name,
      description: description ?? defaults.description,
      tools: options.tools ?? defaults.tools,
    })
  })
}

type NamedOptions = AgentTargetOptions & { readonly name: string; readonly description: string }

/**
 * What a model reads of an agent whose card it has: skills that are tools can be called, the others
 * are part of the description.
 */
function optionsOfCard({ name, description, skills }: AgentCard): NamedOptions {
  const isTool = ({ tags, inputSchema }: AgentSkill): boolean =>
    tags.includes('tool') || Object.keys(inputSchema).length > 0

  const others = skills
    .filter((skill) => !isTool(skill))
    .map((skill) => (skill.description ? `${skill.name} (${skill.description})` : skill.name))
  const tools = skills.filter(isTool).map((skill) => ({
    name: skill.id,
    description: skill.description,
    ...(Object.keys(skill.inputSchema).length > 0 && { parameters: skill.inputSchema }),
  }))

  return {
    name,
    description: others.length ? `${description} Skills: ${others.join('; ')}.` : description,
    tools,
  }
}

function createTarget(client: AgentClient, options: NamedOptions): BoundTarget {
  const { name, description, idempotent, tools } = options

  const cancelNow = async (taskId: string): Promise<void> => {
    await client.cancel(taskId, 'the calling task was cancelled')
  }

  const delegate = async (
    request: AgentRequest,
    context: AgentContext,
    run?: AgentRunContext,
    cancelChild?: (taskId: string) => Promise<void>,
  ): Promise<ChildOutcome> => {
    // The same after a resume, so that the agent knows the message again.
    const id = messageIdOf(context.run.idempotencyKey)
    const message = createMessage('user', partsOf(request))
    const scope = scopeOf(context, run)
    const start = (signal: AbortSignal) => client.stream({ ...message, id }, { run: scope, signal })

    return readChild({
      client,
      name,
      start,
      signal: context.signal,
      cancelChild: cancelChild ?? cancelNow,
    }).catch((error: unknown) => {
      throw mayHaveArrived(error) ? toUnknown(name, error) : error
    })
  }

  return {
    name,
    description,
    ...(idempotent !== undefined && { idempotent }),
    ...(tools?.length && { tools }),
    call: async (request, context) => {
      const outcome = await delegate(request, context)
      if (outcome.status === 'done') return outcome.result
      if (outcome.status === 'failed') throw errorOf(name, outcome)
      if (outcome.isAway)
        throw new OutcomeUnknown(
          `${name} took the message as task ${outcome.taskId}, and what came of it is not known`,
        )
      throw new Error(`${name} waits for input; delegate to it from an agent`)
    },
    delegate,
    continueChild: (taskId, decisions, signal) =>
      continueChild(client, name, taskId, decisions, signal),
    lookAtChild: async (taskId, signal) => {
      const task = await client.get(taskId, { signal })
      return isAtRest(task) ? outcomeOf(task) : undefined
    },
    cancelChild: cancelNow,
    forgetChildrenOf: async (taskId) => {
      await client.forget([taskId])
    },
  }
}

const partsOf = (request: AgentRequest): readonly Part[] =>
  request.action === 'infer'
    ? [createPart.text(request.prompt)]
    : [createPart.toolCall(request.tool, request.args)]

/** What the child's task knows of its caller; `run` is unset if the caller is not an agent. */
function scopeOf(context: AgentContext, run: AgentRunContext | undefined): AgentRunContext {
  const { runId, sessionId, traceId } = context.run
  const deadline = context.run.deadline ?? run?.deadline
  const { cost } = context.budget.remaining()
  return {
    taskId: run?.taskId ?? runId,
    sessionId: run?.sessionId ?? sessionId ?? '',
    principal: run?.principal ?? '',
    chain: run?.chain ?? [],
    ...(run?.permissions && { permissions: run.permissions }),
    ...(traceId !== undefined && { traceId }),
    ...(deadline !== undefined && { deadline }),
    limits: { ...run?.limits, ...(Number.isFinite(cost) && { maxCost: cost }) },
  }
}

async function continueChild(
  client: AgentClient,
  name: string,
  taskId: string,
  decisions: readonly AcceptedDecision[],
  signal: AbortSignal,
): Promise<ChildOutcome> {
  const task = await client.get(taskId, { signal })
  if (!isAtRest(task)) {
    // Decided before, and worked on by another process: this one only waits.
    const start = (reading: AbortSignal) => client.subscribe(taskId, reading)
    const cancelNothing = (): Promise<void> => Promise.resolve()
    return readChild({ client, name, start, signal, cancelChild: cancelNothing }).catch(
      async () => {
        signal.throwIfAborted()
        return outcomeOf(await client.get(taskId, { signal }))
      },
    )
  }

  // The child may now ask another question under the same id: a decision holds only for the
  // question that was shown.
  const open = requestsOf(task)
  const isOpen = ({ requestId, digest = '' }: AcceptedDecision): boolean =>
    open.some((one) => one.requestId === requestId && (one.digest ?? '') === digest)
  const valid = open.length ? decisions.filter(isOpen) : decisions.filter(({ digest }) => !digest)

  if (!valid.length || !isInterrupted(task.state)) return outcomeOf(task)
  return outcomeOf(await client.decide(task, valid.map(toSentDecision), signal))
}

/** A decision as the agent takes it: of a call of unknown outcome, what a person found out. */
const toSentDecision = (decision: AcceptedDecision): RequestDecision => {
  const { requestId, approved, reason, digest, content, outcome, result } = decision
  return {
    requestId,
    ...(outcome ? { outcome, ...(result !== undefined && { result }) } : { approved }),
    ...(reason !== undefined && { reason }),
    ...(digest && { digest }),
    ...(content && { content }),
  }
}

/** True for a failure, such as a 500, that does not say whether the agent took the message. */
const mayHaveArrived = (error: unknown): boolean =>
  isAgentError(error, 'internal') || isAgentError(error, 'invalid-agent-response')

const toUnknown = (name: string, error: unknown): OutcomeUnknown =>
  new OutcomeUnknown(`whether ${name} took the message is not known: ${errorText(error)}`, {
    cause: error,
  })

const messageIdOf = (key: string): string =>
  key.length <= 200 ? `call_${key}` : `call_${textHash(key)}`

/** True unless the agent works on the task: it has ended, or waits for somebody. */
const isAtRest = (task: Task): boolean =>
  outcomeOf(task).status !== 'waiting' || isInterrupted(task.state)

function outcomeOf(task: Task): ChildOutcome {
  if (task.state === 'completed') {
    // Without the note the calling model would take a cut answer for the whole.
    const note = isCutOff(task) ? '\n\n(The answer was cut off at its limit of length.)' : ''
    return { status: 'done', result: `${answerOf(task)}${note}` }
  }
  if (task.state === 'failed' || task.state === 'rejected' || task.state === 'cancelled') {
    // A task that was cancelled may have done part of its work.
    const isUnknown = task.metadata['uncertain'] === true || task.state === 'cancelled'
    return {
      status: 'failed',
      message: `the task is ${task.state}: ${answerOf(task)}`.slice(0, 2_000),
      ...(isUnknown && { uncertain: true }),
    }
  }
  return { status: 'waiting', taskId: task.id, requests: requestsOf(task) }
}

/** How long to wait for the id of a child after its caller was aborted, in milliseconds. */
const idMs = 10_000

interface ChildReading {
  readonly client: AgentClient
  readonly name: string
  /** Sends the message and streams the child. */
  readonly start: (signal: AbortSignal) => ReturnType<AgentClient['stream']>
  readonly signal: AbortSignal
  readonly cancelChild: (taskId: string) => Promise<void>
}

/**
 * Reads a child task until it ends or waits. When the caller is aborted, it cancels the child, also
 * if the child's id arrives only then.
 */
async function readChild({
  client,
  name,
  start,
  signal,
  cancelChild,
}: ChildReading): Promise<ChildOutcome> {
  signal.throwIfAborted()
  const reading = new AbortController()
  let id: string | undefined

  const stopReading = (): void => reading.abort(signal.reason)
  const stopChild = (): void => {
    if (id === undefined) {
      setTimeout(stopReading, idMs)
      return
    }
    void cancelChild(id).catch(() => undefined)
    stopReading()
  }

  const read = async (): Promise<ChildOutcome> => {
    for await (const event of start(reading.signal)) {
      // The first task says the id; the rest is read only to learn when the child rests.
      if (event.type !== 'task' || id !== undefined) continue
      id = event.task.id
      if (signal.aborted) stopChild()
      if (isAtRest(event.task)) return outcomeOf(event.task)
    }
    return id === undefined
      ? { status: 'failed', message: `${name} gave no task`, uncertain: true }
      : outcomeOf(await client.get(id))
  }

  return new Promise((resolve, reject) => {
    const abort = (): void => {
      stopChild()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })

    void read()
      .catch((error: unknown) => {
        // The agent has the message, and works on it or will: its caller looks again later.
        if (id === undefined || signal.aborted || !isAway(error)) throw error
        return { status: 'waiting', taskId: id, requests: [], isAway: true } as const
      })
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

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
import { createPart, type Part } from '../models/part.js'
import { isCutOff, requestsOf, type Task } from '../models/task.js'
import { isInterrupted } from '../models/task-state.js'
import type { AgentRunContext } from '../run/run-context.js'
import { type BoundTarget, type ChildOutcome, errorOf } from '../run/sub-agent.js'
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
    const told = fromCard(card)
    return createTarget(client, {
      ...options,
      name: name ?? told.name,
      description: description ?? told.description,
      tools: options.tools ?? told.tools,
    })
  })
}

type NamedOptions = AgentTargetOptions & { readonly name: string; readonly description: string }

/**
 * What a model reads of an agent by its card: skills that are tools can be called, the others are
 * part of the description.
 */
function fromCard({ name, description, skills }: AgentCard): NamedOptions {
  const isTool = ({ tags, inputSchema }: AgentSkill): boolean =>
    tags.includes('tool') || Object.keys(inputSchema).length > 0
  const others = skills
    .filter((skill) => !isTool(skill))
    .map((skill) => (skill.description ? `${skill.name} (${skill.description})` : skill.name))
  const tools = skills.filter(isTool).map(({ id, description: what, inputSchema }) => ({
    name: id,
    description: what,
    ...(Object.keys(inputSchema).length > 0 && { parameters: inputSchema }),
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
    const message: readonly Part[] =
      request.action === 'infer'
        ? [createPart.text(request.prompt)]
        : [createPart.toolCall(request.tool, request.args)]
    const deadline = context.run.deadline ?? run?.deadline
    const { cost } = context.budget.remaining()
    const scope: AgentRunContext = {
      taskId: run?.taskId ?? context.run.runId,
      sessionId: run?.sessionId ?? context.run.sessionId ?? '',
      principal: run?.principal ?? '',
      chain: run?.chain ?? [],
      ...(run?.permissions && { permissions: run.permissions }),
      ...(context.run.traceId !== undefined && { traceId: context.run.traceId }),
      ...(deadline !== undefined && { deadline }),
      limits: { ...run?.limits, ...(Number.isFinite(cost) && { maxCost: cost }) },
    }
    // The same after a resume, so that the agent knows the message again.
    const id = messageIdOf(context.run.idempotencyKey)
    const start = (signal: AbortSignal) =>
      client.stream({ ...createMessage('user', message), id }, { run: scope, signal })
    return finish({
      client,
      name,
      start,
      signal: context.signal,
      cancelChild: cancelChild ?? cancelNow,
    }).catch((error: unknown) => {
      throw answersNothing(error) ? toUnknown(name, error) : error
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
      return isOver(task) ? outcomeOf(task) : undefined
    },
    cancelChild: cancelNow,
    forgetChildrenOf: async (taskId) => {
      await client.forget([taskId])
    },
  }
}

async function continueChild(
  client: AgentClient,
  name: string,
  taskId: string,
  decisions: Parameters<BoundTarget['continueChild']>[1],
  signal: AbortSignal,
): Promise<ChildOutcome> {
  const task = await client.get(taskId, { signal })
  if (!isOver(task)) {
    // Decided before, and worked on by another process: this one only waits.
    const start = (reading: AbortSignal) => client.subscribe(taskId, reading)
    return finish({ client, name, start, signal, cancelChild: () => Promise.resolve() }).catch(
      async () => {
        signal.throwIfAborted()
        return outcomeOf(await client.get(taskId, { signal }))
      },
    )
  }
  // The child may now ask another question under the same id: a decision holds only for the
  // question that was shown.
  const open = requestsOf(task)
  const decided = decisions
    .filter(({ requestId, digest = '' }) =>
      open.length
        ? open.some((one) => one.requestId === requestId && (one.digest ?? '') === digest)
        : digest === '',
    )
    .map(({ requestId, approved, reason, digest, content, outcome, result }) => ({
      requestId,
      ...(outcome ? { outcome, ...(result !== undefined && { result }) } : { approved }),
      ...(reason !== undefined && { reason }),
      ...(digest && { digest }),
      ...(content && { content }),
    }))
  if (!decided.length || !isInterrupted(task.state)) return outcomeOf(task)
  return outcomeOf(await client.decide(task, decided, signal))
}

/** True for a failure that does not say whether the message was taken: no refusal, but a 500. */
const answersNothing = (error: unknown): boolean =>
  isAgentError(error, 'internal') || isAgentError(error, 'invalid-agent-response')

const toUnknown = (name: string, error: unknown): OutcomeUnknown =>
  new OutcomeUnknown(`whether ${name} took the message is not known: ${errorText(error)}`, {
    cause: error,
  })

const messageIdOf = (key: string): string =>
  key.length <= 200 ? `call_${key}` : `call_${textHash(key)}`

const isOver = (task: Task): boolean =>
  outcomeOf(task).status !== 'waiting' || isInterrupted(task.state)

function outcomeOf(task: Task): ChildOutcome {
  if (task.state === 'completed') {
    // The calling model would take a part for all of it.
    const note = isCutOff(task) ? '\n\n(The answer was cut off at its limit of length.)' : ''
    return { status: 'done', result: `${answerOf(task)}${note}` }
  }
  if (task.state === 'failed' || task.state === 'rejected' || task.state === 'cancelled') {
    // A task that was cancelled may have done a part of its work.
    const isUnknown = task.metadata['uncertain'] === true || task.state === 'cancelled'
    return {
      status: 'failed',
      message: `the task is ${task.state}: ${answerOf(task)}`.slice(0, 2_000),
      ...(isUnknown && { uncertain: true }),
    }
  }
  return { status: 'waiting', taskId: task.id, requests: requestsOf(task) }
}

/** How long the id of a child is waited for after the caller was aborted, in milliseconds. */
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
 * Reads a child task until it is over or waits. When the caller is aborted, it cancels the child,
 * also if the child's id arrives only then.
 */
async function finish({
  client,
  name,
  start,
  signal,
  cancelChild,
}: ChildReading): Promise<ChildOutcome> {
  signal.throwIfAborted()
  const reading = new AbortController()
  let id: string | undefined
  const stopChild = (): void => {
    const stopReading = (): void => reading.abort(signal.reason)
    if (id === undefined) return void setTimeout(stopReading, idMs)
    void cancelChild(id).catch(() => undefined)
    stopReading()
  }
  const read = async (): Promise<ChildOutcome> => {
    for await (const event of start(reading.signal))
      if (event.type === 'task' && id === undefined) {
        id = event.task.id
        if (signal.aborted) stopChild()
        if (isOver(event.task)) return outcomeOf(event.task)
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
        // It has the message, and works on it or will: its caller looks again later.
        if (id === undefined || signal.aborted || !isAway(error)) throw error
        return { status: 'waiting', taskId: id, requests: [], isAway: true } as const
      })
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

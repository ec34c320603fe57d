import type { AgentContext, AgentRequest } from '@modelport/runtime'
import { isInterrupted } from '../models/task-state.js'
import { type Part, parts } from '../models/part.js'
import type { Task } from '../models/task.js'
import type { AgentRunContext } from '../run/run-context.js'
import type { BoundTarget, ChildOutcome } from '../run/sub-agent.js'
import { type AgentClient, answerOf, approvalsOf } from './client.js'

/** What a model is shown of an agent. */
export interface AgentTargetOptions {
  /** Name that the model calls it by. */
  readonly name: string
  /** What it is good for; the model reads this. */
  readonly description: string
}

/**
 * Makes an agent a target that models can delegate to. The child is a task of its own; if it waits for approval, so does the caller's task, and
 * decisions are handed on.
 */
export function toAgentTarget(client: AgentClient, { name, description }: AgentTargetOptions): BoundTarget {
  const delegate = async (
    request: AgentRequest,
    context: AgentContext,
    run?: AgentRunContext,
  ): Promise<ChildOutcome> => {
    const message: readonly Part[] =
      request.action === 'infer' ? [parts.text(request.prompt)] : [parts.toolCall(request.tool, request.args)]
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
      ...(Number.isFinite(cost) && { maxCost: cost }),
    }
    const running = client.stream(message, { run: scope, signal: context.signal })
    return finish(client, name, running, context.signal)
  }
  return {
    name,
    description,
    call: async (request, context) => {
      const outcome = await delegate(request, context)
      if (outcome.status === 'done') return outcome.result
      throw new Error(
        outcome.status === 'failed' ? outcome.message : `${name} waits for input; delegate to it from an agent`,
      )
    },
    delegate,
    continueChild: async (taskId, decisions, signal) => {
      const task = await client.get(taskId, { signal })
      if (!decisions.length || !isInterrupted(task.state)) return outcomeOf(task)
      const answers = decisions.map(({ requestId, approved, reason }) => ({
        requestId,
        approved,
        ...(reason !== undefined && { reason }),
      }))
      return outcomeOf(await client.answerApproval(task, answers, signal))
    },
    cancelChild: async (taskId) => {
      await client.cancel(taskId, 'the calling task was cancelled')
    },
  }
}

/** Cancels the child when the caller is cancelled. */
function cancelWith(client: AgentClient, id: string, signal: AbortSignal): () => void {
  const stop = () => void client.cancel(id, 'the calling task was cancelled').catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}

const isOver = (task: Task): boolean => outcomeOf(task).status !== 'waiting' || isInterrupted(task.state)

function outcomeOf(task: Task): ChildOutcome {
  if (task.state === 'completed') return { status: 'done', result: answerOf(task) }
  if (task.state === 'failed' || task.state === 'rejected' || task.state === 'canceled')
    return { status: 'failed', message: `the task is ${task.state}: ${answerOf(task)}`.slice(0, 2_000) }
  return { status: 'waiting', taskId: task.id, approvals: approvalsOf(task) }
}

/** Reads a child task until it is over or waits. */
async function finish(
  client: AgentClient,
  name: string,
  events: ReturnType<AgentClient['stream']>,
  signal: AbortSignal,
): Promise<ChildOutcome> {
  let release: (() => void) | undefined
  let id: string | undefined
  try {
    for await (const event of events)
      if (event.type === 'task' && id === undefined) {
        id = event.task.id
        release = cancelWith(client, id, signal)
        if (isOver(event.task)) return outcomeOf(event.task)
      }
    return id === undefined ? { status: 'failed', message: `${name} gave no task` } : outcomeOf(await client.get(id))
  } finally {
    release?.()
  }
}

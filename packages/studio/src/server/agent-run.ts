import {
  type AgentClient,
  answerOf,
  createPart,
  isAgentError,
  isTerminal,
  type Part,
  requestsOf,
  type Task,
} from '@modelport/agent'
import { type ChatMessage, isLlmError, LlmError } from '@modelport/core'
import type { PendingCall } from '../protocol/pending-call.js'
import type { AgentTaskInfo, StartRun } from '../protocol/protocol.js'
import type { Decision, ExecuteRun, RunEnd, RunPort } from './run-port.js'

type Requests = ReturnType<typeof requestsOf>

/**
 * Sends the last message to a remote agent and follows its task until it is over or needs another
 * message; a person decides on each approval, and answers each question. `before` is the task that
 * the conversation was in.
 */
export const agentRun =
  (client: AgentClient, before: AgentTaskInfo | undefined): ExecuteRun =>
  async (request, port) => {
    const task = new FollowedTask(client, port)
    try {
      await task.follow(toParts(request.messages.at(-1)), before && startAt(before))
      for (let open = task.requests(); open.length > 0; open = task.requests()) {
        const decided = await decide(open, request.approvals ?? 'ask', port)
        await task.follow(decided, { taskId: task.id })
      }
      return task.end(request)
    } catch (error) {
      if (!port.signal.aborted) throw withoutEnd(error, task.id)
      // Closing the stream alone would leave the task running.
      if (task.id) await client.cancel(task.id, 'stopped by the user').catch(() => undefined)
      return { status: 'cancelled', transcript: task.transcript(request) }
    }
  }

/**
 * A failure of the way to the agent, with what it leaves open: whoever sends the message again
 * should know that the agent has it.
 */
function withoutEnd(error: unknown, taskId: string): unknown {
  if (!taskId || !isLlmError(error) || isAgentError(error)) return error
  return new LlmError(
    error.code,
    `${error.message}; the agent took the message, and its task ${taskId} may continue, or wait for somebody: look there before you send the message again`,
    { cause: error },
  )
}

const startAt = ({
  taskId,
  sessionId,
  isWaiting,
}: AgentTaskInfo): { taskId: string } | { sessionId: string } =>
  isWaiting ? { taskId } : { sessionId }

/** The text and images of a message; an agent keeps the messages before it itself. */
function toParts(message: ChatMessage | undefined): readonly Part[] {
  const content = message?.content ?? ''
  if (typeof content === 'string') return [createPart.text(content)]
  return content.flatMap((part): readonly Part[] => {
    if (part.type === 'text') return [createPart.text(part.text)]
    const { source } = part
    if (source.type === 'url') return [{ type: 'uri', content: source.url }]
    if (source.type === 'file') return [createPart.text(`[file ${source.id}]`)]
    return [{ type: 'bytes', content: source.data, mediaType: source.mediaType }]
  })
}

async function decide(
  open: Requests,
  approvals: 'ask' | 'allow',
  port: RunPort,
): Promise<readonly Part[]> {
  // Only calls that were not started can be allowed beforehand.
  const approve = async (call: PendingCall): Promise<Decision> =>
    approvals === 'allow' && !call.question && !call.uncertain
      ? { approved: true }
      : port.ask(call, port.signal)
  return Promise.all(
    open.map(async ({ requestId, digest = '', action, path, question, uncertain, reason: why }) => {
      const named = action?.['tool'] ?? action?.['toolName']
      const tool = [...(path ?? []), typeof named === 'string' ? named : 'a tool'].join(' → ')
      const call = { callId: requestId, tool, args: action?.['args'] ?? action }
      // The wire checks no texts of a question. `from` makes it that of a stranger, whose schema
      // gets bounded patterns.
      const [message = '', from = '', url = ''] = [
        question?.message,
        question?.from ?? tool,
        question?.url,
      ].map(String)
      const asked = question && {
        ...question,
        message,
        from,
        ...(question.url !== undefined && { url }),
        digest,
      }
      const { approved, outcome, result, reason, content } = await approve({
        ...call,
        ...(why !== undefined && { reason: why }),
        ...(asked && { question: asked }),
        ...(uncertain && { uncertain }),
      })
      return createPart.request({
        requestId,
        ...(outcome ? { outcome, ...(result !== undefined && { result }) } : { approved }),
        ...(reason !== undefined && { reason }),
        ...(digest && { digest }),
        ...(content && { content }),
      })
    }),
  )
}

/** A task of a remote agent as it is followed. */
class FollowedTask {
  readonly #client: AgentClient
  readonly #port: RunPort
  #task: Task | undefined
  /** The text that was streamed. */
  #text = ''

  constructor(client: AgentClient, port: RunPort) {
    this.#client = client
    this.#port = port
  }

  /** Id of the task; empty until the agent has named it. */
  get id(): string {
    return this.#task?.id ?? ''
  }

  /** Sends a message and reads until the task is over or waits. */
  async follow(
    message: readonly Part[],
    where: { readonly taskId?: string; readonly sessionId?: string } = {},
  ) {
    const { signal } = this.#port
    for await (const event of this.#client.stream(message, { ...where, signal })) {
      if (event.type === 'text-delta')
        this.#text = event.first ? event.text : this.#text + event.text
      if (event.type === 'task') this.#keep(event.task)
      this.#port.agent(event)
    }
    signal.throwIfAborted()
    if (!this.#task) throw new LlmError('protocol', 'the agent sent no task; ask its operator')
    // A stream need not end with the task as it is then.
    if (!isTerminal(this.#task.state)) this.#keep(await this.#latest(this.#task, signal))
  }

  async #latest(task: Task, signal: AbortSignal): Promise<Task> {
    try {
      return await this.#client.get(task.id, { signal })
    } catch (error) {
      // Agents of older wires cannot give a task, but they sent it whole.
      if (isAgentError(error, 'unsupported-operation')) return task
      throw error
    }
  }

  /** The requests that the task waits for. */
  requests(): Requests {
    return this.#task ? requestsOf(this.#task) : []
  }

  /** The outcome of the run, with the reply of an agent that did not stream it. */
  end(request: StartRun): RunEnd {
    const task = this.#task
    if (!task) throw new LlmError('protocol', 'the agent sent no task; ask its operator')
    const reply = answerOf(task)
    if (task.state === 'failed' || task.state === 'rejected')
      return {
        status: 'failed',
        error: { code: task.state, message: reply.slice(0, 2000) || `the task ${task.state}` },
      }
    if (!this.#text && reply) {
      this.#text = reply
      this.#port.agent({ type: 'text-delta', text: reply, first: true })
    }
    const status =
      task.state === 'completed' ? 'final' : task.state === 'cancelled' ? 'cancelled' : 'suspended'
    return { status, transcript: this.transcript(request) }
  }

  /** The conversation with the reply so far. */
  transcript({ messages }: StartRun): readonly ChatMessage[] {
    return this.#text ? [...messages, { role: 'assistant', content: this.#text }] : messages
  }

  #keep(task: Task): void {
    this.#task = task
    const isWaiting = !isTerminal(task.state)
    this.#port.task({ taskId: task.id, sessionId: task.sessionId, isWaiting })
  }
}

import type { CompactionResult } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import { compactObject, isObject } from '../base/json.js'
import type { HistoryCompactionRequest } from '../models/compaction-control.js'
import type { Message } from '../models/message.js'
import { createTask, type Task } from '../models/task.js'
import { grantedBudgetOf } from '../run/run-context.js'
import { toProtolinkPermissions } from '../wire/protolink/run-context-codec.js'
import { fromProtolinkTask, toProtolinkTask } from '../wire/protolink/task-codec.js'
import type { SendOptions } from './client.js'
import type { Connection } from './connection.js'

/** The operations of Protolink. */
export class ProtolinkTransport {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async send(message: Message, options: SendOptions): Promise<Task> {
    const { taskId, sessionId, metadata, run } = options
    const task = createTask(message, {
      ...(taskId !== undefined && { id: taskId }),
      ...(sessionId !== undefined && { sessionId }),
      metadata: {
        ...metadata,
        ...(run && {
          run_context: {
            parent_run_id: run.taskId,
            agent_chain: run.chain,
            ...(run.permissions && { permissions: toProtolinkPermissions(run.permissions) }),
            ...compactObject({ trace_id: run.traceId, budget: grantedBudgetOf(run) }),
          },
        }),
      },
    })
    return fromProtolinkTask(await this.#post('/tasks/', toProtolinkTask(task), options.signal))
  }

  async cancel(id: string, reason?: string): Promise<Task> {
    return fromProtolinkTask(
      await this.#post('/tasks/cancel', { id, metadata: reason === undefined ? {} : { reason } }),
    )
  }

  async compactHistory(
    sessionId: string,
    request: Partial<HistoryCompactionRequest>,
  ): Promise<Omit<CompactionResult, 'changed'>> {
    const value = await this.#post('/llm/history/compact', {
      session_id: sessionId,
      ...(request.strategy && { strategy: request.strategy }),
      ...(request.maxMessages !== undefined && { max_messages: request.maxMessages }),
      ...(request.maxTokens !== undefined && { max_tokens: request.maxTokens }),
      ...(request.preserveRecent !== undefined && { preserve_recent: request.preserveRecent }),
      ...(request.summaryMaxTokens !== undefined && { summary_max_tokens: request.summaryMaxTokens }),
    })
    if (!isObject(value)) throw new AgentError('invalid-agent-response', 'The agent did not report the compaction')
    const number = (key: string) => (typeof value[key] === 'number' ? value[key] : 0)
    const { strategy } = value
    return {
      strategy: strategy === 'tokens' || strategy === 'summary' ? strategy : 'recent',
      beforeMessages: number('before_messages'),
      afterMessages: number('after_messages'),
      removedMessages: number('removed_messages'),
      beforeTokens: number('before_tokens'),
      afterTokens: number('after_tokens'),
      summaryCreated: value['summary_created'] === true,
    }
  }

  async #post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#connection.json(
      await this.#connection.send({ method: 'POST', url: this.#connection.at(path), body, signal }),
    )
  }
}

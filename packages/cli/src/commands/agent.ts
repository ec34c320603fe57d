import { isInterrupted, type RequestContent, requestsOf, type Task } from '@modelport/agent'
import { toA2aCard } from '@modelport/serve'
import { type AgentCallOptions, withAgent } from '../agents/agent-client.js'
import type { Cli } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { shellWord } from '../terminal/shell-word.js'
import { outcomeCommands } from './agent-decide.js'
import { listStored, type StoredTasksOptions } from './agent-operate.js'
import { hasStore } from './agent-store.js'

/** Options of `modelport agent card`. */
export interface CardOptions extends AgentCallOptions {
  readonly extended?: boolean
}

/** Prints the card of an agent. */
export async function showCard(cli: Cli, url: string, options: CardOptions): Promise<number> {
  const { out, json, signal } = cli
  if (options.extended && options.tokenEnv === undefined)
    throw new UsageError(
      '--extended needs --token-env: agents give their extended card only to callers they know',
    )
  const card = await withAgent(cli, url, options, (client) =>
    options.extended ? client.extendedCard(signal) : client.card(signal),
  )
  if (json) {
    out.json(toA2aCard(card))
    return exitCodes.done
  }
  out.line(`${out.style('bold', out.foreign(card.name))}  ${out.foreign(card.description)}`)
  for (const { id, description } of card.skills)
    out.line(`  ${out.foreign(`${id}  ${description}`)}`)
  return exitCodes.done
}

/** Options of `modelport agent tasks`. */
export interface TasksOptions extends AgentCallOptions, StoredTasksOptions {
  readonly session?: string
}

/** Lists the latest tasks of an agent, or those of a store. */
export function tasks(cli: Cli, url: string | undefined, options: TasksOptions): Promise<number> {
  if ((url === undefined) !== hasStore(options))
    throw new UsageError('give the URL of an agent or --store')
  return url === undefined ? listStored(cli, options) : listTasks(cli, url, options)
}

/** A task, and for one that waits: what for, and the commands by which its caller ends that. */
function linesOf(url: string, task: Task): readonly string[] {
  const { id, state, createdAt, sessionId } = task
  const send = `modelport agent send ${shellWord(url)} --task ${shellWord(id)}`
  const requests = requestsOf(task)
  const commandsOf = ({ uncertain, requestId }: RequestContent): readonly string[] =>
    uncertain ? outcomeCommands(url, id, requestId) : [send]
  return [
    [id, state, createdAt, sessionId].join('  '),
    ...requests.flatMap((request) => [
      `    ${kindOf(request)}  ${request.requestId}  ${JSON.stringify(request.action ?? {})}`,
      ...commandsOf(request).map((line) => `      ${line}`),
    ]),
    ...(isInterrupted(state) && requests.length === 0 ? [`      ${send} "…"`] : []),
  ]
}

function kindOf({ uncertain, question }: RequestContent): string {
  if (question) return 'question'
  return uncertain ? 'uncertain' : 'approval'
}

async function listTasks(cli: Cli, url: string, options: TasksOptions): Promise<number> {
  const { out, err, json, signal } = cli
  const { tasks, total } = await withAgent(cli, url, options, (client) =>
    client.list({
      pageSize: options.limit,
      signal,
      ...(options.session !== undefined && { sessionId: options.session }),
    }),
  )
  if (json) {
    out.json({
      tasks: tasks.map(({ id, sessionId, state, createdAt }) => ({
        id,
        sessionId,
        state,
        createdAt,
      })),
      total,
    })
    return exitCodes.done
  }
  if (total === 0) out.line('the agent has no tasks for you')
  for (const task of tasks) for (const line of linesOf(url, task)) out.line(out.foreign(line))
  if (total > tasks.length) err.line(err.style('dim', `${total} tasks in all; --limit shows more`))
  return exitCodes.done
}

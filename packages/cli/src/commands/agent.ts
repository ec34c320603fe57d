import { toA2aCard } from '@modelport/agent'
import { type Command, InvalidArgumentError } from 'commander'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import type { Cli } from '../context/cli.js'
import { type AgentCallOptions, withAgent, withAgentCallOptions } from '../agents/agent-client.js'
import { addOperate, listStored, type StoredTasksOptions } from './agent-operate.js'
import { hasStore, withStoreOptions } from './agent-store.js'
import { type SendCommandOptions, sendToAgent } from './agent-send.js'
import { serveAgents, type ServeCommandOptions } from './agent-serve.js'
import type { Start } from '../context/start.js'

const toInteger = (least: number, most: number, what: string) => (text: string) => {
  const value = Number(text)
  if (!text.trim() || !Number.isInteger(value) || value < least || value > most)
    throw new InvalidArgumentError(`must be ${what}, ${least} to ${most}.`)
  return value
}

/** `modelport agent`: serves agents, and talks to agents behind an address. */
export function addAgent(program: Command, start: Start): void {
  const agent = program.command('agent').description('serve agents, and call agents behind an address')
  withStoreOptions(agent.command('serve <file>'))
    .description('serve the agents of a module, or of a YAML or JSON file, until Ctrl-C')
    .option('-p, --port <port>', 'port; 0 takes a free one', toInteger(0, 65_535, 'a port'), 0)
    .option('--host <address>', 'address to listen at; others than loopback need --token-env', '127.0.0.1')
    .option('--url <url>', 'base URL that the cards name (default: where it listens)')
    .option('--token-env <name>', 'environment variable that holds the bearer token of callers')
    .action((file: string, options: ServeCommandOptions) => start(options, (cli) => serveAgents(cli, file, options)))
  withAgentCallOptions(agent.command('card <url>'))
    .description('show who an agent is and what it can do')
    .option('--extended', 'show the fuller card that the agent gives to callers it knows; needs --token-env')
    .action((url: string, options: CardOptions) => start(options, (cli) => showCard(cli, url, options)))
  withAgentCallOptions(agent.command('send <url> [prompt...]'))
    .description('send a message and stream the reply; what is piped in comes after the prompt')
    .option('--task <id>', 'continue this task')
    .option('--session <id>', 'start the task in this conversation')
    .option('-y, --yes', 'approve every request of the agent without asking')
    .action((url: string, prompt: readonly string[], options: SendCommandOptions) =>
      start(options, (cli) => sendToAgent(cli, url, prompt, options)),
    )
  withStoreOptions(agent.command('tasks [url]'))
    .description('list the latest tasks of an agent, or those of a store that are not over')
    .option('--token-env <name>', 'environment variable that holds the bearer token')
    .option('--session <id>', 'of an agent: only tasks of this conversation')
    .option('--all', 'of a store: also tasks and runs that are over')
    .option('--limit <count>', 'most tasks', toInteger(1, 100, 'a number'), 20)
    .action((url: string | undefined, options: TasksOptions) =>
      start(options, (cli) => {
        if ((url === undefined) !== hasStore(options)) throw new UsageError('give the URL of an agent or --store')
        return url === undefined ? listStored(cli, options) : listTasks(cli, url, options)
      }),
    )
  addOperate(agent, start)
}

interface CardOptions extends AgentCallOptions {
  readonly extended?: boolean
}

async function showCard(cli: Cli, url: string, options: CardOptions): Promise<number> {
  const { out, json, signal } = cli
  if (options.extended && options.tokenEnv === undefined)
    throw new UsageError('--extended needs --token-env: agents give their extended card only to callers they know')
  const card = await withAgent(cli, url, options, (client) =>
    options.extended ? client.extendedCard(signal) : client.card(signal),
  )
  if (json) {
    out.json(toA2aCard(card))
    return exitCodes.done
  }
  out.line(`${out.style('bold', out.foreign(card.name))}  ${out.foreign(card.description)}`)
  for (const { id, description } of card.skills) out.line(`  ${out.foreign(`${id}  ${description}`)}`)
  return exitCodes.done
}

interface TasksOptions extends AgentCallOptions, StoredTasksOptions {
  readonly session?: string
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
      tasks: tasks.map(({ id, sessionId, state, createdAt }) => ({ id, sessionId, state, createdAt })),
      total,
    })
    return exitCodes.done
  }
  for (const { id, state, createdAt, sessionId } of tasks)
    out.line(out.foreign([id, state, createdAt, sessionId].join('  ')))
  if (total > tasks.length) err.line(err.style('dim', `${total} tasks in all; --limit shows more`))
  return exitCodes.done
}

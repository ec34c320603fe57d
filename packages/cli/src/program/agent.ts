import { type Command, Option } from 'commander'
import type { Start } from '../context/start.js'
import { withAgentCallOptions, withStoreOptions } from './agent-flags.js'
import { addOperate } from './agent-operate.js'
import { toIntegerFrom } from './numbers.js'

/** `modelport agent`: serves agents, and talks to agents behind an address. */
export function addAgent(program: Command, start: Start): void {
  const agent = program
    .command('agent')
    .description('serve agents, and call agents behind an address')
  withStoreOptions(agent.command('serve <file>'))
    .description('serve the agents of a module, or of a YAML or JSON file, until Ctrl-C')
    .option('-p, --port <port>', 'port; 0 takes a free one', toIntegerFrom(0, 65_535, 'a port'), 0)
    .option(
      '--host <address>',
      'address to listen at; others than loopback need --token-env',
      '127.0.0.1',
    )
    .option('--url <url>', 'base URL that the cards name (default: where it listens)')
    .option('--token-env <name>', 'environment variable that holds the bearer token of callers')
    .action(start(async () => (await import('../commands/agent-serve.js')).serveAgents))
  withAgentCallOptions(agent.command('card <url>'))
    .description('show who an agent is and what it can do')
    .option(
      '--extended',
      'show the fuller card that the agent gives to callers it knows; needs --token-env',
    )
    .action(start(async () => (await import('../commands/agent.js')).showCard))
  withAgentCallOptions(agent.command('send <url> [prompt...]'))
    .description('send a message and stream the reply; what is piped in comes after the prompt')
    .option(
      '--task <id>',
      'continue this task; without a prompt, ask what it waits for and read on',
    )
    .option('--session <id>', 'start the task in this conversation')
    .option(
      '-y, --yes',
      'approve every call that the agent asks for; says nothing of calls whose outcome is unknown',
    )
    .option('--request <id>', 'the call whose outcome is said; may be left out if there is one')
    .addOption(
      new Option('--happened <result>', 'the call happened, with this result').conflicts([
        'didNotHappen',
        'giveUp',
      ]),
    )
    .addOption(
      new Option('--did-not-happen', 'the call did not happen: it is executed now').conflicts(
        'giveUp',
      ),
    )
    .option('--give-up', 'nobody will find out; the model learns that the outcome is unknown')
    .action(start(async () => (await import('../commands/agent-send.js')).sendToAgent))
  withAgentCallOptions(agent.command('deliver <url>'))
    .description('deliver the result of work that a task waits for')
    .requiredOption('--task <id>', 'the task')
    .addOption(new Option('--result <text>', 'what came of the work').conflicts('failed'))
    .option('--failed <reason>', 'the work failed; the model reads why')
    .option('--owner <principal>', 'owner of the task (default: the caller)')
    .option('--request <id>', 'which result; may be left out if the task waits for one')
    .action(start(async () => (await import('../commands/agent-deliver.js')).deliver))
  withStoreOptions(agent.command('tasks [url]'))
    .description('list the latest tasks of an agent, or those of a store that are not over')
    .option('--token-env <name>', 'environment variable that holds the bearer token')
    .option('--session <id>', 'of an agent: only tasks of this conversation')
    .option('--all', 'of a store: also tasks and runs that are over')
    .option('--limit <count>', 'maximum number of tasks', toIntegerFrom(1, 100, 'a number'), 20)
    .action(start(async () => (await import('../commands/agent.js')).tasks))
  addOperate(agent, start)
}

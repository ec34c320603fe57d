import { Argument, type Command, Option } from 'commander'
import { hostFormats } from '../commands/host-formats.js'
import {
  type Start,
  withBaseUrlOption,
  withCommonOptions,
  withModelOption,
} from '../context/start.js'
import { stepIds } from '../doctor/doctor-step.js'
import { addAgent } from './agent.js'
import { withStoreOptions } from './agent-flags.js'
import { addBudget } from './budget.js'
import { withCallFlags, withOneCallFlags, withToolFlags, withViewFlags } from './call-flags.js'
import { withBudgetFlags, withLimitFlags } from './limit-flags.js'
import { addMcp } from './mcp.js'
import { collect, toIntegerFrom, toPositive } from './numbers.js'

type Add = (program: Command, start: Start) => void

/** `modelport init`: a model into the configuration. */
const init: Add = (program, start) =>
  withCommonOptions(program.command('init'))
    .description('set up a model: asks, tests the connection, writes the configuration')
    .option('-p, --provider <name>', 'provider, or provider:model')
    .option('-m, --model <name>', 'model')
    .option('-n, --name <name>', 'what to call it (default: main)')
    .option('--base-url <url>', 'address of the API')
    .option('--region <region>', 'region of the cloud (default: AWS_REGION, AWS_DEFAULT_REGION)')
    .option('--key-env <name>', 'variable that has the key')
    .option('--key-stdin', 'read the key from the input, and keep it in the key file')
    .option('--no-test', 'do not test the connection')
    .action(start(async () => (await import('../commands/init.js')).init))

/** `modelport doctor`: what works, what does not, and what to do about it. */
const doctor: Add = (program, start) =>
  withBaseUrlOption(withCommonOptions(program.command('doctor')))
    .description(
      'check each model from its configuration to a reply, and say what to do about what fails',
    )
    .option(
      '-m, --model <name...>',
      'only these models, or provider:model (default: all of the configuration)',
    )
    .addOption(
      new Option('--until <step>', 'last step; those after "tls" cost a few tokens')
        .choices(stepIds)
        .default('schema'),
    )
    .option('--timeout <seconds>', 'time limit of each step, in seconds', toPositive, 30)
    .action(start(async () => (await import('../commands/doctor.js')).doctor))

/** `modelport chat`: a conversation. */
const chat: Add = (program, start) => {
  const command = withModelOption(withCommonOptions(program.command('chat')))
  withBudgetFlags(withLimitFlags(withToolFlags(withCallFlags(withViewFlags(command)))))
    .description('talk with a model; lines of a pipe are messages too')
    .option(
      '--record <file>',
      'record the exchanges in a cassette, without keys; the studio plays it back',
    )
    .option('-r, --resume [id]', 'continue a saved chat; without an id, the latest')
    .option('--no-save', 'keep nothing: neither the chat nor the history of the input')
    .option('--no-history', 'keep nothing of what is typed for the next chat')
    .option('--sessions <folder>', 'where chats are saved')
    .action(start(async () => (await import('../commands/chat.js')).chat, 'own'))
}

/** `modelport complete`: one reply, made for pipes. */
const complete: Add = (program, start) => {
  const command = program
    .command('complete')
    .argument('[prompt...]', 'what to ask; what is piped in comes after it')
  withModelOption(withCommonOptions(command))
    .description('send one prompt and print the reply; reads from and writes to pipes')
    .option(
      '-i, --image <file>',
      'image to send, a file or a URL; may be given several times',
      collect,
    )
    .option(
      '-C, --continue',
      'continue the saved chat that was used last, and save the reply in it',
    )
    .option('--save', 'save the prompt and the reply as a chat, to be continued')
    .option('--sessions <folder>', 'where chats are saved')
  withLimitFlags(withToolFlags(withOneCallFlags(withViewFlags(command))))
    .option('--usage', 'print tokens and cost to the error output')
    .action(start(async () => (await import('../commands/complete.js')).complete))
}

/** `modelport hosts`: what a sandbox must allow. */
const hosts: Add = (program, start) =>
  withCommonOptions(program.command('hosts'))
    .description('list every host that the models contact, as text or in the format of a sandbox')
    .addOption(
      new Option('-f, --format <format>', 'form of the list').choices(hostFormats).default('list'),
    )
    .option('-m, --model <name...>', 'only these models (default: all of the configuration)')
    .option(
      '--agent <url...>',
      'also the hosts of these agents; without a configuration only these',
    )
    .option('--resolve', 'look names up, for the form by address (kubernetes)')
    .action(start(async () => (await import('../commands/hosts.js')).hosts))

/** `modelport models`: what is configured, and what the vendors have. */
const models: Add = (program, start) =>
  withCommonOptions(program.command('models'))
    .description('list the configured models, or those that their vendors have')
    .option('-m, --model <name>', 'only this one, or provider:model')
    .option('--remote', 'ask the vendors, or the servers, for their lists')
    .option('--prices', 'what their tokens cost, with source and date')
    .action(start(async () => (await import('../commands/models.js')).models))

/** `modelport files`: files at a vendor. */
const files: Add = (program, start) =>
  withModelOption(withCommonOptions(program.command('files')))
    .description(
      'upload a file to a vendor, for messages that name it; list, show or delete such files',
    )
    .addArgument(
      new Argument('<action>', 'what to do').choices(['upload', 'list', 'get', 'delete']),
    )
    .argument('[file]', 'the path of the file to upload, else its id')
    .option('--type <type>', 'its media type (default: by the ending of its name)')
    .action(start(async () => (await import('../commands/files.js')).files))

/** `modelport prompts check`: everything that would go wrong in the middle of a call. */
const prompts: Add = (program, start) =>
  withCommonOptions(program.command('prompts'))
    .description('check a folder of Markdown prompts; problems name their file')
    .addArgument(new Argument('<action>', 'what to do').choices(['check']))
    .argument('[folder]', 'where the prompts are', 'prompts')
    .action(start(async () => (await import('../commands/prompts.js')).check))

/** `modelport sessions`: saved chats. */
const sessions: Add = (program, start) =>
  withCommonOptions(program.command('sessions'))
    .description('list saved chats, or delete one')
    .option('--sessions <folder>', 'where chats are saved')
    .option('--delete <id>', 'delete this chat')
    .action(start(async () => (await import('../commands/sessions.js')).sessions))

/** `modelport studio`: a page on this machine that shows streams, runs, costs and hosts. */
const studio: Add = (program, start) =>
  withStoreOptions(program.command('studio'))
    .description(
      'open a page on this machine to chat, and to look at runs, raw requests, costs and hosts; with --store also at what waits in a durable store, and its budgets',
    )
    .option(
      '-m, --model <name...>',
      'only these models, or provider:model (default: all of the configuration)',
    )
    .option(
      '-p, --port <port>',
      'port on 127.0.0.1; 0 takes a free one',
      toIntegerFrom(0, 65_535, 'a port'),
      0,
    )
    .option('--tools <file>', 'module with the tools that models may call (default: none)')
    .option('-a, --agent <url...>', 'addresses of agents to talk to')
    .option(
      '--token-env <name>',
      'environment variable that holds the bearer token of the one agent',
    )
    .option(
      '--mcp <server...>',
      'MCP servers whose tools models may call: an address, or a command in quotes',
    )
    .option(
      '--lock <file>',
      "lock with the tools of MCP servers (default: in the user's state folder)",
    )
    .option(
      '--file <file>',
      "SQLite file that keeps the runs (default: in the user's state folder)",
    )
    .option('--memory', 'keep runs in memory only')
    .action(start(async () => (await import('../commands/studio.js')).studio))

/** Adds every command, in the order of the help. */
export function addCommands(program: Command, start: Start): void {
  const commands = [
    init,
    doctor,
    chat,
    complete,
    addAgent,
    addBudget,
    hosts,
    addMcp,
    models,
    files,
    prompts,
    sessions,
    studio,
  ]
  for (const add of commands) add(program, start)
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Start } from '../context/start.js'
import { withStoreOptions } from './agent-flags.js'

/** Adds the commands that look into a durable store and settle what waits in it. */
export function addOperate(agent: Command, start: Start): void {
  withStoreOptions(agent.command('resume [id]'))
    .description('let any process continue a task or run at once')
    .option('--take-over', 'also from a process that works on it and hangs')
    .option('--of <version>', 'all tasks and runs of a version, under another one')
    .option('--to <version>', 'the other version; may be left out if only one is served')
    .action(start(async () => (await import('../commands/agent-operate.js')).resume))
  withStoreOptions(agent.command('cancel <id>'))
    .description('cancel a task or run, whichever process works on it')
    .option('--reason <text>', 'why, for the record')
    .action(start(async () => (await import('../commands/agent-operate.js')).cancel))
  withStoreOptions(agent.command('approve <id>'))
    .description('approve, or deny, a call that a task or run waits for')
    .option('--request <id>', 'which call; may be left out if only one waits')
    .option('--deny [reason]', 'deny the call; the model reads the reason')
    .action(start(async () => (await import('../commands/agent-operate.js')).approve))
  withStoreOptions(agent.command('reconcile <id>'))
    .description('say what became of a call whose outcome is unknown')
    .option('--request <id>', 'which call; may be left out if only one waits')
    .addOption(
      new Option('--happened <result>', 'it happened, with this result').conflicts([
        'didNotHappen',
        'giveUp',
      ]),
    )
    .addOption(
      new Option('--did-not-happen', 'it did not happen: it is executed now').conflicts('giveUp'),
    )
    .option('--give-up', 'nobody will find out; the model learns that the outcome is unknown')
    .action(start(async () => (await import('../commands/agent-operate.js')).reconcile))
  withStoreOptions(agent.command('prune'))
    .description('remove tasks and runs that are over')
    .requiredOption('--older-than <age>', 'age of what is removed: 30d, 12h or 90m', toAge)
    .option('--pieces', 'keep them, and remove only pieces of text whose whole is stored')
    .option('--dry-run', 'count, and remove nothing')
    .action(start(async () => (await import('../commands/agent-operate.js')).prune))
  withStoreOptions(agent.command('forget <principal>'))
    .description('remove everything that a principal said, and what came of it')
    .option('--studio <file>', 'also the runs of these tasks in the file of a studio')
    .action(start(async () => (await import('../commands/agent-operate.js')).forget))
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function toAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ms = units[unit]
  if (ms === undefined)
    throw new InvalidArgumentError('must be a number with m, h or d, such as 30d.')
  return Number(count) * ms
}

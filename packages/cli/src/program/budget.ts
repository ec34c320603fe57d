import { type Command, Option } from 'commander'
import type { Start } from '../context/start.js'
import { withStoreOptions } from './agent-flags.js'
import { toPositive } from './numbers.js'

const windows = ['minute', 'hour', 'day', 'month', 'none']

const windowOption = (): Option =>
  new Option('--window <window>', 'how long the limits hold').choices(windows).default('none')

/** Adds `modelport budget`: the budgets that all processes of a store keep. */
export function addBudget(program: Command, start: Start): void {
  const budget = program
    .command('budget')
    .description('see and set what users, teams and keys may spend, in a durable store')
  withStoreOptions(budget.command('list [owner]'))
    .description('list budgets, what was used of them, and who set them')
    .action(start(async () => (await import('../commands/budget.js')).list))
  withStoreOptions(budget.command('set <owner>'))
    .description(
      "set limits of an owner, or of everybody with '*'; they hold instead of those of programs",
    )
    .addOption(windowOption())
    .option('--time-zone <zone>', 'whose midnight begins a day or a month (default: UTC)')
    .option('--max-cost <dollars>', 'US dollars', toPositive)
    .option('--max-tokens <count>', 'tokens of prompts and replies', toPositive)
    .option('--max-calls <count>', 'requests to a model, retries included', toPositive)
    .action(start(async () => (await import('../commands/budget.js')).set))
  withStoreOptions(budget.command('top-up <owner>'))
    .description('add to the limits of an owner until the window ends')
    .addOption(windowOption())
    .option('--cost <dollars>', 'US dollars', toPositive)
    .option('--tokens <count>', 'tokens', toPositive)
    .option('--calls <count>', 'calls', toPositive)
    .action(start(async () => (await import('../commands/budget.js')).topUp))
  withStoreOptions(budget.command('remove <owner>'))
    .description('forget a budget and what was used of it; that of a program begins anew')
    .addOption(windowOption())
    .action(start(async () => (await import('../commands/budget.js')).remove))
}

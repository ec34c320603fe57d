import { configError } from '@modelport/core'
import type { BudgetState, BudgetWindow, SharedAmounts, SharedLimits } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { type StoreCommandOptions, withStore } from './agent-store.js'

/** Options of `modelport budget set`. */
export interface SetBudgetOptions extends StoreCommandOptions {
  readonly window: BudgetWindow
  readonly timeZone?: string
  readonly maxCost?: number
  readonly maxTokens?: number
  readonly maxCalls?: number
}

/** Options of `modelport budget top-up`. */
export interface TopUpOptions extends StoreCommandOptions, Partial<SharedAmounts> {
  readonly window: BudgetWindow
}

/** Options of `modelport budget remove`. */
export interface RemoveBudgetOptions extends StoreCommandOptions {
  readonly window: BudgetWindow
}

/** Runs `modelport budget list`; resolves to the exit code. */
export async function list(
  cli: Cli,
  owner: string | undefined,
  options: StoreCommandOptions,
): Promise<number> {
  const budgets = await withStore(cli, options, (store) => store.budgets.list(owner))
  const { out, json } = cli
  if (json) out.json({ budgets })
  else if (budgets.length === 0)
    out.line(
      owner === undefined
        ? 'this store has no budgets'
        : `${out.foreign(owner)} has no budget in this store`,
    )
  else for (const budget of budgets) out.line(out.foreign(describe(budget)))
  return exitCodes.done
}

/** Runs `modelport budget set`; resolves to the exit code. */
export async function set(cli: Cli, owner: string, options: SetBudgetOptions): Promise<number> {
  const { window, timeZone, maxCost, maxTokens, maxCalls } = options
  if (maxCost === undefined && maxTokens === undefined && maxCalls === undefined)
    throw new UsageError('give a limit: --max-cost, --max-tokens or --max-calls')
  const limits: SharedLimits = { window, timeZone, maxCost, maxTokens, maxCalls }
  return change(cli, owner, options, (budgets) => budgets.set(owner, limits))
}

/** Runs `modelport budget top-up`; resolves to the exit code. */
export async function topUp(cli: Cli, owner: string, options: TopUpOptions): Promise<number> {
  const { window, cost, tokens, calls } = options
  if (cost === undefined && tokens === undefined && calls === undefined)
    throw new UsageError('say how much: --cost, --tokens or --calls')
  return change(cli, owner, options, (budgets) =>
    budgets.topUp(owner, window, { cost, tokens, calls }),
  )
}

/** Runs `modelport budget remove`; resolves to the exit code. */
export async function remove(
  cli: Cli,
  owner: string,
  { window, ...options }: RemoveBudgetOptions,
): Promise<number> {
  await withStore(cli, options, async ({ budgets }) => {
    const found = (await budgets.list(owner)).some((one) => one.window === window)
    if (!found)
      throw configError(`${JSON.stringify(owner)} has no budget with the window ${window}`)
    await budgets.remove(owner, window)
  })
  if (cli.json) cli.out.json({ removed: { owner, window } })
  else cli.out.line(cli.out.foreign(`removed the budget of ${owner}, ${window}`))
  return exitCodes.done
}

type Budgets = Parameters<Parameters<typeof withStore>[2]>[0]['budgets']

/** Changes a budget, and prints it as it is now. */
async function change(
  cli: Cli,
  owner: string,
  options: StoreCommandOptions & { readonly window: BudgetWindow },
  apply: (budgets: Budgets) => Promise<void>,
): Promise<number> {
  const states = await withStore(cli, options, async ({ budgets }) => {
    await apply(budgets)
    return budgets.list(owner)
  })
  const { out, json } = cli
  const changed = states.filter(({ window }) => window === options.window)
  if (json) out.json({ budgets: changed })
  else for (const budget of changed) out.line(out.foreign(describe(budget)))
  return exitCodes.done
}

/** For example `ada  day Europe/Rome  1.5 of 5 USD (0.2 reserved)  set by operator  until …`. */
function describe(budget: BudgetState): string {
  const { owner, window, timeZone, setBy, endsAt } = budget
  const span = window === 'none' ? 'no window' : `${window} ${timeZone}`
  const amounts = [
    amountOf(budget, 'cost', budget.maxCost, 'USD'),
    amountOf(budget, 'tokens', budget.maxTokens, 'tokens'),
    amountOf(budget, 'calls', budget.maxCalls, 'calls'),
  ].filter((text) => text !== undefined)
  return [
    owner,
    span,
    ...amounts,
    `set by ${setBy}`,
    ...(endsAt === undefined ? [] : [`until ${endsAt}`]),
  ].join('  ')
}

function amountOf(
  { used, reserved, topUp: added }: BudgetState,
  name: keyof SharedAmounts,
  limit: number | undefined,
  unit: string,
): string | undefined {
  if (limit === undefined) return undefined
  const notes = [
    ...(added[name] > 0 ? [`${added[name]} added`] : []),
    ...(reserved[name] > 0 ? [`${reserved[name]} reserved`] : []),
  ]
  const more = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  return `${used[name]} of ${limit} ${unit}${more}`
}

import { type SharedAmounts, type SharedBudget, sharedNames } from './shared-budget.js'

/** What was left of the budgets of an owner when a call last looked. */
const rooms = new WeakMap<SharedBudget, SharedAmounts>()

const endless: SharedAmounts = { cost: Infinity, tokens: Infinity, calls: Infinity }

/**
 * What these budgets had left when a call last looked: the least of all of them. `cost` in
 * billionths of a US dollar; `Infinity` where nothing limits, or nobody has looked.
 */
export const roomOf = (shared: readonly SharedBudget[]): SharedAmounts =>
  leastOf(shared.map((one) => rooms.get(one) ?? endless))

/** Looks at what these budgets have left. Undefined, not a promise, if there are none. */
export function lookAt(shared: readonly SharedBudget[]): Promise<SharedAmounts> | undefined {
  if (!shared.length) return undefined
  const looks = shared.map(async (one) => {
    rooms.set(one, await one.budgets.room(one))
  })
  return Promise.all(looks).then(() => roomOf(shared))
}

/** The least of each amount. */
export const leastOf = (amounts: readonly SharedAmounts[]): SharedAmounts => {
  const least = sharedNames.map((name) => [name, Math.min(...amounts.map((one) => one[name]))])
  return Object.fromEntries(least) as SharedAmounts
}

import { configError, isObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { toPrincipalText } from '../base/principal.js'
import { toBillionths } from './budget-account.js'
import { type BudgetWindow, budgetWindows, checkTimeZone } from './budget-window.js'

/**
 * The limits of an owner in one window. What is not set is not limited; the limit itself may be
 * used.
 */
export interface SharedLimits {
  /** How long they hold. Default `none`: for ever. */
  readonly window?: BudgetWindow | undefined
  /** Whose midnight begins a day or a month, as IANA names it. Default `UTC`. */
  readonly timeZone?: string | undefined
  /** US dollars; calls then need a profile with prices in US dollars. */
  readonly maxCost?: number | undefined
  /** Tokens of prompts and replies. */
  readonly maxTokens?: number | undefined
  /** Requests to a model, retries included. */
  readonly maxCalls?: number | undefined
}

/** A budget as a store has it, in its current window. */
export interface BudgetState extends SharedLimits {
  /** Whose budget it is. */
  readonly owner: string
  readonly window: BudgetWindow
  readonly timeZone: string
  /**
   * Who set the limits. `operator`: the program's own limits for the same window do not hold.
   * `default`: an operator, for all owners without limits of their own. `program`: the last one
   * that made a call.
   */
  readonly setBy: BudgetAuthor
  /** What was spent and is reserved in the window; `cost` in US dollars. */
  readonly used: SharedAmounts
  /** The part of `used` that running calls have reserved. */
  readonly reserved: SharedAmounts
  /** What was added to the limits for this window. */
  readonly topUp: SharedAmounts
  /** When the window ends, as ISO 8601. Unset: it does not end. */
  readonly endsAt?: string
}

/** Who set the limits of a shared budget. */
export type BudgetAuthor = 'operator' | 'default' | 'program'

/** Amounts that a shared budget counts. */
export interface SharedAmounts {
  /** Money. */
  readonly cost: number
  /** Tokens of prompts and replies. */
  readonly tokens: number
  /** Requests to a model. */
  readonly calls: number
}

/** Amounts, of which some are set. */
export type SomeAmounts = {
  readonly [Name in keyof SharedAmounts]?: SharedAmounts[Name] | undefined
}

/** Takes what calls cost from shared budgets. For a runtime. */
export interface BudgetDesk {
  /**
   * Takes room for a call from all budgets of its owners, or from none.
   * @throws {BudgetExceededError} it does not fit.
   */
  reserve(charge: BudgetCharge, signal?: AbortSignal): Promise<void>
  /**
   * What is left for an owner, in the budget that has least. What running calls have reserved is
   * not subtracted, since a call waits for them. `cost` in billionths of a US dollar; `Infinity`:
   * nothing limits it.
   */
  room(owner: ChargedOwner): Promise<SharedAmounts>
  /** Replaces what a call took by what it used. Once; later calls do nothing. */
  settle(settlement: BudgetSettlement): Promise<void>
}

/** What a call takes from shared budgets, as plain JSON. */
export interface BudgetCharge {
  /** Names the reservation; no other has it. */
  readonly id: string
  /** Whose budgets, with the limits that the program gave them. */
  readonly owners: readonly ChargedOwner[]
  /** `cost` in billionths of a US dollar. Unset: the price is not known. */
  readonly amounts: ChargedAmounts
  /** How long it waits for room. */
  readonly waitMs: number
}

/** An owner, with the limits of the program. */
export interface ChargedOwner {
  /** Whose budgets. */
  readonly owner: string
  /** What the program allows it; none if only the operator's limits hold. */
  readonly limits: readonly SharedLimits[]
}

/** The budgets of one owner, as a ledger takes from them. */
export interface SharedBudget extends ChargedOwner {
  /** Where they are kept. */
  readonly budgets: BudgetDesk
  /** How long a call waits for room, in milliseconds. */
  readonly waitMs: number
}

/** Amounts in whole numbers; `cost` in billionths of a US dollar. */
export type ChargedAmounts = Omit<SharedAmounts, 'cost'> & { readonly cost?: number }

/** What a call used, by the id of its charge. */
export interface BudgetSettlement {
  /** The id of its charge. */
  readonly id: string
  /** What it used. */
  readonly amounts: ChargedAmounts
}

/** Names of the limits, with what they count. */
export const limitNames = { cost: 'maxCost', tokens: 'maxTokens', calls: 'maxCalls' } as const

/** Names of what a shared budget counts. */
export const sharedNames: readonly (keyof SharedAmounts)[] = ['cost', 'tokens', 'calls']

/** Beyond this, sums of billionths are not exact. */
const most = { cost: 1e6, tokens: 1e15, calls: 1e15 } as const

/** The text of an owner. @throws {LlmError} `config` — it is empty */
export function toOwner(where: string, owner: unknown): string {
  const text = isObject(owner) ? toPrincipalText({ subject: '', ...owner }) : owner
  if (typeof text === 'string' && text !== '') return text
  throw configError(`${where}: the owner must be a principal or a text that is not empty`)
}

/** @throws {LlmError} `config` — the window, its time zone or a limit is wrong. */
export function checkSharedLimits(where: string, limits: SharedLimits): void {
  checkSettings(where, limits, ['window', 'timeZone', ...Object.values(limitNames)])
  const { window = 'none', timeZone = 'UTC' } = limits
  checkWindow(where, window)
  checkTimeZone(where, timeZone)
  for (const name of sharedNames)
    checkAmount(`${where}: ${limitNames[name]}`, limits[limitNames[name]], most[name])
}

/** @throws {LlmError} `config` */
export function checkWindow(where: string, window: unknown): void {
  if (budgetWindows.includes(window as BudgetWindow)) return
  throw configError(
    `${where}: there is no window ${JSON.stringify(window)}; it is one of ${budgetWindows.join(', ')}`,
  )
}

/** @throws {LlmError} `config` */
export function checkAmounts(where: string, amounts: SomeAmounts): void {
  checkSettings(where, amounts, sharedNames)
  for (const name of sharedNames) checkAmount(`${where}: ${name}`, amounts[name], most[name])
}

function checkAmount(what: string, value: unknown, maximum: number): void {
  if (value === undefined) return
  if (typeof value === 'number' && value >= 0 && value <= maximum) return
  throw configError(
    `${what} must be a number from 0 to ${maximum}, not ${typeof value === 'number' ? value : JSON.stringify(value)}`,
  )
}

/** Amounts in whole numbers. */
export const toWhole = ({ cost = 0, tokens = 0, calls = 0 }: SomeAmounts): SharedAmounts => ({
  cost: toBillionths(cost),
  tokens: Math.floor(tokens),
  calls: Math.floor(calls),
})

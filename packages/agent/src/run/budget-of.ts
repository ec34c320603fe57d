import type { BudgetLedger, RunBudget } from '@modelport/runtime'
import type { Agent } from './agent.js'

/** The budget of an agent for whoever calls it. */
export const budgetOf = ({ settings }: Agent, principal: string): RunBudget | BudgetLedger => {
  const { budget = {} } = settings
  return typeof budget === 'function' ? budget(principal) : budget
}

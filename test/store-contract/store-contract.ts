import type { StoreContractCase } from './case.js'
import { contractOfChildCancels } from './child-cancels.js'
import { contractOfSessions } from './sessions.js'
import { contractOfTasks } from './tasks.js'
import { contractOfTurns } from './turns.js'

/**
 * Every rule that a store of agents must obey, whatever its database is. Each case needs an empty
 * store of its own.
 */
export const storeContract: readonly StoreContractCase[] = Object.freeze([
  ...contractOfTasks,
  ...contractOfSessions,
  ...contractOfTurns,
  ...contractOfChildCancels,
])

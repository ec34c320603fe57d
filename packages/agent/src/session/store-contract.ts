import type { StoreContractCase } from './contract-case.js'
import { contractOfChildCancels } from './contract-child-cancels.js'
import { contractOfOutbox } from './contract-outbox.js'
import { contractOfSessions } from './contract-sessions.js'
import { contractOfTasks } from './contract-tasks.js'

/** Every rule that a store of agents must obey, whatever its database is. Each case needs an empty store of its own. */
export const storeContract: readonly StoreContractCase[] = Object.freeze([
  ...contractOfTasks,
  ...contractOfSessions,
  ...contractOfOutbox,
  ...contractOfChildCancels,
])

import { createMemoryStore } from '@modelport/agent'
import { describe, it } from 'vitest'
import { storeContract } from '../../../../test/store-contract/store-contract.js'

describe('the memory store', () => {
  for (const { title, run } of storeContract) it(title, () => run(createMemoryStore()))
})

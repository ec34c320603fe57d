import { createMemoryStore } from '@modelport/agent'
import { storeContract } from '@modelport/agent/store-contract'
import { describe, it } from 'vitest'

describe('the memory store', () => {
  for (const { title, run } of storeContract) it(title, () => run(createMemoryStore()))
})

import { describe, it } from 'vitest'
import { createMemoryStore } from '@modelport/agent'
import { storeContract } from '@modelport/agent/store-contract'

describe('the memory store', () => {
  for (const { title, run } of storeContract) it(title, () => run(createMemoryStore()))
})

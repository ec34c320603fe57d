// The contract of agent's stores, on both databases, with and without a key.

import { describe, test } from 'vitest'
import { storeContract } from '../../../test/store-contract/store-contract.js'
import { createAgentStore } from '../src/agents/sql-agent-store.js'
import { BodyCodec } from '../src/database/body-codec.js'
import { emptyDatabases } from './support/databases.js'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    test.each(storeContract)('$title', async ({ run }) => {
      const store = createAgentStore(await open(), new BodyCodec())
      await run(store)
      await store.close()
    })
    test.each(storeContract)('encrypted: $title', async ({ run }) => {
      const store = createAgentStore(await open(), new BodyCodec(new Uint8Array(32).fill(7)))
      await run(store)
      await store.close()
    })
  })

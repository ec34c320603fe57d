import type { BatchHarness } from '../../../test/support/batch-conformance.js'
import { referenceBatches } from './reference-batches.js'

/** Batch runners that break one rule each: the rule, and the runner. */
export const batchMutants: Readonly<
  Record<string, readonly [rule: string, harness: BatchHarness]>
> = {
  'drops the options of its requests': [
    'B1',
    referenceBatches(({ createBatch }) => ({
      createBatch: (requests, options) =>
        createBatch(
          requests.map(({ messages }) => ({ messages })),
          options,
        ),
    })),
  ],
  'gives results backwards': [
    'B2',
    referenceBatches(({ batchResults }) => ({
      batchResults: async (id, options) => [...(await batchResults(id, options))].reverse(),
    })),
  ],
  'makes a batch again after a failure': [
    'B3',
    referenceBatches(({ createBatch }) => ({
      createBatch: (requests, options) =>
        createBatch(requests, { ...options, retry: { attempts: 3 } }),
    })),
  ],
  'gives no results of a batch that runs': [
    'B4',
    referenceBatches(({ batchResults, getBatch }) => ({
      batchResults: async (id, options) =>
        (await getBatch(id, options)).status === 'running' ? [] : batchResults(id, options),
    })),
  ],
}

// Two requests as a batch.
import { createOpenAIBatches } from '@modelport/provider-openai'
import { startOfflineVendor } from './offline-vendor.ts'

const vendor = await startOfflineVendor()
const connection = { baseUrl: vendor.url, apiKey: 'no-key-needed', enforceHosts: true }

const runner = createOpenAIBatches({ ...connection, model: 'small', api: 'chat' })
const ask = (country: string) => ({
  messages: [{ role: 'user' as const, content: `The capital of ${country}?` }],
})
const { id } = await runner.createBatch([ask('Italy'), ask('Norway')])
const results = await runner.batchResults(id)
console.log(
  `batch: ${results.map(({ generation, error }) => generation?.text ?? error?.code).join(', ')}`,
)
vendor.close()

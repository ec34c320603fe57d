// The provider of this folder, taken into the factory by its name.
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import {
  apiHost,
  createProviderTable,
  newProvider,
  type ProviderRow,
  providerRows,
} from '@modelport/factory'
import { createHouse } from './house-provider.ts'

const server = await startWireServer({
  formats: [openaiChat],
  reply: [
    {
      text: ['Made', ' in this', ' house.'],
      finish: 'stop',
      usage: { inputTokens: 9, outputTokens: 4 },
    },
  ],
})

const house: ProviderRow = {
  name: 'house',
  baseUrl: 'http://127.0.0.1:8080/v1',
  keyEnv: ['HOUSE_API_KEY'],
  needsKey: true,
  model: 'house-1',
  creators: { createProvider: createHouse },
}
const table = createProviderTable([...providerRows, house])

const config = { provider: 'house', apiKey: 'hk-0123456789abcdef', baseUrl: `${server.url}/v1` }
const provider = await newProvider(config, { table })
console.log(`${provider.name} answers from ${apiHost(config, { table })} as ${provider.model}:`)
for await (const text of await provider.stream('Where were you made?')) process.stdout.write(text)
console.log()
await server.close()

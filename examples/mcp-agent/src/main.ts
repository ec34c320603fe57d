import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createAgent } from '@modelport/agent'
import { serveMcp } from '@modelport/mcp/server'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount in euros',
  parameters: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  execute: (args) => {
    console.log(`bank: pays ${JSON.stringify(args)}`)
    return 'paid'
  },
})
const call = { toolCalls: [{ name: 'pay', arguments: { euros: 12 } }] }
const bank = createAgent({
  card: { name: 'bank', description: 'Pays bills' },
  provider: createMock({ responses: [call, 'The bill is paid.', call] }), // any other provider
  tools: [pay],
  policy: { rules: { 'tool.pay': 'require-approval' } },
})

const server = serveMcp({ name: 'bank', agents: [bank] })
const listener = serve({ fetch: server.fetch, port: 0, hostname: '127.0.0.1' })
await new Promise((resolve) => listener.once('listening', resolve))
const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`)

/** The first text of a result. */
const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string => {
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}
const versionNegotiation = { mode: 'auto' } as const

const capabilities = { elicitation: { form: {} } }
const client = new Client(
  { name: 'example', version: '1.0.0' },
  { capabilities, versionNegotiation },
)
client.setRequestHandler('elicitation/create', ({ params }) => {
  console.log(`asked: ${params.message}`)
  return { action: 'accept', content: { decision: 'allow' } } // a real client shows a form
})
await client.connect(new StreamableHTTPClientTransport(url))
console.log('tools:', (await client.listTools()).tools.map(({ name }) => name).join(', '))
const paid = await client.callTool({
  name: 'bank',
  arguments: { message: 'Pay my bill of 12 euros' },
})
console.log('answer:', textOf(paid))
await client.close()

const shy = new Client({ name: 'shy', version: '1.0.0' }, { versionNegotiation })
await shy.connect(new StreamableHTTPClientTransport(url))
const waits = await shy.callTool({ name: 'bank', arguments: { message: 'Pay it again' } })
const [line = ''] = textOf(waits).split('\n')
console.log('a client without questions:', line.replace(/task_\w+/, '…'))
await shy.close()
await server.close()
listener.close()

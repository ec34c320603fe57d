import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveMcp } from '@modelport/mcp/server'
import { defineTool } from '@modelport/runtime'
import { expect, test } from 'vitest'

test('x', async () => {
  const server = serveMcp({ name: 'clock', tools: [defineTool({ name: 'now', description: 'The time', readOnly: true, execute: () => ({ at: 5 }) })] })
  for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode } })
  const [a, b] = InMemoryTransport.createLinkedPair()
  const done = server.stdio(b)
  await client.connect(a)
  console.log(client.getProtocolEra(), JSON.stringify(await client.listTools()))
  console.log(JSON.stringify(await client.callTool({ name: 'now', arguments: {} })))
  console.log(await client.callTool({ name: 'nowx', arguments: {} }).catch(String))
  console.log(await client.callTool({ name: 'now', arguments: {x: 1} }).catch(String))
  await client.close()
  await done
  }
})

// An MCP server with one tool, whose pins stand in the locks of the released versions.
import { createInterface } from 'node:readline'

const info = { name: 'weather', version: '1' }
const tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}
const replies = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: info },
  'tools/list': { tools: [tool] },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  const result = replies[method]
  const said = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
}

// Roles of models.yaml, asked one after the other; then chat's own model fails, and its spare
// answers.
import { fileURLToPath } from 'node:url'
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { createRegistry, hostPort } from '@modelport/factory'
import { readConfigFile } from '@modelport/factory/node'

let overloaded = false
const server = await startWireServer({
  formats: [openaiChat],
  reply: (request) => {
    const { model } = openaiChat.read(request)
    if (overloaded && model.startsWith('mistral')) return openaiChat.failure(503, 'Overloaded')
    return { text: [`I am ${model}.`], finish: 'stop', usage: { inputTokens: 8, outputTokens: 5 } }
  },
})

const variables: Record<string, string> = {
  OFFLINE_URL: `${server.url}/v1`,
  OFFLINE_KEY: 'no-key-needed',
}
const pool = await readConfigFile(
  process.argv[2] ?? fileURLToPath(new URL('../models.yaml', import.meta.url)),
)
const registry = createRegistry(pool, { environment: (name) => variables[name] })

for (const role of ['chat', 'shield', 'sub_agent']) {
  const provider = await registry.forRole(role)
  console.log(`${role}: ${await provider.complete('Who are you?')}`)
}

overloaded = true
const chat = await registry.chat()
console.log(
  `chat, while its model is overloaded: ${await chat.complete('Who are you?', { retry: { attempts: 1 } })}`,
)

console.log(`hosts: ${registry.apiHosts().map(hostPort).join(', ')}`)
await server.close()

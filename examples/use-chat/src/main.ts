// A chat in the browser with a model that needs no key: ask it for the weather.
import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { buildPage } from './build-page.ts'
import { createChatServer } from './chat-server.ts'
import { principalOf, withSession } from './sessions.ts'

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city, now',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  execute: ({ city }) => ({ city, celsius: 28 }),
})
const provider = createMock({
  delayMs: 20,
  chunkSize: 6,
  defaultResponse: ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'It is warm in Rome.'
      : {
          reasoning: 'There is a tool for that.',
          text: 'Let me look.',
          toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }],
        },
})
const chat = createChatServer(
  provider,
  {
    tools: [weather],
    authorize: () => ({ effect: 'require-approval', reason: 'it asks a weather service' }),
  },
  principalOf,
)
const page = await buildPage()
/** The server, at a port that the system chose. */
export const server: ServerType = serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request: Request) => {
    const file = page(new URL(request.url).pathname)
    return file ? withSession(request, file) : chat(request)
  },
})
server.once('listening', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)

/* oxlint-disable typescript/no-misused-spread -- requests of tests use plain header objects */
/* oxlint-disable typescript/no-explicit-any -- responses are JSON of any shape */
import type { Agent } from '@modelport/agent'
import { createAgent } from '@modelport/agent'
import type { AgentServer, AgentServerOptions } from '@modelport/serve'
import { createAgentServer } from '@modelport/serve'

/** The address that in-process servers of tests have. */
export const base = 'http://127.0.0.1'

/**
 * An agent that repeats what it hears; `ask` asks back, `wait` waits until it is cancelled, `slow`
 * streams.
 */
export const echoAgent = (fields: Partial<Parameters<typeof createAgent>[0]> = {}): Agent =>
  createAgent({
    card: { name: 'echo', description: 'Repeats' },
    handler: async ({ input, signal, delta }) => {
      if (input === 'ask') return { state: 'input-required', message: 'Which city?' }
      if (input === 'auth')
        return { state: 'auth-required', message: 'Log in at https://example.com/' }
      if (input === 'refuse') return { state: 'rejected', message: 'No' }
      if (input === 'fail') return { state: 'failed', message: 'It broke' }
      if (input === 'wait')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        )
      if (input === 'slow') for (const piece of ['one ', 'two ', 'three']) await delta(piece)
      return input === 'slow' ? 'one two three' : `You said: ${input}`
    },
    ...fields,
  })

/** A server with a client for JSON. */
export function testServer(
  options: AgentServerOptions = {},
  agents: readonly Agent[] = [echoAgent()],
) {
  const server = createAgentServer(agents, options)
  return { server, ...clientOf(server) }
}

/** Functions that send requests to a server in this process. */
export function clientOf(server: AgentServer) {
  const request = (path: string, init: RequestInit & { readonly json?: unknown } = {}) => {
    const { json, headers, ...rest } = init
    return server.fetch(
      new Request(base + path, {
        ...rest,
        ...(json !== undefined && { body: JSON.stringify(json), method: rest.method ?? 'POST' }),
        headers: {
          'a2a-version': '1.0',
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      }),
    )
  }
  const rpc = async (method: string, params?: unknown, headers: Record<string, string> = {}) => {
    const response = await request('/', {
      json: { jsonrpc: '2.0', id: 1, method, params },
      headers,
    })
    return (await response.json()) as {
      result?: any
      error?: { code: number; message: string; data: { reason?: string }[] }
    }
  }
  return { request, rpc }
}

/** A message of a caller. */
export const say = (text: string, fields: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...fields },
})

/** The events of a stream, until it ends. */
export async function eventsOf(response: Response): Promise<any[]> {
  const text = await response.text()
  return text
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .filter((line) => line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice(6)) as unknown)
}

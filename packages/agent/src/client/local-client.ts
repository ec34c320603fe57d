import type { Agent } from '../run/agent.js'
import { createAgentServer } from '../server/server.js'
import type { AgentServerOptions } from '../server/server-options.js'
import type { AgentClient } from './client.js'
import { createAgentClient } from './http-client.js'

/**
 * Makes a client of an agent in this process. The same server responds as over HTTP, without a socket; tasks are kept in `store`.
 */
export function createLocalClient(
  agent: Agent,
  options: Pick<AgentServerOptions, 'store' | 'entropy' | 'onError'> = {},
): AgentClient {
  const server = createAgentServer([agent], options)
  const client = createAgentClient('http://127.0.0.1', {
    fetch: (input, init) => server.fetch(new Request(input, init)),
    binding: 'HTTP+JSON',
  })
  return {
    hosts: () => [],
    card: (signal) => client.card(signal),
    extendedCard: (signal) => client.extendedCard(signal),
    send: (message, given) => client.send(message, given),
    stream: (message, given) => client.stream(message, given),
    get: (taskId, given) => client.get(taskId, given),
    list: (given) => client.list(given),
    cancel: (taskId, reason) => client.cancel(taskId, reason),
    subscribe: (taskId, signal) => client.subscribe(taskId, signal),
    decideApprovals: (task, decisions, signal) => client.decideApprovals(task, decisions, signal),
    compactHistory: (sessionId, request) => client.compactHistory(sessionId, request),
  }
}

import type { HostInfo } from '../protocol/protocol.js'
import { readCard } from './agent-card.js'
import { type Endpoint, json } from './endpoint.js'
import { readCallSource, readModel, readSource } from './request-bodies.js'
import type { StudioOptions } from './studio-options.js'
import { callTool, listTools } from './tool-sources.js'

/** The hosts that the configuration, the agents and the servers contact. */
export async function toHosts({ hosts, agents = [], sources = [] }: StudioOptions): Promise<HostInfo[]> {
  return [
    ...((await hosts?.()) ?? []),
    ...agents.flatMap((agent) => agent.hosts.map((host) => ({ host, usedBy: agent.url, purpose: 'agent' }))),
    ...sources.flatMap(({ name, apiHosts }) => apiHosts.map((host) => ({ host, usedBy: name, purpose: 'tools' }))),
  ]
}

/** Agents and MCP servers: what they are, what they offer, and calls by hand. */
export function toServerEndpoints({ agents = [], sources = [] }: StudioOptions): Endpoint[] {
  return [
    {
      method: 'POST',
      path: /^\/api\/agents\/card$/,
      handle: async ({ request }) => json(await readCard(agents, await readModel(request), request.signal)),
    },
    {
      method: 'POST',
      path: /^\/api\/sources\/tools$/,
      handle: async ({ request }) => json(await listTools(sources, await readSource(request), request.signal)),
    },
    {
      method: 'POST',
      path: /^\/api\/sources\/call$/,
      handle: async ({ request }) => json(await callTool(sources, await readCallSource(request), request.signal)),
    },
  ]
}

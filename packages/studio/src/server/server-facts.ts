import { enabledCapabilities } from '@modelport/agent'
import { configError } from '@modelport/core'
import type { AgentCardInfo, HostInfo } from '../protocol/protocol.js'
import { recorderOf } from './runs.js'
import type { StudioAgent, StudioOptions } from './studio-options.js'

/**
 * Fetches the card of an agent.
 * @throws {LlmError} `config` — there is no such agent; what its client throws.
 */
export async function readCard(
  agents: readonly StudioAgent[],
  url: string,
  signal: AbortSignal,
): Promise<AgentCardInfo> {
  const agent = agents.find((one) => one.url === url)
  if (!agent) throw configError(`there is no agent ${JSON.stringify(url)}`)
  const card = await agent.open(recorderOf(agent).fetch).card(signal)
  const { name, description, version, capabilities, skills } = card
  return {
    name,
    description,
    version,
    capabilities: enabledCapabilities(capabilities),
    skills: skills.map(({ id, name: title, description: text }) => ({
      id,
      name: title,
      description: text,
    })),
  }
}

/** The hosts that the configuration, the agents and the servers contact. */
export async function toHosts({
  hosts,
  agents = [],
  sources = [],
}: StudioOptions): Promise<HostInfo[]> {
  return [
    ...((await hosts?.()) ?? []),
    ...agents.flatMap((agent) =>
      agent.hosts.map((host) => ({ host, usedBy: agent.url, purpose: 'agent' })),
    ),
    ...sources.flatMap(({ name, apiHosts }) =>
      apiHosts.map((host) => ({ host, usedBy: name, purpose: 'tools' })),
    ),
  ]
}

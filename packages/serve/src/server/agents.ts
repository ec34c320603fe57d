import type { Agent } from '@modelport/agent'
import { configError, type JsonObject } from '@modelport/core'

/** Several agents at one address: who they are, and where. */
export const listAgents = (agents: readonly Agent[], base: string): JsonObject => ({
  agents: agents.map(({ name, card: { description } }) => {
    const url = `${base}/a/${encodeURIComponent(name)}/`
    return { name, description, url, card: `${url}.well-known/agent-card.json` }
  }),
})

/** Refuses agents that cannot be served together. @throws {LlmError} `config` */
export function checkAgents(agents: readonly Agent[]): void {
  const given: unknown = agents
  if (!Array.isArray(given) || !given.length)
    throw configError(
      'agents must be a list of at least one agent: serve([agent]), createAgentServer([agent])',
    )
  const names = agents.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw configError(`two agents have the name ${JSON.stringify(twice)}; names must differ`)
}

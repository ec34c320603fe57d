import { createAgentClient } from '@modelport/serve'
import type { StudioAgent } from '@modelport/studio'
import { tokenOf } from '../agents/agent-client.js'
import type { Cli } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/**
 * The agents at these addresses, for the studio.
 * @throws {UsageError} a token is given for more than one agent, or its variable is not set;
 * {LlmError} `invalid-base-url`
 */
export function toStudioAgents(
  urls: readonly string[],
  tokenEnv: string | undefined,
  cli: Cli,
): StudioAgent[] {
  if (tokenEnv !== undefined && urls.length !== 1)
    throw new UsageError(
      '--token-env needs exactly one --agent: a token goes only to the agent it was given for',
    )
  const token = tokenEnv === undefined ? undefined : tokenOf(cli, tokenEnv)
  const auth = token === undefined ? {} : { auth: { type: 'bearer', token } as const }
  return urls.map((url) => ({
    url,
    hosts: createAgentClient(url).hosts(),
    open: (fetch) => createAgentClient(url, { fetch, ...auth }),
    ...(token !== undefined && { secrets: [token] }),
  }))
}

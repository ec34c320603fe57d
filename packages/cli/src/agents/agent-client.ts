import { type AgentClient, isAgentError } from '@modelport/agent'
import { protolinkClient } from '@modelport/compat'
import { isLlmError } from '@modelport/core'
import { createAgentClient } from '@modelport/serve'
import type { Cli, CommonOptions } from '../context/cli.js'
import { AgentClientError } from '../errors/agent-client-error.js'
import { UsageError } from '../errors/exit-codes.js'

/** Options of commands that call an agent. */
export interface AgentCallOptions extends CommonOptions {
  readonly tokenEnv?: string
}

/** The value of the environment variable that holds a bearer token. @throws {UsageError} the variable is not set. */
export function tokenOf({ context }: Cli, name: string): string {
  const token = context.environment?.(name)
  if (!token) throw new UsageError(`the environment variable ${name} is not set; set it to the bearer token`)
  return token
}

/**
 * Makes the client of an agent, names every host before one is contacted, and gives the client to `use`.
 * @throws {AgentClientError} the agent cannot be reached, or its response cannot be read
 */
export async function withAgent<Result>(
  cli: Cli,
  url: string,
  options: AgentCallOptions,
  use: (client: AgentClient) => Promise<Result>,
): Promise<Result> {
  const client = connectAgent(cli, url, options)
  try {
    return await use(client)
  } catch (error) {
    throw isLlmError(error) && !isAgentError(error) ? new AgentClientError(error) : error
  }
}

function connectAgent(cli: Cli, url: string, { tokenEnv }: AgentCallOptions): AgentClient {
  const client = createAgentClient(url, {
    fallback: protolinkClient,
    ...(tokenEnv !== undefined && { auth: { type: 'bearer', token: tokenOf(cli, tokenEnv) } as const }),
  })
  const { err, json } = cli
  if (json) err.json({ hosts: client.hosts() })
  else err.line(err.style('dim', `contacts ${client.hosts().join(', ')}`))
  return client
}

import { type AgentClient, isAgentError } from '@modelport/agent'
import { isLlmError } from '@modelport/core'
import { isLoopback } from '@modelport/core/settings'
import { createAgentClient, type createAuthenticator } from '@modelport/serve'
import type { Cli, CommonOptions } from '../context/cli.js'
import { AgentClientError } from '../errors/agent-client-error.js'
import { UsageError } from '../errors/exit-codes.js'

/** Options of commands that call an agent. */
export interface AgentCallOptions extends CommonOptions {
  readonly tokenEnv?: string
}

/**
 * The value of the environment variable that holds a bearer token.
 * @throws {UsageError} the variable is not set.
 */
export function tokenOf({ context }: Cli, name: string): string {
  const token = context.environment?.(name)
  if (!token)
    throw new UsageError(`the environment variable ${name} is not set; set it to the bearer token`)
  return token
}

type Authentication = Parameters<typeof createAuthenticator>[0]

/**
 * How the callers of a server prove who they are: by the bearer token of an environment variable,
 * or not at all on this machine.
 * @throws {UsageError} the variable is not set, or others than this machine could call without one
 */
export function toAuthentication(
  cli: Cli,
  { host, tokenEnv }: { readonly host: string; readonly tokenEnv?: string },
): Authentication | undefined {
  if (tokenEnv !== undefined)
    return [{ type: 'bearer', tokens: [{ token: tokenOf(cli, tokenEnv), principal: 'token' }] }]
  if (!isLoopback(host))
    throw new UsageError(
      `--host ${host} needs authentication: set an environment variable to a bearer token and name it with --token-env, or listen at 127.0.0.1`,
    )
  return undefined
}

/**
 * Makes the client of an agent, names every host before one is contacted, and gives the client to
 * `use`.
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
    ...(tokenEnv !== undefined && {
      auth: { type: 'bearer', token: tokenOf(cli, tokenEnv) } as const,
    }),
  })
  const { err, json } = cli
  if (json) err.json({ hosts: client.hosts() })
  else err.line(err.style('dim', `contacts ${client.hosts().join(', ')}`))
  return client
}

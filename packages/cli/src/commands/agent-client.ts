import { type AgentClient, createAgentClient } from '@modelport/agent'
import type { Command } from 'commander'
import { UsageError } from '../errors/exit-codes.js'
import type { Cli, CommonOptions } from '../program/cli.js'
import { withCommonOptions } from './start.js'

/** Options of commands that call an agent. */
export interface AgentCallOptions extends CommonOptions {
  readonly tokenEnv?: string
}

/** Adds the options of commands that call an agent. */
export const withAgentCallOptions = (command: Command): Command =>
  withCommonOptions(command).option('--token-env <name>', 'environment variable that holds the bearer token')

/** The value of the environment variable that holds a bearer token. @throws {UsageError} the variable is not set. */
export function tokenOf({ context }: Cli, name: string): string {
  const token = context.environment?.(name)
  if (!token) throw new UsageError(`the environment variable ${name} is not set; set it to the bearer token`)
  return token
}

/** Makes the client of an agent, and names every host before one is contacted. */
export function connectAgent(cli: Cli, url: string, { tokenEnv }: AgentCallOptions): AgentClient {
  const client = createAgentClient(url, {
    ...(tokenEnv !== undefined && { auth: { type: 'bearer', token: tokenOf(cli, tokenEnv) } as const }),
  })
  const { err, json } = cli
  if (json) err.json({ hosts: client.hosts() })
  else err.line(err.style('dim', `contacts ${client.hosts().join(', ')}`))
  return client
}

import type { LateResult } from '@modelport/agent'
import { type AgentCallOptions, withAgent } from '../agents/agent-client.js'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'

/** Options of `modelport agent deliver`. */
export interface DeliverCommandOptions extends AgentCallOptions {
  readonly task: string
  readonly result?: string
  readonly failed?: string
  readonly owner?: string
  readonly request?: string
}

/** Delivers the result of work that a task of an agent waits for. */
export async function deliver(
  cli: Cli,
  url: string,
  options: DeliverCommandOptions,
): Promise<number> {
  const { task } = options
  const result = resultOf(options)
  await withAgent(cli, url, options, (client) =>
    client.deliver(task, result, given(options, 'owner', 'request')),
  )
  if (cli.json) cli.out.json({ task, delivered: true })
  else cli.out.line(cli.out.foreign(`delivered to ${task}`))
  return exitCodes.done
}

/** What the options deliver. @throws {UsageError} nothing */
function resultOf({ result, failed }: DeliverCommandOptions): LateResult {
  if (result !== undefined) return { result }
  if (failed !== undefined) return { failure: failed }
  throw new UsageError('say what came of the work: --result TEXT or --failed REASON')
}

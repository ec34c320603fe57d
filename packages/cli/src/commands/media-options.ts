import type { RequestOptions } from '@modelport/core'
import type { Command } from 'commander'
import { UsageError } from '../errors/exit-codes.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { toSeconds } from './call-options.js'
import { withBaseUrlOption, withCommonOptions } from '../context/start.js'

/** Options of the commands for images, audio and reranking. */
export interface MediaFlags extends CommonOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly timeout?: number
}

/** Adds them; a model that is not named is that of the role. */
export const withMediaOptions = (command: Command, role: string): Command =>
  withBaseUrlOption(
    withCommonOptions(command).option(
      '-m, --model <name>',
      `a model of the configuration, or provider:model (default: the role ${role})`,
    ),
  ).option('--timeout <seconds>', 'time limit for the whole command, in seconds', toSeconds)

/** The model that is named, else that of the role. @throws {UsageError} no model has the role. */
export async function pickForRole(cli: Cli, { model, baseUrl }: MediaFlags, role: string): Promise<NamedModel> {
  const models = await loadModels(cli)
  const name = model ?? models.roles[role]
  if (name === undefined && baseUrl === undefined)
    throw new UsageError(`no model has the role "${role}"; name one: --model provider:model, or set roles.${role}`)
  return models.pick(name, baseUrl)
}

/** The options of the call. */
export const toRequestOptions = ({ signal }: Cli, { timeout }: MediaFlags): RequestOptions => ({
  signal,
  ...(timeout !== undefined && { deadlineMs: timeout * 1000 }),
})

import type { RequestOptions } from '@modelport/core'
import type { Cli, CommonOptions } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'

/** Options of the commands for images and audio. */
export interface MediaFlags extends CommonOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly timeout?: number
}

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

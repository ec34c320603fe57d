import { type CallOptions, type JsonObject, LlmError } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
import { type Command, InvalidArgumentError } from 'commander'
import { UsageError } from '../errors/exit-codes.js'
import { maxSettingsBytes, readTextFile } from '../files/text-file.js'

/** Options of one call, as the command line takes them. */
export interface CallFlags {
  readonly system?: string
  readonly maxTokens?: number
  readonly temperature?: number
  readonly schema?: string
  readonly timeout?: number
}

/** Adds the options of one call. */
export const withCallFlags = (command: Command): Command =>
  command
    .option('-s, --system <text>', 'instructions for the model')
    .option('--max-tokens <count>', 'maximum number of tokens in the reply', toCount)
    .option('--temperature <number>', 'randomness, 0 to 2', toNumber)
    .option('--schema <file>', 'JSON Schema that the reply must fit')
    .option('--timeout <seconds>', 'time limit for the whole command, in seconds', toSeconds)

/** A number of the command line. */
export function toNumber(text: string): number {
  const number = Number(text)
  if (!text.trim() || !Number.isFinite(number)) throw new InvalidArgumentError('must be a number.')
  return number
}

/** A whole number above 0. */
export function toCount(text: string): number {
  const count = toNumber(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number above 0.')
  return count
}

/** A length of time of the command line, in seconds. */
export function toSeconds(text: string): number {
  const seconds = toNumber(text)
  if (seconds <= 0) throw new InvalidArgumentError('must be above 0.')
  return seconds
}

/** The options of the call. */
export async function toCallOptions({
  system,
  maxTokens,
  temperature,
  schema,
  timeout,
}: CallFlags): Promise<CallOptions> {
  return {
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(timeout !== undefined && { deadlineMs: timeout * 1000 }),
    ...(schema !== undefined && { responseFormat: { type: 'json-schema', schema: await readSchema(schema) } }),
  }
}

async function readSchema(file: string): Promise<JsonObject> {
  let schema: unknown
  try {
    schema = JSON.parse(await readTextFile(file, maxSettingsBytes))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file}: not valid JSON; correct the file`)
    throw error
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new UsageError(`${file}: a JSON Schema must be an object`)
  try {
    // Checked before the call: a reply that cannot be checked would be paid for in vain.
    compileJsonSchema(schema as JsonObject, { where: file })
  } catch (error) {
    if (error instanceof LlmError) throw new UsageError(error.message)
    throw error
  }
  return schema as JsonObject
}

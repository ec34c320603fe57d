import { type CallOptions, type JsonObject, LlmError } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
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

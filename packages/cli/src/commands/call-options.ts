import {
  type CallOptions,
  isObject,
  type JsonObject,
  LlmError,
  type OptionValues,
  withoutNulls,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { McpSettings } from '@modelport/mcp'
import { compileJsonSchema, type Tool, type ToolSource } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'
import { maxSettingsBytes, readTextFile } from '../files/text-file.js'
import { type McpFlags, toMcpSources } from '../tools/mcp-sources.js'
import { loadTools } from '../tools/tool-module.js'

const callFlags = [
  'system',
  'maxTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'stop',
  'reasoning',
] as const

/** Options of each call, as the command line takes them. */
export type CallFlags = Pick<OptionValues, (typeof callFlags)[number]>

/** Options of a command that makes one call. */
export interface OneCallFlags extends CallFlags {
  readonly schema?: string
  readonly timeout?: number
}

/** Which tools the model may call, as the command line takes it. */
export interface ToolFlags extends McpFlags {
  readonly tools?: string
  readonly allowTools?: boolean
}

/** How a reply is shown, as the command line takes it. */
export interface ViewFlags {
  readonly showReasoning?: boolean
  readonly raw?: boolean
}

/** The options of each call. */
export const toCallOptions = (flags: CallFlags): CallOptions =>
  withoutNulls(Object.fromEntries(callFlags.map((name) => [name, flags[name]])))

/** The options of the only call. */
export async function toOneCallOptions(flags: OneCallFlags): Promise<CallOptions> {
  const { schema, timeout } = flags
  return {
    ...toCallOptions(flags),
    ...(timeout !== undefined && { deadlineMs: timeout * 1000 }),
    ...(schema !== undefined && {
      responseFormat: { type: 'json-schema', schema: await readSchema(schema) },
    }),
  }
}

/**
 * The tools of the module and the servers.
 * @throws {UsageError} they are allowed, and there are none
 */
export async function toTools(
  cli: Cli,
  flags: ToolFlags,
  onChange?: McpSettings['onChange'],
): Promise<{ readonly tools: readonly Tool[]; readonly sources: readonly ToolSource[] }> {
  const { tools: file, mcp = [], allowTools } = flags
  if (allowTools && file === undefined && mcp.length === 0)
    throw new UsageError('--allow-tools needs --tools or --mcp')
  return {
    tools: file === undefined ? [] : await loadTools(file),
    sources: await toMcpSources(flags, cli, onChange),
  }
}

async function readSchema(file: string): Promise<JsonObject> {
  const schema = tryParseJson(await readTextFile(file, maxSettingsBytes))
  if (schema === undefined) throw new UsageError(`${file}: not valid JSON; correct the file`)
  if (!isObject(schema)) throw new UsageError(`${file}: a JSON Schema must be an object`)
  try {
    // Checked before the call: a reply that cannot be checked would be paid for in vain.
    compileJsonSchema(schema, { where: file })
  } catch (error) {
    if (error instanceof LlmError) throw new UsageError(error.message)
    throw error
  }
  return schema
}

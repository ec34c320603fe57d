import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'

/** What a tool is told about the call it answers. */
export interface ToolCallContext {
  readonly callId: string
  /** The turn that the call belongs to; the first is 1. */
  readonly step: number
  readonly signal: AbortSignal
}

/** A tool that can be run here. */
export interface LocalTool {
  readonly definition: ToolDefinition
  /** Checks arguments, where the tool can; resolves to the value to run with. Rejects with what is wrong, for the model to read. */
  check(args: JsonObject): Promise<unknown>
  execute(value: unknown, context: ToolCallContext): Promise<unknown>
  /** Most milliseconds a call may take, where the tool says so itself. */
  readonly timeoutMs?: number
}

/**
 * Loads tools from a module of the user's: its default export is a list of `{ name, description, parameters?, execute }`, of
 * `{ definition, execute }`, or of what the runtime's `defineTool` makes. The module is code and runs as such.
 * @throws {LlmError} `config` — it does not load, or is no such list; says which entry is wrong, and how.
 */
export async function loadTools(file: string): Promise<LocalTool[]> {
  if (!existsSync(file)) throw new LlmError('config', `${file}: there is no such file`)
  let loaded: { readonly default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown }
  } catch (cause) {
    throw new LlmError(
      'config',
      `${file}: the tools do not load: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
  const list = loaded.default
  if (!Array.isArray(list))
    throw new LlmError(
      'config',
      `${file}: expected a default export with a list of tools, found ${describe(list)}; write "export default [{ name, description, parameters, execute }]"`,
    )
  const tools = list.map((entry: unknown, index) => toTool(entry, `${file}: tool ${index + 1}`))
  const names = tools.map(({ definition }) => definition.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new LlmError('config', `${file}: two tools are named ${JSON.stringify(twice)}; give each its own name`)
  return tools
}

function toTool(entry: unknown, where: string): LocalTool {
  if (typeof entry !== 'object' || entry === null)
    throw new LlmError(
      'config',
      `${where}: expected { name, description, parameters, execute }, found ${describe(entry)}`,
    )
  const own = entry as Readonly<Record<string, unknown>>
  const told = (own['definition'] ?? own) as Readonly<Record<string, unknown>>
  const { name, description, parameters, strict } = told
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new LlmError('config', `${where}: name must be 1 to 64 letters, digits, "_" or "-", found ${describe(name)}`)
  if (typeof description !== 'string')
    throw new LlmError('config', `${where} (${name}): description must be text, found ${describe(description)}`)
  if (
    parameters !== undefined &&
    (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
  ) {
    throw new LlmError(
      'config',
      `${where} (${name}): parameters must be a JSON Schema of an object, found ${describe(parameters)}`,
    )
  }
  const { execute, validate, timeoutMs } = own
  if (typeof execute !== 'function')
    throw new LlmError('config', `${where} (${name}): execute must be a function, found ${describe(execute)}`)
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw new LlmError('config', `${where} (${name}): timeoutMs must be a number above 0, found ${describe(timeoutMs)}`)
  const definition = {
    name,
    description,
    ...(parameters !== undefined && { parameters: parameters as JsonObject }),
    ...(typeof strict === 'boolean' && { strict }),
  }
  return {
    definition,
    ...(timeoutMs !== undefined && { timeoutMs }),
    check: async (args) => {
      if (typeof validate !== 'function') return args
      const { ok, value, message } = (await validate.call(entry, args)) as {
        readonly ok?: unknown
        readonly value?: unknown
        readonly message?: unknown
      }
      if (ok !== true) throw new Error(String(message))
      return value
    },
    execute: (value, context) =>
      new Promise((resolve) => {
        resolve(execute.call(entry, value, context))
      }),
  }
}

const describe = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'string'
          ? JSON.stringify(value.slice(0, 80))
          : `a ${typeof value}`

import {
  configError,
  isLlmError,
  isObject,
  type JsonObject,
  LlmError,
  type ToolDefinition,
} from '@modelport/core'
import { defineTool, type Tool, type ToolContext, type Validated } from '@modelport/runtime'
import { loadUserModule } from '../files/user-module.js'

/**
 * Loads tools from a module of the user. Its default export is a list of
 * `{ name, description, parameters?, execute }`, of `{ definition, execute }`, or of results of the
 * runtime's `defineTool`. The module is code and runs as such.
 * @throws {LlmError} `config` — it does not load, or is not such a list; says which entry is wrong,
 * and how.
 */
export const loadTools = async (file: string): Promise<Tool[]> =>
  toTools(await loadUserModule(file, 'tools'), file)

/**
 * The tools of a list that a module exports; `file` names it in errors.
 * @throws {LlmError} as {@link loadTools}
 */
export function toTools(list: unknown, file: string): Tool[] {
  if (!Array.isArray(list))
    throw configError(
      `${file}: expected a default export with a list of tools, found ${describe(list)}; write "export default [{ name, description, parameters, execute }]"`,
    )
  const tools = list.map((entry: unknown, index) => toTool(entry, `${file}: tool ${index + 1}`))
  const names = tools.map(({ definition }) => definition.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw configError(
      `${file}: two tools are named ${JSON.stringify(twice)}; give each its own name`,
    )
  return tools
}

function toTool(entry: unknown, where: string): Tool {
  if (!isObject(entry))
    throw configError(
      `${where}: expected { name, description, parameters, execute }, found ${describe(entry)}`,
    )
  const given: object = entry
  const told = (entry['definition'] ?? entry) as Readonly<Record<string, unknown>>
  const { name, description, parameters, strict } = told
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw configError(
      `${where}: name must be 1 to 64 letters, digits, "_" or "-", found ${describe(name)}`,
    )
  if (typeof description !== 'string')
    throw configError(
      `${where} (${name}): description must be text, found ${describe(description)}`,
    )
  if (parameters !== undefined && !isObject(parameters))
    throw configError(
      `${where} (${name}): parameters must be a JSON Schema of an object, found ${describe(parameters)}`,
    )
  const { execute, timeoutMs } = entry
  if (typeof execute !== 'function')
    throw configError(`${where} (${name}): execute must be a function, found ${describe(execute)}`)
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw configError(
      `${where} (${name}): timeoutMs must be a number above 0, found ${describe(timeoutMs)}`,
    )
  // It was made by defineTool, or has the same form.
  if (entry['definition'] && typeof entry['validate'] === 'function') return given as Tool
  const definition = {
    name,
    description,
    ...(parameters !== undefined && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  }
  return makeTool(given as ModuleTool, definition, `${where} (${name})`)
}

/** An entry of a module; its fields were checked. */
interface ModuleTool {
  readonly timeoutMs?: number
  readonly exclusive?: boolean
  validate?(args: JsonObject): Validated | Promise<Validated>
  execute(value: unknown, context: ToolContext): unknown
}

/**
 * The entry checks its arguments itself, or else its schema does. They are not checked if it has no
 * schema, or one with unknown keywords.
 */
function makeTool(entry: ModuleTool, definition: ToolDefinition, where: string): Tool {
  const { timeoutMs, exclusive } = entry
  const tool: Tool = {
    definition,
    validate: (args) => entry.validate?.(args) ?? { ok: true, value: args },
    // eslint-disable-next-line no-restricted-syntax -- what a tool is made of
    execute: (value, context) => entry.execute(value, context),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(exclusive !== undefined && { exclusive }),
  }
  const { parameters } = definition
  if (entry.validate || parameters === undefined) return tool
  try {
    const checked = defineTool({
      ...definition,
      parameters,
      // eslint-disable-next-line no-restricted-syntax -- what a tool is made of
      execute: (value, context) => tool.execute(value, context),
    })
    return { ...tool, definition: checked.definition, validate: (args) => checked.validate(args) }
  } catch (error) {
    if (isLlmError(error, 'unsupported')) return tool
    throw isLlmError(error)
      ? new LlmError(error.code, `${where}: ${error.message}`, { cause: error })
      : error
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

import { type Content, configError, isObject, type JsonObject } from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import { compileJsonSchema } from '../schema/json-schema.js'
import { fromModelOutput } from './model-output.js'
import { pending } from './pending-result.js'
import type { Tool } from './tool.js'
import { ToolFailure } from './tool-content.js'
import {
  type CompiledParameters,
  compileParameters,
  type ToolParameters,
  toObjectSchema,
} from './tool-parameters.js'
import { resultOf } from './tool-progress.js'

/**
 * A tool of another library, named by its key in the set: a tool of the AI SDK or of its MCP
 * clients, or any tool with a schema that follows Standard Schema. Its `execute` does the work, and
 * the last value of an iterable is the result; without it the run is suspended until the result is
 * given.
 */
export interface ForeignTool {
  /** When and how to use it; the model reads this. */
  readonly description?: string | ((options: never) => string) | undefined
  /** The arguments: a Standard Schema, a JSON Schema, or a schema of the AI SDK. */
  readonly inputSchema: unknown
  /** Asks vendors that can to hold the model to the schema exactly. */
  readonly strict?: boolean | undefined
  /**
   * Whether a person has to approve a call: such a call suspends the run, even if `authorize`
   * allows it.
   */
  readonly needsApproval?:
    | boolean
    | ((input: never, options: never) => boolean | PromiseLike<boolean>)
    | undefined
  /** What the model sees of a result. Default: the result. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined
}

/** A function of the tool, called with the arguments that its library passes. */
type Callable = (...given: readonly unknown[]) => unknown

/** Tools by name: ours, or those of another library. */
export type ToolSet = Readonly<Record<string, Tool | ForeignTool>>

/** True for one of our own tools. */
const isOwn = (tool: Tool | ForeignTool): tool is Tool => 'definition' in tool

/**
 * The tools of a set as ours.
 * @throws {LlmError} `config` — a tool is one that a vendor runs, or its schema cannot be shown to
 * a model.
 */
export const toTools = (set: ToolSet): readonly Tool[] =>
  Object.entries(set).map(([name, tool]) => (isOwn(tool) ? tool : toTool(name, tool)))

/** Whether a call of the set has to be approved. */
export async function needsApproval(
  set: ToolSet,
  name: string,
  input: unknown,
  callId: string,
): Promise<boolean> {
  const tool = Object.hasOwn(set, name) ? set[name] : undefined
  if (!tool || isOwn(tool)) return false
  const asks = tool.needsApproval as Callable | boolean | undefined
  const options = { toolCallId: callId, messages: [], context: {} }
  return Boolean(typeof asks === 'function' ? await asks(input, options) : asks)
}

function toTool(name: string, given: ForeignTool): Tool {
  const where = `tools.${name}`
  if ('type' in given && given.type === 'provider')
    throw configError(
      `${where} is a tool that a vendor runs; pass it in the form of the vendor: options.providerTools`,
    )
  const { strict, execute } = given as ForeignTool & { readonly execute?: Callable }
  const description = (given.description ?? '') as Callable | string
  const toModelOutput = given.toModelOutput as Callable | undefined
  const { schema, validate } = compileInput(given.inputSchema, where)
  return {
    definition: {
      name,
      description: String(
        typeof description === 'function' ? description({ context: {} }) : description,
      ),
      parameters: schema,
      ...(strict !== undefined && { strict }),
    },
    validate,
    execute: async (input, context) => {
      const { callId, signal } = context
      if (!execute) return pending(callId)
      const options = { toolCallId: callId, messages: [], abortSignal: signal, context: {} }
      const output = await resultOf(execute(input, options), context)
      const shown = await toModelOutput?.({ toolCallId: callId, input, output })
      const { content, isError = false } = fromModelOutput(shown) ?? { content: output }
      if (isError) throw new ToolFailure(content as Content)
      return content
    },
  }
}

/**
 * Reads a schema. One of the AI SDK may be created on first use, and checks values itself if it
 * can.
 */
function compileInput(given: unknown, where: string): CompiledParameters {
  const schema: unknown =
    typeof given === 'function' && !('~standard' in given) ? (given as Callable)() : given
  if (!isObject(schema) || !('jsonSchema' in schema))
    return compileParameters((schema ?? {}) as ToolParameters, where)
  const { jsonSchema, validate } = schema
  if (jsonSchema instanceof Promise)
    throw configError(`${where}: the schema is a promise; await it first`)
  const shown = toObjectSchema(jsonSchema as JsonObject, where)
  if (typeof validate !== 'function')
    return { schema: shown, validate: compileIfKnown(shown, where) }
  return {
    schema: shown,
    validate: async (args) => {
      const result = (await (validate as Callable)(args)) as
        | { success: true; value: unknown }
        | { success: false; error: unknown }
      return result.success
        ? { ok: true, value: result.value }
        : { ok: false, message: messageOf(result.error) }
    },
  }
}

/** A schema with unknown keywords is checked by its server only, as in its own library. */
function compileIfKnown(schema: JsonObject, where: string): CompiledParameters['validate'] {
  try {
    return compileJsonSchema(schema, { where, untrusted: true })
  } catch {
    return (value) => ({ ok: true, value })
  }
}

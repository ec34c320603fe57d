import { isObject, type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { checkToolSettings } from '../base/check-request.js'
import { messageOf } from '../base/message-of.js'
import { fromFlatMap } from '../schema/flat-map.js'
import { compileJsonSchema, type Validated } from '../schema/json-schema.js'
import type { ObjectOf } from '../schema/schema-value.js'
import type { EffectDeclaration, ReconcileOutcome } from './reconcile.js'
import type { Tool, ToolContext } from './tool.js'
import { resultOf } from './tool-progress.js'

/**
 * Describes the arguments of a tool: a schema of zod or any other Standard Schema library, a JSON Schema, or a flat map of parameters such as
 * `{ city: { type: 'string', required: true } }`.
 */
export type ToolParameters = StandardSchemaV1 | JsonObject

/** What `execute` gets: the schema's output, the object that a literal JSON Schema or flat map describes, or any JSON object. */
export type ToolArguments<Parameters extends ToolParameters> = Parameters extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Parameters>
  : ObjectOf<Parameters>

/** Fields of a tool that go to the vendor as they are. */
const hints = { strict: 1, deferred: 1, callers: 1, cache: 1, vendor: 1 } as const
type Given<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined }
type Hints = Given<Pick<ToolDefinition, keyof typeof hints>>

/** The settings of a tool. `strict`, `deferred`, `callers`, `cache` and `vendor` are those of `ToolDefinition`. */
export interface ToolSettings<Parameters extends ToolParameters>
  extends EffectDeclaration<ToolArguments<Parameters>>,
    Hints {
  /** Name the model calls it by: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** When and how to use it; the model reads this. */
  readonly description: string
  /** The arguments, an object. Unset: the tool takes none. */
  readonly parameters?: Parameters | undefined
  /**
   * Does the work: see {@link Tool.execute}. Called only with arguments that fit. Of an async generator, the yielded values are progress, and the value that it
   * returns is the result.
   */
  execute(args: ToolArguments<Parameters>, context: ToolContext): unknown
  /** Maximum milliseconds one call may take; `Infinity` for no limit. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /** True if it must not run next to another call of its step. Default false. */
  readonly exclusive?: boolean | undefined
  /** See {@link Tool.eager}. Default false. */
  readonly eager?: boolean | undefined
}

/**
 * Makes a tool. The schema checks the arguments before `execute` is called; if they do not fit, the model reads why.
 * @throws {TypeError} a setting is not known.
 * @throws {LlmError} `config` — the name, the description, `execute` or the time limit is not valid, or the parameters do not describe an object that
 * a model can be shown; `unsupported` — the JSON Schema has a keyword that is not understood.
 * @example
 * ```ts
 * import { defineTool } from '@modelport/runtime'
 * import { z } from 'zod'
 *
 * export const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers',
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * })
 * ```
 */
export function defineTool<const Parameters extends ToolParameters = JsonObject>(
  settings: ToolSettings<Parameters>,
): Tool {
  checkToolSettings(settings, settingNames)
  const { name, description, parameters, timeoutMs, exclusive, eager, idempotent, readOnly } = settings
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new LlmError('config', `tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" or "-"`)
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new LlmError('config', `tool "${name}": timeoutMs must be a number above 0, not ${timeoutMs}`)
  if (eager && (!readOnly || exclusive))
    throw new LlmError(
      'config',
      `tool "${name}": eager needs readOnly: true and not exclusive, since the call of a reply that fails is dropped`,
    )
  const where = `tool "${name}": parameters`
  const { schema, validate } = compileParameters(parameters ?? noArguments, where)
  return {
    definition: {
      name,
      description,
      ...(parameters !== undefined && { parameters: schema }),
      ...Object.fromEntries(Object.entries(settings).filter(([name, hint]) => name in hints && hint !== undefined)),
    },
    validate,
    // Validation returned the output of the schema.
    execute: (value, context) => resultOf(settings.execute(value as ToolArguments<Parameters>, context), context),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(exclusive !== undefined && { exclusive }),
    ...(eager !== undefined && { eager }),
    ...(idempotent !== undefined && { idempotent }),
    ...(readOnly !== undefined && { readOnly }),
    ...(settings.reconcile && {
      reconcile: (value, context) =>
        settings.reconcile?.(value as ToolArguments<Parameters>, context) ?? unknownOutcome,
    }),
  }
}

const unknownOutcome: ReconcileOutcome = { outcome: 'unknown' }

const settingNames = namesOf<ToolSettings<JsonObject>>({
  name: 1,
  description: 1,
  parameters: 1,
  execute: 1,
  timeoutMs: 1,
  exclusive: 1,
  eager: 1,
  ...hints,
  idempotent: 1,
  readOnly: 1,
  reconcile: 1,
})

/** An object's schema as a model is shown it, and what checks an object. */
export interface CompiledParameters extends Pick<Tool, 'validate'> {
  readonly schema: JsonObject
}

/** @throws {LlmError} as {@link defineTool} does; `where` says what the schema is of */
export function compileParameters(parameters: ToolParameters, where: string): CompiledParameters {
  if (isStandard(parameters))
    return {
      schema: toObjectSchema(toJsonSchema(parameters, where), where),
      validate: (args) => validateStandard(parameters, args),
    }
  const given = isObject(parameters) ? fromFlatMap(parameters, where) : parameters
  return { schema: toObjectSchema(given, where), validate: compileJsonSchema(given, { where }) }
}

const noArguments: JsonObject = { type: 'object', additionalProperties: false }
const mostIssues = 5

const isStandard = (parameters: ToolParameters): parameters is StandardSchemaV1 =>
  isObject(parameters) && '~standard' in parameters

const isZod = (schema: StandardSchemaV1): schema is StandardSchemaV1 & $ZodType => '_zod' in schema

/** The JSON Schema of the input of a library's schema. */
function toJsonSchema(schema: StandardSchemaV1, where: string): JsonObject {
  const { vendor, jsonSchema }: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema['~standard']
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
    // zod before 4.2 does not offer its conversion through the standard.
    if (isZod(schema)) return toJSONSchema(schema, { io: 'input' })
  } catch (error) {
    throw new LlmError('config', `${where}: ${vendor} cannot write this schema as JSON Schema: ${messageOf(error)}`)
  }
  throw new LlmError(
    'config',
    `${where}: schemas of ${vendor} cannot be shown to a model; pass a JSON Schema, or the schema with its library's JSON Schema conversion`,
  )
}

/** The schema that the model gets: of an object, without the mark of its dialect, which would only cost tokens. */
export function toObjectSchema(schema: JsonObject, where: string): JsonObject {
  if (!isObject(schema)) {
    throw new LlmError('config', `${where}: expected a schema or a JSON Schema object`)
  }
  const { $schema: _dialect, type = 'object', ...rest } = schema
  if (type !== 'object') throw new LlmError('config', `${where}: must describe an object, not ${JSON.stringify(type)}`)
  return { type, ...rest }
}

async function validateStandard(schema: StandardSchemaV1, args: JsonObject): Promise<Validated> {
  try {
    const result = await schema['~standard'].validate(args)
    return result.issues ? { ok: false, message: describe(result.issues) } : { ok: true, value: result.value }
  } catch (error) {
    return { ok: false, message: `they could not be checked: ${messageOf(error)}` }
  }
}

function describe(issues: readonly StandardSchemaV1.Issue[]): string {
  const found = issues.slice(0, mostIssues).map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/')
    return place ? `${place}: ${message}` : message
  })
  const more = issues.length > mostIssues ? `; and ${issues.length - mostIssues} more` : ''
  return found.join('; ') + more
}

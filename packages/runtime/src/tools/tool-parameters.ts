import { configError, isObject, type JsonObject } from '@modelport/core'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { messageOf } from '../base/message-of.js'
import { fromFlatMap } from '../schema/flat-map.js'
import { compileJsonSchema, type Validated } from '../schema/json-schema.js'
import type { SchemaObject } from '../schema/schema-value.js'

/**
 * Describes the arguments of a tool: a schema of zod or any other Standard Schema library, a JSON
 * Schema, or a flat map of parameters such as `{ city: { type: 'string', required: true } }`.
 */
export type ToolParameters = StandardSchemaV1 | JsonObject

/**
 * What `execute` gets: the schema's output, the object that a literal JSON Schema or flat map
 * describes, or any JSON object.
 */
export type ToolArguments<Parameters extends ToolParameters> = Parameters extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Parameters>
  : SchemaObject<Parameters>

/** The schema of a tool's arguments for the model, and the check of arguments. */
export interface CompiledParameters {
  readonly schema: JsonObject
  /** Never throws. */
  readonly validate: (args: JsonObject) => Validated | Promise<Validated>
}

/**
 * @param where names the schema in errors
 * @throws {LlmError} as `defineTool` does
 */
export function compileParameters(parameters: ToolParameters, where: string): CompiledParameters {
  if (isStandard(parameters))
    return {
      schema: toObjectSchema(toJsonSchema(parameters, where), where),
      validate: (args) => validateStandard(parameters, args),
    }

  // The shape alone, as MCP's SDK takes it, would be read as a flat map.
  const part =
    isObject(parameters) && Object.entries(parameters).find(([, one]) => isStandard(one as never))
  if (part)
    throw configError(
      `${where}: ${JSON.stringify(part[0])} is a schema of a library; make one of the whole: z.object({ ${part[0]} })`,
    )
  const schema = isObject(parameters) ? fromFlatMap(parameters, where) : parameters
  return { schema: toObjectSchema(schema, where), validate: compileJsonSchema(schema, { where }) }
}

const mostIssues = 5

const isStandard = (parameters: ToolParameters): parameters is StandardSchemaV1 =>
  isObject(parameters) && '~standard' in parameters

const isZod = (schema: StandardSchemaV1): schema is StandardSchemaV1 & $ZodType => '_zod' in schema

/** The JSON Schema of the input of a library's schema. */
function toJsonSchema(schema: StandardSchemaV1, where: string): JsonObject {
  const { vendor, jsonSchema }: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> =
    schema['~standard']
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
    // zod before 4.2 does not offer its conversion through the standard.
    if (isZod(schema)) return toJSONSchema(schema, { io: 'input' })
  } catch (error) {
    throw configError(
      `${where}: ${vendor} cannot write this schema as JSON Schema: ${messageOf(error)}`,
    )
  }
  if (vendor === 'zod')
    throw configError(
      `${where}: schemas of zod 3 cannot be shown to a model; import { z } from 'zod/v4', which zod 3.25 has too, or pass asSchema(schema) of the AI SDK`,
    )
  throw configError(
    `${where}: schemas of ${vendor} cannot be shown to a model; pass a JSON Schema, or the schema with its library's JSON Schema conversion`,
  )
}

/**
 * The schema that the model gets: of an object, without the mark of its dialect, which would only
 * cost tokens.
 */
export function toObjectSchema(schema: JsonObject, where: string): JsonObject {
  if (!isObject(schema)) {
    throw configError(`${where}: expected a schema or a JSON Schema object`)
  }
  const { $schema: _dialect, type = 'object', ...rest } = schema
  if (type !== 'object')
    throw configError(`${where}: must describe an object, not ${JSON.stringify(type)}`)
  return { type, ...rest }
}

async function validateStandard(schema: StandardSchemaV1, args: JsonObject): Promise<Validated> {
  try {
    const result = await schema['~standard'].validate(args)
    return result.issues
      ? { ok: false, message: describe(result.issues) }
      : { ok: true, value: result.value }
  } catch (error) {
    return { ok: false, message: `they could not be checked: ${messageOf(error)}` }
  }
}

function describe(issues: readonly StandardSchemaV1.Issue[]): string {
  const problems = issues.slice(0, mostIssues).map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/')
    return place ? `${place}: ${message}` : message
  })
  const more = issues.length > mostIssues ? `; and ${issues.length - mostIssues} more` : ''
  return problems.join('; ') + more
}

import { configError, type JsonObject } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type core, toJSONSchema } from 'zod'
import { shown } from '../base/shown.js'
import { findJson, partialJson } from './json-text.js'
import { type Parsed, type Parser, problem } from './parser.js'

/** A schema of zod or any other library of the Standard Schema, or a JSON Schema. */
export type ReplySchema = StandardSchemaV1 | JsonObject

/** The output type of a schema; a JSON Schema has no type for the compiler. */
export type SchemaOutput<Schema extends ReplySchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown

/**
 * Accepts JSON that fits the schema; text around the JSON and a code fence are dropped. A schema of
 * an object is sent to the vendor as the response format, if the library can write it as JSON
 * Schema.
 * @throws {LlmError} `config`, `unsupported` — the JSON Schema is wrong or has a keyword that is
 * not understood.
 */
export function json<Schema extends ReplySchema>(schema: Schema): Parser<SchemaOutput<Schema>> {
  const found: unknown = schema
  if (
    (typeof found !== 'object' && typeof found !== 'function') ||
    found === null ||
    Array.isArray(found)
  )
    throw configError(`json: expected a Standard Schema or a JSON Schema, not ${shown(found)}`)
  const jsonSchema: JsonObject | undefined = isStandard(schema) ? toJsonSchema(schema) : schema
  const validate = isStandard(schema) ? byStandard(schema) : byJsonSchema(schema)
  return {
    shape: { kind: 'json', schema: jsonSchema ?? null },
    ...(jsonSchema?.['type'] === 'object' && { schema: jsonSchema }),
    read: (text) => {
      const found = findJson(text)
      // Validation returns the output of the schema.
      return found.ok ? (validate(found.value) as Promise<Parsed<SchemaOutput<Schema>>>) : found
    },
    partial: partialJson,
  }
}

const isStandard = (schema: ReplySchema): schema is StandardSchemaV1 => '~standard' in schema

const isZod = (schema: StandardSchemaV1): schema is StandardSchemaV1 & core.$ZodType =>
  '_zod' in schema

/**
 * The JSON Schema of the input, or undefined if the library has none: the reply is then only
 * checked here.
 */
function toJsonSchema(schema: StandardSchemaV1): JsonObject | undefined {
  const { jsonSchema }: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> =
    schema['~standard']
  try {
    const { $schema: _dialect, ...rest }: JsonObject = jsonSchema
      ? jsonSchema.input({ target: 'draft-2020-12' })
      : isZod(schema)
        ? toJSONSchema(schema, { io: 'input' })
        : {}
    return Object.keys(rest).length ? rest : undefined
  } catch {
    return undefined
  }
}

type Validate = (value: unknown) => Parsed<unknown> | Promise<Parsed<unknown>>

const byJsonSchema = (schema: ReplySchema): Validate => {
  const check = compileJsonSchema(schema as JsonObject, { where: 'json' })
  return (value) => {
    const checked = check(value)
    return checked.ok ? checked : problem(...checked.message.split('; '))
  }
}

const byStandard =
  (schema: StandardSchemaV1): Validate =>
  async (value) => {
    const result = await schema['~standard'].validate(value)
    return result.issues
      ? problem(...result.issues.map(describeIssue))
      : { ok: true, value: result.value }
  }

/** An issue of a schema, with its place in the value. */
export function describeIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/')
  return place ? `${place}: ${message}` : message
}

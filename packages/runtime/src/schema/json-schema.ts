import {
  dereference,
  format as formats,
  type OutputUnit,
  type Schema,
  validate,
} from '@cfworker/json-schema'
import { configError, type JsonObject, LlmError } from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import { copySchema, type SchemaCopy } from './json-schema-copy.js'
import { checkSchemaDepth, checkSchemaSize } from './schema-limits.js'
import { measureValue } from './schema-meter.js'

/** Whether arguments may be executed. */
export type Validated =
  | {
      readonly ok: true
      /**
       * The arguments as the tool gets them: with defaults filled in and values converted, where
       * the schema does that.
       */
      readonly value: unknown
    }
  | {
      readonly ok: false
      /** The problem and its place, in words that the model can act on. */
      readonly message: string
    }

/** Checks values against one schema; never throws. */
export type JsonSchemaValidator = (value: unknown) => Validated

/** How a schema is read. */
export interface JsonSchemaOptions {
  /** How messages name the schema. Default `schema`. */
  readonly where?: string | undefined
  /**
   * True checks `format` too. Default false: a format is a remark, as the 2020-12 standard has it.
   */
  readonly assertFormats?: boolean | undefined
  /**
   * True for a schema that somebody else wrote: it may have at most 128 KiB, 5,000 values and a
   * nesting of 64, and a `pattern` that may run without end is refused. Default false: patterns are
   * the author's own.
   */
  readonly untrusted?: boolean | undefined
  /** Schemas that references may lead to, by their address. Nothing is ever fetched. */
  readonly schemas?: Readonly<Record<string, JsonObject | boolean>> | undefined
}

const mostProblems = 5
/** Longest list that `uniqueItems` checks: it compares items pair by pair. */
const mostUniqueItems = 2000
/** Longest JSON in which all problems are searched; in a longer one only the first is. */
const longestForAllProblems = 20_000

/**
 * Makes a validator of a JSON Schema of draft 6, draft 7, 2019-09 or 2020-12 (which is the default
 * without `$schema`), without `eval`. Unknown keywords are refused here, never ignored:
 * `$dynamicRef`, `$recursiveRef`, `$vocabulary`, other dialects, an anchor declared twice, and
 * references to schemas that are not given. Keywords the dialect does not have are remarks. A check
 * that would take longer than about a second fails, and says so.
 * @throws {LlmError} `unsupported` — names the keyword; `config` — it is not a schema, or a
 * reference leads nowhere; `limit-exceeded` — the schema is nested deeper than 256, or is not
 * trusted and too large.
 */
export function compileJsonSchema(
  schema: JsonObject | boolean,
  options: JsonSchemaOptions = {},
): JsonSchemaValidator {
  const { where = 'schema', assertFormats = false, untrusted = false, schemas = {} } = options
  if (untrusted) checkSchemaSize(schema, where)
  else checkSchemaDepth(schema, where)

  let copy: SchemaCopy
  let lookup: Record<string, Schema | boolean>
  try {
    copy = copySchema(schema, { where, assertFormats, untrusted })
    lookup = dereference(copy.schema)
    for (const [address, other] of Object.entries(schemas)) {
      const otherCopy = copySchema(other, { where: address, assertFormats, untrusted }, copy.meter)
      const url = new URL(address)
      dereference(otherCopy.schema, lookup, url)
      // A schema whose `$id` is another address was added under that address only.
      lookup[url.href] ??= otherCopy.schema
    }
  } catch (error) {
    if (error instanceof LlmError) throw error
    throw configError(`${where}: ${messageOf(error)}`)
  }

  checkReferences(lookup, where)
  if (assertFormats) checkFormats(lookup, where)
  return (value) => check(value, copy, lookup)
}

function check(
  value: unknown,
  { schema, draft, uniqueItems, meter }: SchemaCopy,
  lookup: Record<string, Schema | boolean>,
): Validated {
  try {
    const measure = measureValue(value)
    meter.begin(measure)
    if (uniqueItems && measure.items > mostUniqueItems)
      return {
        ok: false,
        message: `a list of more than ${mostUniqueItems} items cannot be checked for unique items`,
      }

    // The first pass stops at the first problem, so that valid values are checked fast.
    if (validate(value, schema, draft, lookup).valid) return { ok: true, value }

    const stopsAtFirst = JSON.stringify(value).length > longestForAllProblems
    const { errors } = validate(value, schema, draft, lookup, stopsAtFirst)
    return { ok: false, message: describe(errors) }
  } catch (error) {
    return { ok: false, message: `the value cannot be checked: ${messageOf(error)}` }
  }
}

/** Every reference must lead to a schema; otherwise a run would fail in the middle. */
function checkReferences(lookup: Record<string, Schema | boolean>, where: string): void {
  for (const schema of Object.values(lookup)) {
    if (
      typeof schema === 'boolean' ||
      schema.__absolute_ref__ === undefined ||
      lookup[schema.__absolute_ref__] !== undefined
    )
      continue
    throw configError(
      `${where}: the reference ${JSON.stringify(schema.$ref)} leads to no schema that is given; nothing is fetched`,
    )
  }
}

function checkFormats(lookup: Record<string, Schema | boolean>, where: string): void {
  for (const schema of Object.values(lookup)) {
    if (
      typeof schema === 'boolean' ||
      typeof schema.format !== 'string' ||
      Object.hasOwn(formats, schema.format)
    )
      continue
    throw new LlmError(
      'unsupported',
      `${where}: the format "${schema.format}" cannot be checked; known are ${Object.keys(formats).join(', ')}`,
    )
  }
}

/**
 * Keywords whose problem only says that a part of the value has problems. The problems of the part
 * follow, and are reported instead.
 */
const containers = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'dependentSchemas',
])

function describe(errors: readonly OutputUnit[]): string {
  const texts = new Set<string>()
  errors.forEach(({ keyword, error, instanceLocation }, index) => {
    const next = errors[index + 1]
    // A schema `false`: the problem before it says what must not be there.
    const isForbidden = next?.keyword === 'false'
    if (keyword === 'false' && index > 0) return
    if (containers.has(keyword) && next && !isForbidden) return

    const place = instanceLocation === '#' ? '' : `${instanceLocation.slice(2)}: `
    if (!isForbidden) {
      texts.add(`${place}${error}`)
      return
    }
    const field = next.instanceLocation.slice(instanceLocation.length + 1) || 'this'
    texts.add(`${place}${field} is not allowed`)
  })

  const problems = [...texts]
  const more = problems.length > mostProblems ? `; and ${problems.length - mostProblems} more` : ''
  return (problems.slice(0, mostProblems).join('; ') || 'it does not fit the schema') + more
}

import { isObject, type JsonObject } from '@modelport/core'

/**
 * One argument of a tool, as a form asks for it. `json`: an object, a list, or anything that has no
 * field of its own.
 */
export interface SchemaField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  readonly isRequired: boolean
  readonly description: string
  /** The choices. */
  readonly choices: readonly unknown[]
  /** The value that the form begins with; unset if the schema has no default. */
  readonly initial?: unknown
}

/**
 * What the fields of a form contain, by name: texts as they are, every other value as JSON. Empty:
 * nothing is sent.
 */
export type FormDraft = Readonly<Record<string, string>>

/** The arguments of a form, and the problems of its fields by name. */
export interface FormResult {
  readonly args: JsonObject
  readonly problems?: Readonly<Record<string, string>>
}

/** The fields for a JSON Schema; undefined if it does not list the properties of an object. */
export function fieldsOf(schema: unknown): readonly SchemaField[] | undefined {
  if (!isObject(schema) || ['$ref', 'anyOf', 'oneOf', 'allOf'].some((word) => word in schema))
    return undefined
  const { type = 'object', properties = {}, required } = schema
  if (type !== 'object' || !isObject(properties)) return undefined
  if (Object.keys(properties).length === 0 && isObject(schema['additionalProperties']))
    return undefined
  const names = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, property]) =>
    toField(name, property, names.includes(name)),
  )
}

const kinds: Readonly<Record<string, SchemaField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

function toField(name: string, property: unknown, isRequired: boolean): SchemaField {
  const schema = withoutNull(property)
  const outer = isObject(property) ? property : {}
  const description = outer['description'] ?? schema['description']
  const initial = outer['default'] ?? schema['default'] ?? schema['const']
  const choices = Array.isArray(schema['enum'])
    ? schema['enum']
    : 'const' in schema
      ? [schema['const']]
      : []
  return {
    name,
    kind: choices.length > 0 ? 'choice' : (kinds[String(schema['type'])] ?? 'json'),
    isRequired,
    description: typeof description === 'string' ? description : '',
    choices,
    ...(initial !== undefined && initial !== null && { initial }),
  }
}

/** The schema of a value that may also be null, without null: the form leaves it out instead. */
function withoutNull(property: unknown): JsonObject {
  if (!isObject(property)) return {}
  const { anyOf, type } = property
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null')
    return { ...property, type: types.length === 1 ? String(types[0]) : 'any' }
  }
  if (!Array.isArray(anyOf)) return property
  const rest = anyOf.filter((one) => !isObject(one) || one['type'] !== 'null')
  return rest.length === 1 && isObject(rest[0]) ? rest[0] : {}
}

/** The values of a form for these arguments. */
export function toDraft(
  fields: readonly SchemaField[],
  args: Readonly<Record<string, unknown>>,
): FormDraft {
  return Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = args[name]
      if (value === undefined) return [name, '']
      if (kind === 'text' && typeof value === 'string') return [name, value]
      return [name, kind === 'json' ? JSON.stringify(value, undefined, 2) : JSON.stringify(value)]
    }),
  )
}

/** The first values of a form. */
export const firstDraft = (fields: readonly SchemaField[]): FormDraft =>
  toDraft(fields, Object.fromEntries(fields.map(({ name, initial }) => [name, initial])))

/** The arguments of a form, with every problem at once. */
export function fromDraft(fields: readonly SchemaField[], draft: FormDraft): FormResult {
  const args: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = draft[field.name] ?? ''
    if (!text.trim()) {
      if (field.isRequired) problems[field.name] = missing[field.kind]
      else if (text) args[field.name] = text
      continue
    }
    try {
      args[field.name] = field.kind === 'text' ? text : toValue(field, text)
    } catch {
      problems[field.name] = malformed[field.kind]
    }
  }
  const found = args as JsonObject
  return Object.keys(problems).length > 0 ? { problems, args: found } : { args: found }
}

const missing: Readonly<Record<SchemaField['kind'], string>> = {
  text: 'Enter a text. To send an empty one, edit as JSON.',
  number: 'Enter a number.',
  integer: 'Enter a whole number.',
  boolean: 'Choose true or false.',
  choice: 'Choose a value.',
  json: 'Enter a JSON value, such as [] or {}.',
}

const malformed: Readonly<Record<SchemaField['kind'], string>> = {
  ...missing,
  json: 'This is not JSON. Put texts and names in double quotes, such as {"city": "Oslo"}.',
}

function toValue({ kind }: SchemaField, text: string): unknown {
  const value = JSON.parse(text.trim()) as unknown
  const isNumber = kind === 'number' || kind === 'integer'
  if (isNumber && (typeof value !== 'number' || (kind === 'integer' && !Number.isInteger(value))))
    throw new TypeError('not a number')
  return value
}

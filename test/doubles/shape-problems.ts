import { type Fields, fieldsOf, isFields, type Problem } from './sent-request.ts'

type Schema = Readonly<Record<string, unknown>>
type Definitions = Readonly<Record<string, object>>

/** What tells the branches of a union apart. */
const tags = ['type', 'role']

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value

function resolve(schema: Schema, definitions: Definitions): Schema {
  const { $ref: ref } = schema
  return typeof ref === 'string'
    ? resolve(definitions[ref.replace('#/definitions/', '')] as Schema, definitions)
    : schema
}

/** The schemas of a union and of the unions in it. */
const branchesOf = (schema: Schema, definitions: Definitions): readonly Schema[] =>
  Array.isArray(schema['anyOf'])
    ? (schema['anyOf'] as readonly Schema[]).flatMap((one) =>
        branchesOf(resolve(one, definitions), definitions),
      )
    : [schema]

const allowedBy = ({ const: only, enum: values }: Schema): readonly unknown[] | undefined =>
  only === undefined ? (values as readonly unknown[] | undefined) : [only]

function fits(schema: Schema, value: unknown, definitions: Definitions): boolean {
  const { type } = schema
  const types = type === undefined ? undefined : [type].flat()
  const actual = typeOf(value)
  if (types && !types.includes(actual) && !(actual === 'integer' && types.includes('number')))
    return false
  if (!isFields(value)) return true
  const properties = fieldsOf(schema['properties'])
  return tags.every((tag) => {
    const own = isFields(properties[tag])
      ? allowedBy(resolve(properties[tag], definitions))
      : undefined
    if (!own) return true
    return value[tag] === undefined
      ? !(schema['required'] as readonly string[] | undefined)?.includes(tag)
      : own.includes(value[tag])
  })
}

/** Says why a value does not have a shape: of a union, for the branch that was meant. */
export function explain(
  shape: object,
  value: unknown,
  definitions: Definitions,
  path = '',
): readonly Problem[] {
  const branches = branchesOf(resolve(shape as Schema, definitions), definitions)
  const meant = branches.filter((branch) => fits(branch, value, definitions))
  if (!meant.length) return [noBranch(branches, value, path)]
  const found = meant.map((branch) => explainBranch(branch, value, definitions, path))
  // The branch that was meant is wrong in the fewest places.
  return found.reduce((least, one) => (one.length < least.length ? one : least))
}

/** Why a value is of no branch: by its tags, or by its type. */
function noBranch(branches: readonly Schema[], value: unknown, path: string): Problem {
  const problem = (message: string): Problem => ({ rule: 'shape', path, message })
  const named = isFields(value) ? tags.filter((tag) => value[tag] !== undefined) : []
  if (named.length)
    return problem(
      `no form of it has ${named.map((tag) => `${tag} ${JSON.stringify((value as Fields)[tag])}`).join(' and ')}`,
    )
  const types = [...new Set(branches.map(({ type, const: only }) => JSON.stringify(type ?? only)))]
  return types.includes('"object"') && isFields(value)
    ? problem('has no type')
    : problem(`is ${typeOf(value)}, not ${types.join(' or ')}`)
}

function explainBranch(
  schema: Schema,
  value: unknown,
  definitions: Definitions,
  path: string,
): readonly Problem[] {
  const problem = (message: string): Problem => ({ rule: 'shape', path, message })
  const allowed = allowedBy(schema)
  if (allowed && !allowed.includes(value))
    return [problem(`${JSON.stringify(value)} is not among ${JSON.stringify(allowed)}`)]
  const { pattern, items, minItems } = schema
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern).test(value))
    return [problem(`${JSON.stringify(value)} does not match ${pattern}`)]
  if (Array.isArray(value)) {
    if (typeof minItems === 'number' && value.length < minItems) return [problem('too few items')]
    return isFields(items)
      ? value.flatMap((item, index) => explain(items, item, definitions, `${path}[${index}]`))
      : []
  }
  return isFields(value) ? explainObject(schema, value, definitions, path) : []
}

function explainObject(
  schema: Schema,
  value: Fields,
  definitions: Definitions,
  path: string,
): readonly Problem[] {
  const properties = fieldsOf(schema['properties'])
  const more = schema['additionalProperties']
  const at = (name: string): string => (path ? `${path}.${name}` : name)
  const missing = ((schema['required'] as readonly string[] | undefined) ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name): Problem => ({ rule: 'shape', path: at(name), message: 'is missing' }))
  const wrong = Object.entries(value).flatMap(([name, inner]): readonly Problem[] => {
    const own = Object.hasOwn(properties, name)
      ? properties[name]
      : isFields(more)
        ? more
        : undefined
    if (isFields(own)) return explain(own, inner, definitions, at(name))
    return more === false
      ? [{ rule: 'unknown-field', path: at(name), message: 'the API has no such field' }]
      : []
  })
  const count = Object.keys(value).length
  const { minProperties = 0, maxProperties = Infinity } = schema as {
    minProperties?: number
    maxProperties?: number
  }
  const many = count < minProperties || count > maxProperties
  return [
    ...missing,
    ...wrong,
    ...(many ? [{ rule: 'shape', path, message: `has ${count} fields, not one` }] : []),
  ]
}

import { asText, type Fields, fieldsOf, isFields } from '../sent-request.ts'
import { type Breach, breach } from './rule.ts'

const lists = ['anyOf', 'allOf', 'oneOf', 'prefixItems']
const maps = ['properties', '$defs', 'definitions', 'patternProperties']
const singles = ['items', 'not', 'additionalProperties', 'contains', 'if', 'then', 'else']

/** Every schema in a schema, with its path and how deep its objects lie. */
export function* schemasIn(
  schema: unknown,
  path: string,
  depth = 1,
): Generator<readonly [Fields, string, number]> {
  if (!isFields(schema)) return
  yield [schema, path, depth]
  for (const name of lists)
    if (Array.isArray(schema[name]))
      for (const [index, one] of schema[name].entries())
        yield* schemasIn(one, `${path}.${name}[${index}]`, depth)
  for (const name of maps)
    for (const [key, one] of Object.entries(fieldsOf(schema[name])))
      yield* schemasIn(one, `${path}.${name}.${key}`, name === 'properties' ? depth + 1 : depth)
  for (const name of singles)
    yield* schemasIn(schema[name], `${path}.${name}`, name === 'items' ? depth + 1 : depth)
}

const isObject = (schema: Fields): boolean => [schema['type']].flat().includes('object')

/** What `strict` of OpenAI forbids. */
export function strictBreaches(root: unknown, path: string): readonly Breach[] {
  const found: Breach[] = [
    ...breach(
      !isFields(root) || root['type'] !== 'object',
      path,
      'the root must have the type "object"',
    ),
  ]
  if (isFields(root))
    found.push(...breach(root['anyOf'], `${path}.anyOf`, 'the root must not be a union'))
  let properties = 0
  let values = 0
  for (const [schema, at, depth] of schemasIn(root, path)) {
    properties += Object.keys(fieldsOf(schema['properties'])).length
    if (Array.isArray(schema['enum'])) values += schema['enum'].length
    for (const name of forbiddenInStrict)
      found.push(
        ...breach(schema[name] !== undefined, `${at}.${name}`, `'${name}' is not permitted`),
      )
    found.push(
      ...formatBreaches(schema, at),
      ...breach(depth > 10, at, 'more than 10 levels of nesting'),
    )
    if (isObject(schema)) found.push(...closedBreaches(schema, at), ...requiredBreaches(schema, at))
  }
  found.push(...breach(properties > 5000, path, `${properties} properties, more than 5000`))
  found.push(...breach(values > 1000, path, `${values} values of enums, more than 1000`))
  return found
}

const forbiddenInStrict = [
  'allOf',
  'oneOf',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'default',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'prefixItems',
]
const formats = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]

const formatBreaches = ({ format }: Fields, path: string): readonly Breach[] =>
  breach(
    format !== undefined && !formats.includes(asText(format)),
    `${path}.format`,
    `'${asText(format)}' is not a valid format`,
  )

/** Objects that may have other properties than those that are named. */
export const closedBreaches = (schema: Fields, path: string): readonly Breach[] =>
  breach(schema['additionalProperties'] !== false, path, "'additionalProperties' must be false")

function requiredBreaches(schema: Fields, path: string): readonly Breach[] {
  const names = Object.keys(fieldsOf(schema['properties']))
  const required = (schema['required'] ?? []) as readonly string[]
  const missing = names.filter((name) => !required.includes(name))
  const extra = required.filter((name) => !names.includes(name))
  return [
    ...breach(
      missing.length,
      path,
      `'required' must have every property; missing: ${missing.join(', ')}`,
    ),
    ...breach(extra.length, path, `'required' names other properties: ${extra.join(', ')}`),
  ]
}

const forbiddenAtAnthropic = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'contains',
  'prefixItems',
  'oneOf',
]
const anthropicFormats = [...formats, 'uri']

/** What structured output and strict tools of Anthropic forbid. */
export function groundedBreaches(root: unknown, path: string): readonly Breach[] {
  const found: Breach[] = []
  for (const [schema, at] of schemasIn(root, path)) {
    for (const name of forbiddenAtAnthropic)
      found.push(
        ...breach(
          schema[name] !== undefined,
          `${at}.${name}`,
          `property '${name}' is not supported`,
        ),
      )
    const { minItems, format, pattern, enum: values, $ref: ref } = schema
    found.push(
      ...breach(
        typeof minItems === 'number' && minItems > 1,
        `${at}.minItems`,
        'values other than 0 and 1 are not supported',
      ),
      ...breach(
        /\(\?<?[=!]|\\[bB1-9]/.test(asText(pattern)),
        `${at}.pattern`,
        'look-around, references and ends of words are not supported',
      ),
      ...breach(
        format !== undefined && !anthropicFormats.includes(asText(format)),
        `${at}.format`,
        'is not supported',
      ),
      ...breach(
        Array.isArray(values) &&
          values.some((value) => typeof value === 'object' && value !== null),
        `${at}.enum`,
        'objects are not supported',
      ),
      ...breach(
        typeof ref === 'string' && !ref.startsWith('#'),
        `${at}.$ref`,
        'external references are not supported',
      ),
    )
    if (isObject(schema)) found.push(...closedBreaches(schema, at))
  }
  return found
}

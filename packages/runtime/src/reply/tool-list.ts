import type { JsonObject, ToolDefinition } from '@modelport/core'

/**
 * Tools as one line each, as short as it can be understood:
 * `name(city, days: integer = 1): what it does`. If a line cannot express everything, the JSON
 * Schema of the arguments follows.
 */
export const toToolList = (tools: readonly ToolDefinition[]): string =>
  tools.map((tool) => `- ${toToolLine(tool)}`).join('\n')

function toToolLine({ name, description, parameters }: ToolDefinition): string {
  const properties = Object.entries(
    (parameters?.['properties'] ?? {}) as Readonly<Record<string, JsonObject | boolean>>,
  )
  const required = Array.isArray(parameters?.['required'])
    ? (parameters['required'] as readonly unknown[])
    : []
  const signature = properties
    .map(([key, schema]) => `${key}${required.includes(key) ? '' : '?'}${toTypeNote(schema)}`)
    .join(', ')
  const line = `${name}(${signature}): ${description}`
  return parameters && !fitsOneLine(parameters)
    ? `${line}\n  args: ${JSON.stringify(parameters)}`
    : line
}

/**
 * The type of an argument, left out for text, and for numbers, whose names show it most of the
 * time.
 */
function toTypeNote(schema: JsonObject | boolean): string {
  if (typeof schema === 'boolean') return ''
  const { type, enum: choices } = schema
  if (Array.isArray(choices))
    return `: ${choices.map((choice) => JSON.stringify(choice)).join(' | ')}`
  return type === undefined || type === 'string'
    ? ''
    : `: ${typeof type === 'string' ? type : JSON.stringify(type)}`
}

const plainKeys = new Set(['type', 'enum', 'title'])
const rootKeys = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'title',
  '$schema',
])

/** True when types and choices of the arguments are all there is to say. */
function fitsOneLine(parameters: JsonObject): boolean {
  if (Object.keys(parameters).some((key) => !rootKeys.has(key))) return false
  const properties = Object.values(
    (parameters['properties'] ?? {}) as Readonly<Record<string, JsonObject | boolean>>,
  )
  return properties.every(
    (schema) =>
      typeof schema === 'boolean' ||
      (schema['type'] !== 'object' &&
        schema['type'] !== 'array' &&
        Object.keys(schema).every((key) => plainKeys.has(key))),
  )
}

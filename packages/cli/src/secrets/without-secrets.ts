import { createRedact, type Redact } from '@modelport/core'

/** Fields whose values belong to the stored format, with all values that the format knows. */
const formFields: ReadonlySet<string> = new Set(['role', 'type'])
const formWords: ReadonlySet<string> = new Set([
  'system',
  'user',
  'assistant',
  'tool',
  'text',
  'image',
  'audio',
  'file',
  'base64',
  'url',
  'json',
  'json-schema',
  'function',
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])
/** The names of the fields below these are not ours, and may hold a secret too. */
const freeForm: ReadonlySet<string> = new Set(['arguments', 'state', 'body', 'headers'])

/**
 * A copy of a JSON value without these texts, in whatever form. Only texts change, so the copy is
 * JSON of the same form also if a secret is a number or a word of JSON. Secrets of fewer than eight
 * characters could be any word, and stay.
 */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  const redact = createRedact(secrets.filter(({ length }) => length >= 8))
  // The walk keeps the shape, which the compiler does not see.
  return clean(value, '', false, redact) as T
}

function clean(value: unknown, field: string, free: boolean, redact: Redact): unknown {
  if (typeof value === 'string') {
    if (formFields.has(field) && formWords.has(value)) return value
    return field === 'argumentsText' ? cleanJsonText(value, redact) : redact(value)
  }
  if (Array.isArray(value)) return value.map((one: unknown) => clean(one, field, free, redact))
  if (typeof value !== 'object' || value === null) return value
  const within = free || freeForm.has(field)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      within ? redact(name) : name,
      clean(one, name, within, redact),
    ]),
  )
}

/** Text that is JSON stays JSON. */
function cleanJsonText(text: string, redact: Redact): string {
  if (redact(text) === text) return text
  try {
    return JSON.stringify(clean(JSON.parse(text), '', true, redact))
  } catch {
    return redact(text)
  }
}

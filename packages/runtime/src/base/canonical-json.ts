import { isObject } from '@modelport/core'

/**
 * JSON with sorted keys and no space: the same text for the same value, whatever the order it was
 * written in.
 */
export function canonicalJson(value: unknown): string {
  // undefined and functions have no JSON, whatever the type of stringify says.
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? sorted(inner) : inner,
  ) as string | undefined
  return text ?? 'null'
}

function sorted(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(value)
  if (names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name)) return value
  // Not assigned one by one: a key "__proto__" stays a key.
  return Object.fromEntries(names.sort().map((name) => [name, value[name]]))
}

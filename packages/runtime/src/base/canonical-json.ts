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

const sorted = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  // Not assigned one by one: a key "__proto__" stays a key.
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))

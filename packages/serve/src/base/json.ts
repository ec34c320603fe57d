import { isObject, type JsonObject } from '@modelport/core'

/** The kind of a foreign value, for an error message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

/** Returns the entries whose value is not `undefined`, as they are sent. */
export function compactObject<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  const compact: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value))
    if (inner !== undefined) define(compact, key, inner)
  return compact as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** Sets a field of a new object. Assigning `__proto__` would set the prototype instead. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  else object[key] = value
}

/** Reads an object out of metadata; anything else is an empty object. */
export const objectAt = (value: unknown, key: string): JsonObject => {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}

import { isObject } from '@modelport/core'

/**
 * A deep copy of JSON at a third of the cost of `structuredClone`, which copies any other value.
 */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyJson) as T
  // A key `__proto__` cannot be assigned.
  if (
    isObject(value) &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !Object.hasOwn(value, '__proto__')
  ) {
    const copy: Record<string, unknown> = {}
    for (const name in value) copy[name] = copyJson(value[name])
    return copy as T
  }
  return typeof value === 'object' || typeof value === 'function' ? structuredClone(value) : value
}

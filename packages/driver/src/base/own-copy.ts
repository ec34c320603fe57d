/**
 * A copy of plain data, deep: what the application does to its objects later changes nothing here.
 * Functions, bytes and objects of classes are taken as they are.
 */
export function ownCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(ownCopy) as T
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  // A key such as `__proto__` stays a field.
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => [key, ownCopy(one)]),
  ) as T
}

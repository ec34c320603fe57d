import { assert, canonical } from '../assert.js'

interface NodeUtil {
  readonly inspect: (value: unknown, options: object) => string
}
interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => NodeUtil | undefined }
}

/**
 * Every text form of a value: string, JSON and inspection, of all its properties, hidden or not.
 */
export function textsOf(value: unknown): readonly string[] {
  const texts = [String(value), canonical(value)]
  const inspect = (globalThis as Runtime).process?.getBuiltinModule?.('node:util')?.inspect
  if (inspect)
    texts.push(
      inspect(value, { depth: 20, showHidden: true, getters: true, maxStringLength: null }),
    )
  collect(value, texts, new Set(), 0)
  return texts
}

/** Own fields, symbols and inherited getters, to a depth of 20. */
function collect(value: unknown, texts: string[], seen: Set<unknown>, depth: number): void {
  if (typeof value === 'string') texts.push(value)
  if (
    (typeof value !== 'object' && typeof value !== 'function') ||
    value === null ||
    seen.has(value) ||
    depth > 20
  )
    return
  seen.add(value)
  if (typeof value === 'function') texts.push(String(value))
  if (value instanceof Map || value instanceof Set || value instanceof Headers)
    for (const inner of value) collect(inner, texts, seen, depth + 1)
  for (
    let owner: object | null = value;
    owner && owner !== Object.prototype && owner !== Function.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const name of Reflect.ownKeys(owner)) {
      try {
        collect(Reflect.get(owner, name, value), texts, seen, depth + 1)
      } catch {
        // A getter of another object's prototype.
      }
    }
  }
}

/** A secret as other texts may hold it. */
export function formsOf(secret: string): readonly string[] {
  if (!secret) return []
  return [
    secret,
    btoa(secret).replace(/=+$/, ''),
    btoa(`Bearer ${secret}`).replace(/=+$/, '').slice(10, -1),
    encodeURIComponent(secret),
  ]
}

/** Fails if a form of the key is in a text of the value. */
export function assertClean(value: unknown, key: string, what: string): void {
  const forms = formsOf(key)
  for (const text of textsOf(value))
    for (const form of forms)
      assert(
        !text.includes(form),
        `${what}: the key is in ${text.slice(Math.max(0, text.indexOf(form) - 200))}`,
      )
}

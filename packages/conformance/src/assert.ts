import { type ErrorCode, isLlmError, isObject, type ProviderError } from '@modelport/core'

/** A broken rule. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
}

/** Fails with the message. */
export function fail(message: string): never {
  throw new ConformanceError(message)
}

/** Fails unless the condition holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) fail(message)
}

/** Fails unless both are the same JSON, whatever the order of fields. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const actualText = canonical(actual)
  const expectedText = canonical(expected)
  if (actualText === expectedText) return
  fail(
    `${what}\n  expected ${excerpt(expectedText, actualText)}\n  found    ${excerpt(actualText, expectedText)}`,
  )
}

/** The JSON of a value, fields in order of their names. */
export function canonical(value: unknown): string {
  const sorted = (_: string, inner: unknown): unknown =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  return value === undefined ? 'undefined' : JSON.stringify(value, sorted)
}

/** The text around the first place where it differs from the other one. */
function excerpt(text: string, other: string): string {
  if (text.length <= 400) return text
  let same = 0
  while (same < text.length && text[same] === other[same]) same++
  const from = Math.max(0, same - 80)
  return `${from ? '…' : ''}${text.slice(from, from + 400)}…`
}

/** Fails unless the error is a typed one with one of the codes. */
export function assertCode(
  error: unknown,
  codes: ErrorCode | readonly ErrorCode[],
  what: string,
): asserts error is ProviderError {
  const expected = typeof codes === 'string' ? [codes] : codes
  if (!isLlmError(error) || !expected.includes(error.code))
    fail(
      `${what}\n  expected an LlmError with the code ${expected.join(' or ')}\n  found    ${foundError(error)}`,
    )
}

function foundError(error: unknown): string {
  if (error === undefined) return 'no error'
  if (!(error instanceof Error)) return `a value that is not an Error: ${JSON.stringify(error)}`
  return `${isLlmError(error) ? `${error.code}: ` : ''}${String(error)}`
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  return fail(`${what}: expected a rejection, found ${canonical(value).slice(0, 200)}`)
}

/** What a promise resolves to; fails when it rejects. */
export async function resolved<T>(promise: Promise<T>, what: string): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    throw new ConformanceError(`${what}: rejected with ${String(cause)}`, { cause })
  }
}

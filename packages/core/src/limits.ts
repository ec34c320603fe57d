import { configError } from './error.js'
import { suggest } from './suggest.js'

/**
 * Name of a limit that is a number, the least and the most of it. `Infinity` as the most is allowed
 * itself.
 */
export type LimitRange<Limits> = readonly [name: keyof Limits & string, least: number, most: number]

/**
 * Fills in limits, later over earlier; `undefined` never erases.
 * @throws {LlmError} `config` — names the limit, the value found and the range, or the limit that
 * was probably meant.
 */
export function fillLimits<Limits extends object>(
  defaults: Limits,
  ranges: readonly LimitRange<Limits>[],
  given: readonly (object | undefined)[],
): Limits {
  const names = Object.keys(defaults)
  const limits = { ...defaults } as Limits & Record<string, unknown>
  for (const [name, value] of given.flatMap((one) => Object.entries<unknown>({ ...one }))) {
    if (value === undefined) continue
    if (!names.includes(name))
      throw configError(`limits: unknown limit ${JSON.stringify(name)}${suggest(name, names)}`)
    Object.assign(limits, { [name]: value })
  }
  checkRanges(limits, ranges, 'limits.')
  return limits
}

/**
 * Checks the numbers among settings; those that are undefined pass. `prefix` stands before a name
 * in the message.
 * @throws {LlmError} `config` — names the number, the value found and the range.
 */
export function checkRanges<T extends object>(
  given: T,
  ranges: readonly LimitRange<T>[],
  prefix = '',
): void {
  for (const [name, least, most] of ranges) {
    const value: unknown = given[name]
    if (value === undefined) continue
    const isWhole = Number.isInteger(value) || value === Infinity
    if (isWhole && (value as number) >= least && (value as number) <= most) continue
    const range = most === Infinity ? `of at least ${least}` : `between ${least} and ${most}`
    throw configError(
      `${prefix}${name} must be a whole number ${range}, not ${typeof value === 'number' ? value : JSON.stringify(value)}`,
    )
  }
}

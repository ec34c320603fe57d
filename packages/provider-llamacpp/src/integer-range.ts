import type { JsonObject } from '@modelport/core'
import { toLiteral } from './grammar-text.js'

/** Integers of a grammar have 15 digits at most: bounds beyond are kept by themselves. */
const reach = 10 ** 15
/** A range with no more values than this is written out. */
const mostValues = 1000

/** The grammar of an integer schema. Calls `refuse` for bounds that a grammar cannot keep. */
export function integerRule(
  { minimum = -reach, maximum = reach }: JsonObject,
  refuse: (key: string, why: string) => never,
): string {
  if (typeof minimum !== 'number') return refuse('minimum', 'it is not a number')
  if (typeof maximum !== 'number') return refuse('maximum', 'it is not a number')
  const low = Math.ceil(minimum)
  const high = Math.floor(maximum)
  if (high < low) return refuse('maximum', 'it is below the minimum')
  if (high - low < mostValues) {
    return `(${Array.from({ length: high - low + 1 }, (_, index) => toLiteral(String(low + index))).join(' | ')})`
  }
  if (high < reach)
    return refuse(
      'maximum',
      `ranges of more than ${mostValues} values cannot be kept; leave it out and check the reply`,
    )
  if (low <= -reach) return 'any-integer'
  if (low === 0) return '("0" | [1-9] [0-9]{0,14})'
  if (low === 1) return '([1-9] [0-9]{0,14})'
  return refuse(
    'minimum',
    'a lower bound without a near upper one can be 0 or 1 only; leave it out and check the reply',
  )
}

import { InvalidArgumentError } from 'commander'

type ReadNumber = (text: string) => number

/**
 * Reads a number of the command line.
 * @param must what it must be, if it does not fit
 * @param form the same, if it is not a number
 */
const numberThat =
  (fits: (value: number) => boolean, must: string, form = 'must be a number.'): ReadNumber =>
  (text) => {
    const value = Number(text)
    if (!text.trim() || !Number.isFinite(value)) throw new InvalidArgumentError(form)
    if (!fits(value)) throw new InvalidArgumentError(must)
    return value
  }

/** Numbers from `least` to `most`. */
export function toNumberFrom(least: number, most: number): ReadNumber {
  const must = `must be a number, ${least} to ${most}.`
  return numberThat((value) => value >= least && value <= most, must, must)
}

/** Whole numbers from `least` to `most`, which are `what`. */
export function toIntegerFrom(least: number, most: number, what: string): ReadNumber {
  const must = `must be ${what}, ${least} to ${most}.`
  return numberThat(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    must,
    must,
  )
}

/** A whole number. */
export const toInteger: ReadNumber = numberThat(Number.isSafeInteger, 'must be a whole number.')

/** A whole number above 0. */
export const toCount: ReadNumber = numberThat(
  (value) => Number.isInteger(value) && value >= 1,
  'must be a whole number above 0.',
)

/** A length of time in seconds, or an amount of money. */
export const toPositive: ReadNumber = numberThat((value) => value > 0, 'must be above 0.')

/** Collects the values of an option that may be given several times. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]

import { InvalidArgumentError } from 'commander'

/** A number of the command line. */
export function toNumber(text: string): number {
  const number = Number(text)
  if (!text.trim() || !Number.isFinite(number)) throw new InvalidArgumentError('must be a number.')
  return number
}

/** Numbers from `least` to `most`. */
export const toNumberFrom =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text)
    if (!text.trim() || !(number >= least && number <= most))
      throw new InvalidArgumentError(`must be a number, ${least} to ${most}.`)
    return number
  }

/** A whole number. */
export function toInteger(text: string): number {
  const number = toNumber(text)
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError('must be a whole number.')
  return number
}

/** Whole numbers from `least` to `most`, which are `what`. */
export const toIntegerFrom =
  (least: number, most: number, what: string) =>
  (text: string): number => {
    const value = Number(text)
    if (!text.trim() || !Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`must be ${what}, ${least} to ${most}.`)
    return value
  }

/** A whole number above 0. */
export function toCount(text: string): number {
  const count = toNumber(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number above 0.')
  return count
}

/** A length of time of the command line, in seconds. */
export function toSeconds(text: string): number {
  const seconds = toNumber(text)
  if (seconds <= 0) throw new InvalidArgumentError('must be above 0.')
  return seconds
}

/** Collects the values of an option that may be given several times. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

import type { OptionValues } from './options.js'

/** What the value of an option must be. */
export interface OptionForm {
  /** In words, after "must be". */
  readonly expected: string
  /** Whether a value is of this form. */
  readonly fits: (value: unknown) => boolean
  /** The texts that it may be, if it is one of several. */
  readonly values?: readonly string[]
  /** Between which numbers it lies, if it is one. */
  readonly range?: { readonly low: number; readonly high: number; readonly whole: boolean }
}

const number = (low: number, high: number, whole = false): OptionForm => ({
  expected: `a ${whole ? 'whole ' : ''}number${low < 0 ? '' : high < Infinity ? ` between ${low} and ${high}` : ` of at least ${low}`}`,
  fits: (value) =>
    typeof value === 'number' &&
    value >= low &&
    value <= high &&
    (!whole || Number.isInteger(value)),
  range: { low, high, whole },
})

type NumberName = {
  [Name in keyof OptionValues]-?: OptionValues[Name] extends number | undefined ? Name : never
}[keyof OptionValues]

/** The options of a call that are numbers. */
export const numberForms: Readonly<Record<NumberName, OptionForm>> = {
  maxTokens: number(1, Infinity, true),
  temperature: number(0, 2),
  topP: number(0, 1),
  topK: number(1, Infinity, true),
  seed: number(-Infinity, Infinity, true),
  topLogprobs: number(0, 20, true),
  deadlineMs: number(1, Infinity),
}

/** What `retry.attempts` must be. */
export const attemptsForm: OptionForm = number(1, 5, true)

import type { Dialect } from '../apis.ts'
import type { Problem, SentRequest } from '../sent-request.ts'

/** One place that breaks a rule. */
export type Breach = Omit<Problem, 'rule'>

/** What a vendor demands and the type of its request does not say. */
export interface Rule {
  readonly name: string
  readonly dialects: readonly Dialect[]
  /** Only servers of these vendors, by their host. Default: all that speak the dialect. */
  readonly vendors?: readonly string[]
  /** Only requests to these APIs of the dialects, by name. Default: all. */
  readonly apis?: readonly string[]
  readonly says: string
  /** Where it is written, or the refusal was reported. */
  readonly source: string
  check(request: SentRequest): readonly Breach[]
}

/** A breach, if the condition holds. */
export const breach = (condition: unknown, path: string, message: string): readonly Breach[] =>
  condition ? [{ path, message }] : []

/** A number outside of a range. */
export const outside = (
  value: unknown,
  least: number,
  most: number,
  path: string,
): readonly Breach[] =>
  breach(
    typeof value === 'number' && !(value >= least && value <= most),
    path,
    `${String(value)} is not between ${least} and ${most}`,
  )

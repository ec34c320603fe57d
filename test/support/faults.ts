import type { Runner } from '@modelport/conformance'
import { describe, expect, TestRunner, test } from 'vitest'
import { atSize, fullSize, isFull } from './size.js'

export { atSize, fullSize, isFull } from './size.js'

/**
 * Numbers of a row: they add up over tests, but of a name that ends in "at most" the largest stays.
 */
export type FaultNumbers = Readonly<Record<string, number>>

/**
 * What a test leaves in the report for `scripts/faults.mjs`: the row of test/faults/table.ts and
 * its numbers.
 */
export interface FaultMeta {
  readonly faults?: readonly { readonly row: string; readonly numbers: FaultNumbers }[]
}

/** Notes, from inside a test, what it measured for a row of the fault table. */
export function reportFault(row: string, numbers: FaultNumbers): void {
  const { meta } = TestRunner.getCurrentTest() as { meta: { faults?: FaultMeta['faults'] } }
  meta.faults = [...(meta.faults ?? []), { row, numbers }]
}

/** For the conformance kit: vitest, with what each rule measured noted for the fault table. */
export const faultRunner: Runner = {
  describe,
  test,
  measured: reportFault,
  everyNthByte: atSize(16, 1),
}

/**
 * The same for a provider whose framing another suite runs whole: what its own wire can get wrong.
 * At full size it runs the whole kit too.
 */
export const wireRunner: Runner = {
  ...faultRunner,
  rules: isFull ? 'all' : 'wire',
  // Between records, and at few places inside them: where a record begins is the driver's business.
  everyNthByte: atSize(256, 1),
}

const behind = 'the provider that is wrapped reads the bytes, and is held to this itself'

/**
 * What a provider around another need not show on every commit, for `skip` of its harness: the
 * bytes of a reply never reach it.
 */
export const bytesBehind: Readonly<Record<string, string>> = isFull
  ? {}
  : { S1: behind, S2: behind, S3: behind, S8: behind }

/**
 * A limit of the table on milliseconds or memory. It holds at full size, run by hand on a quiet
 * machine. Elsewhere another program may have the processor, and a number that depends on the
 * machine proves nothing: it is only printed, by {@link reportFault}.
 */
export function atMostWhereQuiet(measured: number, limit: number): void {
  if (fullSize) expect(measured).toBeLessThanOrEqual(limit)
}

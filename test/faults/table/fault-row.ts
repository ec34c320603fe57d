/**
 * A test that proves a row: one of the conformance kit by the start of its title, run for every
 * API, or one by file and title.
 */
export type FaultTest =
  | { readonly kit: string }
  | {
      readonly file: string
      /** As the source has it, up to what the runner fills in. */
      readonly title: string
      /** What the test needs and another machine may lack: it may be skipped then. */
      readonly needs?: string
    }

/** One fault, what must come of it, and what proves that it does. */
export interface FaultRow {
  readonly id: string
  readonly fault: string
  readonly required: string
  readonly tests: readonly FaultTest[]
  /** What of it does not hold yet, and why. */
  readonly pending?: string
}

/** Tests of the conformance kit. */
export const kit = (...titles: readonly string[]): FaultTest[] =>
  titles.map((title) => ({ kit: title }))
/** Tests of a file. */
export const inFile = (file: string, ...titles: readonly string[]): FaultTest[] =>
  titles.map((title) => ({ file, title }))
/** Tests of the driver. */
export const driver = (name: string, ...titles: readonly string[]): FaultTest[] =>
  inFile(`packages/driver/test/${name}.test.ts`, ...titles)
/** Tests of the factory. */
export const factory = (name: string, ...titles: readonly string[]): FaultTest[] =>
  inFile(`packages/factory/test/${name}.test.ts`, ...titles)
/** Tests of this folder. */
export const here = (name: string, ...titles: readonly string[]): FaultTest[] =>
  inFile(`test/faults/${name}.test.ts`, ...titles)
/** The program that makes certificates. */
export const openssl: string = 'openssl'
/** The same tests, which may be skipped where what they need is missing. */
export const withData = (tests: readonly FaultTest[], needs: string): FaultTest[] =>
  tests.map((test) => ('kit' in test ? test : { ...test, needs }))
/** Tests of the runtime. */
export const runtime = (name: string, ...titles: readonly string[]): FaultTest[] =>
  inFile(`packages/runtime/test/${name}.test.ts`, ...titles)
/** Tests of where requests go. */
export const egress = (...titles: readonly string[]): FaultTest[] =>
  inFile('test/egress.test.ts', ...titles)

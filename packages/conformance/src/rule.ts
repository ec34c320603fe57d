import { errorText } from '@modelport/core/text'
import { ConformanceError, fail } from './assert.js'
import type { Harness, Runner } from './harness.js'
import { Lab } from './lab.js'

/**
 * Declares a test. Its title starts with the rules of docs/contract.md it holds a provider to, for
 * example `R4 …` or `S1, S2 …`.
 */
export type Declare = (
  title: string,
  body: (lab: Lab) => Promise<void>,
  options?: RuleOptions,
) => void

/** Declares a test, and says whose code can break what it shows. */
export interface Rule {
  /** Code of `@modelport/driver`, the same for every provider of one framing. */
  readonly driver: Declare
  /** A provider's own code: its requests, its decoder, its errors, what it does with its config. */
  readonly wire: Declare
}

/** Tests by title. */
export type Tests = Readonly<Record<string, (lab: Lab) => Promise<void>>>

/** Declares tests that apply to every API. */
export function ruleAll(declare: Declare, tests: Tests): void {
  for (const [title, body] of Object.entries(tests)) declare(title, body)
}

/** How a test is declared. */
export interface RuleOptions {
  /** Why the test does not apply to this API; undefined when it does. */
  readonly skip?: string | undefined
  /** @default 60,000 */
  readonly timeoutMs?: number
}

/** The rules a title cites. */
export function citedRules(title: string): readonly string[] {
  return /^[A-Z]\d+(?:, [A-Z]\d+)*(?= )/.exec(title)?.[0].split(', ') ?? []
}

/** A `rule` for one harness: declares the tests that the runner asks for. */
export function createRule(runner: Runner, harness: Harness): Rule {
  const { rules = 'all' } = runner
  const declare = createDeclare(runner, harness)
  const leaveOut: Declare = () => undefined
  return {
    driver: rules === 'wire' ? leaveOut : declare,
    wire: rules === 'driver' ? leaveOut : declare,
  }
}

/** Skips what the harness declares, and checks every request at the end of each test. */
function createDeclare(runner: Runner, harness: Harness): Declare {
  return (title, body, { skip, timeoutMs = 60_000 } = {}) => {
    const reason = skip ?? skipReason(harness, title)
    if (reason !== undefined) {
      runner.test.skip(`${title} (skipped: ${reason})`)
      return
    }
    const run = async (): Promise<void> => {
      const lab = new Lab(harness, runner.everyNthByte)
      await whileActive(body(lab), lab).catch((error: unknown) => {
        throw explained(error, lab)
      })
      const violation = lab.violation()
      if (violation !== undefined) fail(violation)
      for (const cited of citedRules(title)) runner.measured?.(cited, lab.counts)
    }
    runner.test(title, run, timeoutMs)
  }
}

const nothingSent =
  'no request reached the kit: send with the `fetch` of the configuration (`io.fetch` in a driver)'

/** The failure, with the bad or missing request that is most likely its cause. */
function explained(error: unknown, lab: Lab): unknown {
  const violation = lab.violation() ?? (lab.requested ? undefined : nothingSent)
  const message = errorText(error)
  return violation === undefined
    ? error
    : new ConformanceError(`${message}\n  and ${violation}`, { cause: error })
}

/** Fails a test in which nothing happens any more, long before the time limit of the runner. */
async function whileActive(test: Promise<void>, lab: Lab): Promise<void> {
  let last = -1
  let quiet = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const hang = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      quiet = lab.activity === last ? quiet + 1 : 0
      last = lab.activity
      if (quiet >= 6)
        reject(
          new ConformanceError(
            `the test hangs: nothing happens, and ${lab.clock.pending} timers are pending`,
          ),
        )
    }, 500)
  })
  try {
    await Promise.race([test, hang])
  } finally {
    clearInterval(timer)
  }
}

/**
 * The harness names a whole title, its text without the rules, or a rule: a rule skips a title only
 * if it is all it cites.
 */
function skipReason({ skip = {} }: Harness, title: string): string | undefined {
  const rules = citedRules(title)
  const text = title.slice(rules.join(', ').length + 1)
  return skip[title] ?? skip[text] ?? (rules.length === 1 ? skip[rules[0] as string] : undefined)
}

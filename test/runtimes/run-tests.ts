import type { Runner } from '@modelport/conformance'

/** What became of a test. */
export interface TestResult {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped' | 'left out'
  /** Why it failed. */
  readonly error?: string
  readonly ms: number
}

/** A test as it was declared; one without a body does not apply. */
export interface TestCase {
  readonly title: string
  readonly body?: () => Promise<void> | void
  readonly timeoutMs?: number
}

/** The tests that are declared with a runner: the runner for where there is no vitest. */
export function collectTests(declare: (runner: Runner) => void): readonly TestCase[] {
  const cases: TestCase[] = []
  const groups: string[] = []
  const titled = (name: string): string => [...groups, name].join(' > ')
  const test = (name: string, body: () => Promise<void> | void, timeoutMs = 60_000): void =>
    void cases.push({ title: titled(name), body, timeoutMs })
  const skip = (name: string): void => void cases.push({ title: titled(name) })
  const describe = (name: string, body: () => void): void => {
    groups.push(name)
    body()
    groups.pop()
  }
  declare({ describe, test: Object.assign(test, { skip }) })
  return cases
}

/**
 * Runs tests one after the other; those that `isLeftOut` names are not run, and the result says so.
 */
export async function runTests(
  cases: readonly TestCase[],
  isLeftOut: (title: string) => boolean = () => false,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = []
  for (const { title, body, timeoutMs = 60_000 } of cases) {
    if (!body) results.push({ title, status: 'skipped', ms: 0 })
    else if (isLeftOut(title)) results.push({ title, status: 'left out', ms: 0 })
    else results.push({ title, ...(await outcomeOf(body, timeoutMs)) })
  }
  return results
}

async function outcomeOf(
  body: () => Promise<void> | void,
  timeoutMs: number,
): Promise<Omit<TestResult, 'title'>> {
  const start = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([body(), late])
    return { status: 'passed', ms: Date.now() - start }
  } catch (error) {
    return {
      status: 'failed',
      error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
      ms: Date.now() - start,
    }
  } finally {
    clearTimeout(timer)
  }
}

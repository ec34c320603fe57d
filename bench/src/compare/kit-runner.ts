import type { Runner } from '@modelport/conformance'

/** What came of one test of the kit. */
export interface KitResult {
  readonly title: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** Why it failed, or was skipped. */
  readonly message?: string
}

interface KitTest {
  readonly title: string
  readonly timeoutMs: number
  /** Undefined: the kit skips it for this API. */
  readonly body?: () => Promise<void> | void
}

/**
 * Runs the tests that `declare` declares, one after the other; `wanted` says by the title which.
 */
export async function runKit(
  declare: (runner: Runner) => void,
  wanted: (title: string) => boolean,
): Promise<readonly KitResult[]> {
  const tests: KitTest[] = []
  const test = Object.assign(
    (title: string, body: () => Promise<void> | void, timeoutMs = 60_000) =>
      void tests.push({ title, body, timeoutMs }),
    { skip: (title: string) => void tests.push({ title, timeoutMs: 0 }) },
  )
  declare({
    describe: (_, body) => {
      body()
    },
    test,
  })
  const results: KitResult[] = []
  for (const one of tests) if (wanted(one.title)) results.push(await runTest(one))
  return results
}

async function runTest({ title, body, timeoutMs }: KitTest): Promise<KitResult> {
  if (!body) return { title, state: 'skipped' }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`did not end within ${timeoutMs} ms`))
    }, timeoutMs)
  })
  try {
    await Promise.race([body(), timeout])
    return { title, state: 'passed' }
  } catch (error) {
    return {
      title,
      state: 'failed',
      message: error instanceof Error ? error.message : String(error),
    }
  } finally {
    clearTimeout(timer)
  }
}

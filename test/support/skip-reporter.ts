import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { allowedSkip } from './allowed-skips.js'

const root = new URL('../../', import.meta.url).pathname

/**
 * Fails a run in which a test skips that `allowed-skips.ts` does not know, and counts those that it
 * knows, by reason.
 */
export class SkipReporter implements Reporter {
  #filtered = false

  onInit({ config }: Vitest): void {
    // A filter by title skips every other test.
    this.#filtered = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#filtered) return
    const counts = new Map<string, number>()
    const unknown: string[] = []
    for (const module of modules)
      for (const { fullName } of module.children.allTests('skipped')) {
        const file = relative(root, module.moduleId)
        const row = allowedSkip(file, `${module.project.name}: ${fullName}`)
        if (row) counts.set(row.needs, (counts.get(row.needs) ?? 0) + 1)
        else unknown.push(`${file}: ${fullName}`)
      }
    for (const [needs, count] of counts) console.log(`skipped: ${count} that need ${needs}`)
    if (unknown.length === 0) return
    console.error(
      `FAILED: ${unknown.length} tests skip without a reason in test/support/allowed-skips.ts\n  ${unknown.join('\n  ')}`,
    )
    process.exitCode = 1
  }
}

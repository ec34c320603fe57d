import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const root = new URL('../../', import.meta.url).pathname
const most = 20
const slowMs = 500

/** Ends a run with its slowest tests: where the minutes are. */
export class SlowReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slow = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
      .filter(({ ms }) => ms >= slowMs)
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, most)
    if (slow.length === 0) return
    const rows = slow.map(({ test, ms }) => {
      const seconds = (ms / 1000).toFixed(1).padStart(6)
      return `${seconds} s  ${relative(root, test.module.moduleId)}: ${test.fullName}`
    })
    console.log(`the slowest tests, of those that took over ${slowMs} ms:\n${rows.join('\n')}`)
  }
}

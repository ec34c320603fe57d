import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { discoverWorkspaces, root } from '../workspaces.ts'

/**
 * The tests that prove each package: its own, for the driver the contract as well, for the loop
 * those that run it.
 */
const tests: Readonly<Record<string, readonly string[]>> = {
  core: ['packages/core/test/*.test.ts'],
  driver: ['packages/driver/test/*.test.ts', 'scripts/mutation/contract.test.ts'],
  runtime: [
    'packages/runtime/test/!(ag-ui|json-schema*|opentelemetry|partial-json|runtime-rules|small-model|ui-messages|wire-loops).test.ts',
  ],
}
/** Those that take longest; the first test that fails ends a run. */
const last = ['scripts/mutation/contract.test.ts', 'packages/driver/test/undici-transport.test.ts']

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number =>
      last.findIndex((path) => moduleId.endsWith(path))
    return (await super.sort(files)).sort((a, b) => cost(a) - cost(b))
  }
}

const { MODELPORT_MUTATION: mutated = 'core' } = process.env

export default defineConfig({
  root,
  resolve: {
    alias: discoverWorkspaces().flatMap(({ dir, entries }) =>
      entries.map(({ specifier, source }) => ({
        find: new RegExp(`^${specifier}$`),
        replacement: join(dir, source),
      })),
    ),
  },
  test: {
    include: [...(tests[mutated] ?? [])],
    setupFiles: [join(root, 'scripts/mutation/quick.ts')],
    sequence: { sequencer: QuickFirst },
    // Modules are loaded once for all mutants: which of them is active is decided while they run.
    isolate: false,
    testTimeout: 5000,
    // Sockets take longer to close than the second a poll waits by default.
    expect: { poll: { timeout: 4000, interval: 10 } },
  },
})

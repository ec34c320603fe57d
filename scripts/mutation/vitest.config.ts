import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { discoverWorkspaces, root } from '../workspaces.mjs'

/** The tests that prove each package: its own, and for the driver the contract as well. */
const tests: Readonly<Record<string, readonly string[]>> = {
  core: ['packages/core/test/*.test.ts'],
  driver: ['packages/driver/test/*.test.ts', 'scripts/mutation/contract.test.ts'],
}

const { MODELPORT_MUTATION: mutated = 'core' } = process.env

export default defineConfig({
  root,
  resolve: {
    alias: discoverWorkspaces().flatMap(({ dir, entries }) =>
      entries.map(({ specifier, source }) => ({ find: new RegExp(`^${specifier}$`), replacement: join(dir, source) }))),
  },
  test: { setupFiles: [join(root, 'scripts/mutation/quick.ts')], include: [...(tests[mutated] ?? [])], testTimeout: 30_000 },
})

// The tests: `npm test` all of them, `npm test -- core` those of one package,
// `npm test -- core wording` those of its files with such a name. Other arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { discoverWorkspaces, root } from './workspaces.mjs'

const projects = [
  'workspace',
  'agent-on-sqlite',
  'agent-on-postgres',
  ...discoverWorkspaces()
    .filter(({ dir }) => existsSync(join(dir, 'test')))
    .map(({ shortName }) => shortName),
]
const args = process.argv
  .slice(2)
  .flatMap((argument) => (projects.includes(argument) ? ['--project', argument] : [argument]))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...args], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)

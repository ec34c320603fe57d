// The tests: `npm test` all of them but those of browsers and databases that `.ci/run` runs,
// `npm test -- core` those of one package, `npm test -- core wording` those of its files with such
// a name, `npm test -- --watch core` again at each change. Other arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { discoverWorkspaces, root } from './workspaces.ts'

/** What `.ci/run` and `npm run test:full` run too, and others only by name. */
const apart = ['browser', 'durable-on-postgres', 'agent-on-sqlite', 'agent-on-postgres']
const projects = [
  'workspace',
  ...apart,
  ...discoverWorkspaces()
    .filter(({ dir }) => existsSync(join(dir, 'test')))
    .map(({ shortName }) => shortName),
]
const given = process.argv.slice(2)
const isWatching = given.includes('--watch')
/** A project or a file, which may be of any project. */
const isChoice = (argument) => projects.includes(argument) || /^--project|\//.test(argument)
const isFull = process.env.MODELPORT_RUNS === 'full'
const args = given
  .filter((argument) => argument !== '--watch')
  .flatMap((argument) => (projects.includes(argument) ? ['--project', argument] : [argument]))
const isWhole = !given.some(isChoice)
const without = isWhole && !isFull ? apart.map((name) => `--project=!${name}`) : []
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [vitest, isWatching ? 'watch' : 'run', ...without, ...args],
  {
    cwd: root,
    stdio: 'inherit',
    // All projects as one: vitest.config.ts.
    env: { ...process.env, ...(isWhole && { MODELPORT_TOGETHER: '1' }) },
  },
)
process.exit(status ?? 1)

import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { discoverWorkspaces, root, type Workspace } from './scripts/workspaces.ts'
import { LongestFirst } from './test/support/longest-first.js'
import { isFull } from './test/support/size.js'
import { SkipReporter } from './test/support/skip-reporter.js'
import { SlowReporter } from './test/support/slow-reporter.js'

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Tests run against sources: each export of each package points at its entry in src. */
const aliases = (workspace: Workspace) =>
  workspace.entries.map(({ specifier, source }) => ({
    find: new RegExp(`^${escaped(specifier)}$`),
    replacement: join(workspace.dir, source),
  }))

const suite = join(root, 'packages/durable/test/support')
const workspaces = discoverWorkspaces()
const {
  MODELPORT_REPORT: report,
  MODELPORT_RESULTS: results,
  MODELPORT_RUNTIME: runtime,
  MODELPORT_TOGETHER: isTogether,
} = process.env
/** Some of its files replace a dependency, for all that come after them in the same process. */
const isolated = ['provider-llamacpp']
const tested = workspaces.filter(({ dir }) => existsSync(join(dir, 'test')))

/** Test files that start Chromium, as their imports say. */
const inBrowser = globSync('{packages,examples}/*/test/**/*.test.ts', { cwd: root }).filter(
  (file) => /from 'playwright-core'|hasBrowser/.test(readFileSync(join(root, file), 'utf8')),
)

/** Test files of `durable` that run on each database, or need PostgreSQL. */
const onDatabases = globSync('packages/durable/test/**/*.test.ts', { cwd: root }).filter((file) =>
  /\/(?:databases|shared-server|postgres-server)\.js'/.test(readFileSync(join(root, file), 'utf8')),
)

/** Where the tests of the command line put the program that they run. */
const programFolder = join(root, 'packages/cli/test/program-folder.ts')

// A program that a test starts from the sources reads them all: with what the runtime kept of the
// last time it takes a third of the time.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compiled')

/** One server for every project that needs one. */
const postgres = join(suite, 'shared-server.ts')

/**
 * What the driver sends through, in every test: a transport that looks at each request as its
 * vendor would.
 */
const doubles: Plugin = {
  name: 'doubles',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === '../transport/transport.js' &&
    importer?.startsWith(join(root, 'packages/driver/src/'))
      ? join(root, 'test/doubles/checked-transport.ts')
      : undefined,
}

const pathOf = ({ dir }: Workspace): string => relative(root, dir)

/**
 * The project of each package, by whose name it is chosen. All have one root: what was transformed
 * is kept by root, and each project would transform all that it reads anew.
 */
const projectOf = (workspace: Workspace) => ({
  extends: true as const,
  test: {
    name: workspace.shortName,
    root,
    include: [`${pathOf(workspace)}/test/**/*.test.ts`],
    exclude: [...configDefaults.exclude, ...inBrowser],
    isolate: isolated.includes(workspace.shortName),
    ...(workspace.shortName === 'cli' && { globalSetup: [programFolder] }),
    ...(workspace.shortName === 'durable' && {
      globalSetup: [postgres],
      provide: { testedDatabases: ['SQLite', 'PostgreSQL'] } as const,
    }),
  },
})

/**
 * The same tests in one project: workers serve a project each, and every one of them imports the
 * sources again, which takes a third of the whole time.
 */
const together = {
  extends: true as const,
  test: {
    name: 'together',
    root,
    include: [...tested.map(pathOf), '.'].map((path) => join(path, 'test/**/*.test.ts')),
    exclude: [
      ...configDefaults.exclude,
      ...inBrowser,
      ...tested
        .filter(({ shortName }) => isolated.includes(shortName))
        .map((workspace) => `${pathOf(workspace)}/**`),
    ],
    globalSetup: [programFolder],
    provide: { postgresUrl: '', testedDatabases: ['SQLite'] } as const,
  },
}

const packages = isTogether
  ? [together, ...tested.filter(({ shortName }) => isolated.includes(shortName)).map(projectOf)]
  : [
      ...tested.map(projectOf),
      {
        extends: true as const,
        test: { name: 'workspace', root, include: ['test/**/*.test.ts'] },
      },
    ]

export default defineConfig({
  plugins: [doubles],
  resolve: { alias: workspaces.flatMap(aliases) },
  test: {
    // One worker a core and two more, since tests wait too; each for many files: start-up and
    // imports would take more than the tests. So a test leaves nothing behind.
    maxWorkers: availableParallelism() + 2,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: [
      join(root, 'test/doubles/setup.ts'),
      ...(runtime ? [join(root, 'test/support/expect-runtime.ts')] : []),
    ],
    // A loaded machine is slow; what hangs is found all the same. What waits inside a test gives up
    // first, and says for what it waited.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // In the full check, a test that fails runs once more. If it passes then, the last lines of the
    // check name it, with its error.
    retry: results ? 1 : 0,
    // The full check counts tests from a report; where to write it, it says.
    reporters: [
      'default',
      // Other runtimes lack more, and say so in their own report.
      ...(runtime ? [] : [new SlowReporter(), new SkipReporter()]),
      ...(results
        ? [
            [
              'json',
              { outputFile: join(results, `${runtime ?? report ?? 'vitest'}.json`) },
            ] satisfies [string, object],
          ]
        : []),
    ],
    projects: [
      ...packages,
      // `npm test` leaves out this project and those below (scripts/test.mjs), and `.ci/run` runs
      // them.
      {
        extends: true as const,
        test: { name: 'browser', root, include: inBrowser, globalSetup: [programFolder] },
      },
      // The tests of durable on the other database: what differs is its SQL, its locks and its
      // connections.
      {
        extends: true as const,
        test: {
          name: 'durable-on-postgres',
          root,
          include: onDatabases,
          globalSetup: [postgres],
          provide: { testedDatabases: ['PostgreSQL'] } as const,
        },
      },
      // What agents can do, durable agents can do: the same tests, with a durable store.
      ...['agent-on-sqlite', 'agent-on-postgres'].map((name) => ({
        extends: true as const,
        resolve: {
          alias: [
            { find: /^.*\/memory-store\.js$/, replacement: join(suite, 'agent-suite-store.ts') },
          ],
        },
        test: {
          name,
          root,
          include: [
            'packages/agent/test/{client,run}/**/*.test.ts',
            'packages/serve/test/{client,server}/**/*.test.ts',
          ],
          // Measures the memory of long streams, at length. And what a connection does is the same
          // for both databases.
          exclude: [
            'packages/serve/test/server/streams.test.ts',
            ...(name === 'agent-on-postgres' && !isFull
              ? ['packages/serve/test/client/*', 'packages/serve/test/server/{chat-*,jwt*,node-*}']
              : []),
          ],
          setupFiles: [join(suite, 'agent-suite.ts')],
          provide: { agentSuite: name === 'agent-on-postgres' ? 'PostgreSQL' : 'SQLite' } as const,
          ...(name === 'agent-on-postgres' && { globalSetup: [postgres] }),
        },
      })),
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text', 'json-summary'],
    },
  },
})

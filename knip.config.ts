import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnipConfig } from 'knip'
import { discoverWorkspaces, root, type Workspace } from './scripts/workspaces.ts'

/** A package that is announced but not written yet has nothing to check. */
const isPlaceholder = ({ dir, entries }: Workspace) =>
  entries.every(
    ({ source }) =>
      !existsSync(join(dir, source)) ||
      readFileSync(join(dir, source), 'utf8').trim() === 'export {}',
  )

/**
 * Built next to the entry, and loaded by a dynamic import; or bundled by a test into a program of
 * its own.
 */
const loadedLater: Record<string, string[]> = {
  driver: ['src/transport/undici-transport.ts'],
  cli: ['src/main.ts'],
  conformance: ['src/main.ts'],
  'ai-sdk': ['test/page.ts'],
  mcp: ['test/conformance/client.ts', 'test/conformance/server.ts'],
  studio: ['src/page/main.tsx', 'build-page.mjs', 'test/programs/attached.ts'],
  durable: [
    'src/sqlite/sqlite-thread.ts',
    'test/kill/adapter/worker.ts',
    'test/kill/cut-main.ts',
    'test/budget-probe/worker.ts',
  ],
}

/** What a package exports is its entry; nothing is listed twice. */
const settings = (workspace: Workspace) => [
  workspace.path,
  {
    entry: [
      ...workspace.entries.map(({ source }) => source),
      ...(loadedLater[workspace.shortName] ?? []),
      'test/**/*.test.ts',
    ],
    project: ['src/**/*.{ts,tsx}', 'test/**/*.ts'],
    // Read as a file, into the page that is tested.
    ...(workspace.shortName === 'studio' && { ignoreDependencies: ['axe-core'] }),
    // Their declarations are read as files.
    ...(workspace.shortName === 'ai-sdk' && {
      ignoreDependencies: ['@ai-sdk/amazon-bedrock', '@ai-sdk/openai-compatible'],
    }),
    // Its manifest cannot name it: packages are built in the order of their manifests, and this one
    // comes after dialog, which comes after durable.
    ...(workspace.shortName === 'durable' && { ignoreDependencies: ['@modelport/mcp'] }),
    // Started as programs, by their paths.
    ...(workspace.shortName === 'mcp' && {
      ignoreDependencies: [/^mcp-conformance-/, /server-(everything|filesystem)$/],
    }),
  },
]

const packages = discoverWorkspaces().filter(({ path }) => path.startsWith('packages/'))

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'scripts/**/*.{mjs,mts}',
        'scripts/mutation/*.ts',
        'test/**/*.test.ts',
        'test/support/*.ts',
        'test/doubles/{setup,register,checked-transport}.ts',
        'test/runtimes/{process,page,worker,host}.ts',
        'test/attack/growth-program.ts',
        'test/soak/{main,client-program,server-program,sqlite-thread}.ts',
      ],
      project: ['scripts/**', 'test/**/*.ts', '*.ts'],
      // The shapes of requests are written from the types of `@anthropic-ai/sdk` and `ollama`.
      // Examples of guides import the others, and a test type-checks those.
      ignoreDependencies: [
        '@a2a-js/sdk',
        '@anthropic-ai/sdk',
        'ollama',
        '@hono/node-server',
        '@ai-sdk/openai',
        'langchain',
        '@langchain/core',
        '@langchain/openai',
        '@opentelemetry/sdk-trace-node',
        'hono',
        'react',
        '@types/react',
        '@ai-sdk/react',
      ],
    },
    'examples/*': { entry: ['src/*.ts'], project: ['**/*.ts'] },
    // The server is started by its path, as the services of its tests are.
    'examples/restate': {
      entry: ['src/*.ts', 'test/*.ts'],
      project: ['**/*.ts'],
      ignoreDependencies: ['@restatedev/restate-server'],
    },
    ...Object.fromEntries(
      ['ai-sdk', 'custom-provider'].map((name) => [
        `examples/${name}`,
        { entry: ['src/*.ts', 'test/*.test.ts'], project: ['**/*.ts'] },
      ]),
    ),
    bench: {
      entry: [
        'src/*.ts',
        'suite/{main,drivers/*}.mjs',
        ...(existsSync(join(root, 'bench/test')) ? ['test/**/*.test.ts'] : []),
      ],
      // The other libraries of the kill script are not installed with the workspace.
      project: ['**/*.{ts,mjs}', '!kill/**'],
    },
    ...Object.fromEntries(packages.filter((workspace) => !isPlaceholder(workspace)).map(settings)),
  },
  ignoreWorkspaces: packages.filter(isPlaceholder).map(({ path }) => path),
  // Programs of the machine: they take the network away from a test, and make certificates for one.
  ignoreBinaries: ['unshare', 'openssl', 'mount', 'umount', 'spin', 'cc'],
  ignoreUnresolved: ['./pan'],
  ignoreExportsUsedInFile: true,
}

export default config

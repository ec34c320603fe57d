import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inject } from 'vitest'
import { discoverWorkspaces } from '../../../scripts/workspaces.ts'
import './program-folder.js'

const folder = fileURLToPath(new URL('..', import.meta.url))
/** One for each process that runs test files. */
const target = join(inject('cliFolder'), String(process.pid))
let built: Promise<string> | undefined

/**
 * The command line as one program made of the sources: what is run is what is tested, and nothing
 * needs to be built before.
 */
export function buildCli(): Promise<string> {
  built ??= bundle()
  return built
}

async function bundle(): Promise<string> {
  mkdirSync(target, { recursive: true })
  copyFileSync(join(folder, 'package.json'), join(target, 'package.json'))
  const file = join(target, 'dist/main.js')
  const alias = Object.fromEntries(
    discoverWorkspaces().flatMap(({ dir, entries }) =>
      entries.map(({ specifier, source }) => [specifier, join(dir, source)]),
    ),
  )
  const { metafile } = await build({
    entryPoints: [join(folder, 'src/main.ts')],
    outdir: dirname(file),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    alias,
    external: ['node-llama-cpp'],
    // Some SDKs still call require.
    banner: {
      js: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`,
    },
    logLevel: 'error',
    metafile: true,
  })
  writeFileSync(join(target, 'meta.json'), JSON.stringify(metafile))
  return file
}

import { copyFileSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Options } from 'tsup'
import { writeDeclarations } from './scripts/declarations.js'

interface Manifest {
  readonly browser?: Readonly<Record<string, string | false>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The build of a package, which another can continue. */
export interface Library extends Options {
  readonly onSuccess: () => Promise<void>
}

const nameOf = (file: string): string => basename(file).replace(/\.[jt]s$/, '')

/** An entry's output: `src/ui/ui.ts` is `ui/ui`. */
const outputOf = (file: string): string => file.replace(/^src\/|\.ts$/g, '')

/**
 * A build contains the parts that it needs of a development dependency: zod's own entries load 90
 * files, for a tenth of them.
 */
const copyLicense = (folder: string): void => {
  copyFileSync(join(folder, 'node_modules/zod/LICENSE'), join(folder, 'dist/zod-notice.txt'))
}

/**
 * The build every package shares: ESM with declarations and source maps, one output file per entry.
 * The manifest names what the bundle of a browser replaces, by another file or by none: it stays a
 * file of its own, next to the entry, whichever folder its source is in.
 */
export function library(...entries: string[]): Library {
  const folder = process.cwd()
  const { browser = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest
  const replaced = Object.keys(browser).map(nameOf)
  const internal = [...replaced, ...Object.values(browser).map((file) => nameOf(String(file)))]
  const isInternal = (file: string): boolean => internal.includes(nameOf(file))

  return {
    entry: Object.fromEntries(
      entries.map((file) => [isInternal(file) ? nameOf(file) : outputOf(file), file]),
    ),
    format: ['esm'],
    sourcemap: true,
    clean: true,
    splitting: true,
    target: 'es2022',
    treeshake: true,
    // `node:sqlite` has no name without the prefix, and a package must not resolve to one of the
    // same name.
    removeNodeProtocol: false,
    external: replaced.map((name) => `./${name}.js`),
    // esbuild's own is that of the first package which this process built.
    esbuildOptions: (options) => {
      options.absWorkingDir = folder
      // A comment names the file of each part: by its link, which is the same wherever the
      // dependencies are stored.
      options.preserveSymlinks = true
    },
    onSuccess: async () => {
      await writeDeclarations(
        Object.fromEntries(
          entries
            .filter((file) => !isInternal(file))
            .map((file) => [outputOf(file), join(folder, file)]),
        ),
        join(folder, 'dist'),
      )
      if ('zod' in devDependencies) copyLicense(folder)
    },
  }
}

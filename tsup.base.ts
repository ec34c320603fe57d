import { copyFileSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { defineConfig } from 'tsup'

/**
 * What the manifest says the bundle of a browser takes: for a file of this package another one, or
 * none.
 */
const { browser = {}, devDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly browser?: Readonly<Record<string, string | false>>
  readonly devDependencies?: Readonly<Record<string, string>>
}
const nameOf = (file: string): string => basename(file).replace(/\.[jt]s$/, '')
const replaced = Object.keys(browser).map(nameOf)
const internal = [...replaced, ...Object.values(browser).map((file) => nameOf(String(file)))]

/** What a browser's bundle replaces stands next to the entry, whichever folder its source is in. */
const outputOf = (file: string): string =>
  internal.includes(nameOf(file)) ? nameOf(file) : file.replace(/^src\/|\.ts$/g, '')

/**
 * A build contains the parts that it needs of a development dependency: zod's own entries load 90
 * files, for a tenth of them.
 */
const copyLicense = async (): Promise<void> => {
  if ('zod' in devDependencies) copyFileSync('node_modules/zod/LICENSE', 'dist/zod-notice.txt')
}

/**
 * The build every package shares: ESM with declarations and source maps, one output file per entry.
 * What the bundle of a browser replaces stays a file of its own.
 */
export const library = (...entry: string[]): ReturnType<typeof defineConfig> =>
  defineConfig({
    entry: Object.fromEntries(entry.map((file) => [outputOf(file), file])),
    format: ['esm'],
    dts: { entry: entry.filter((file) => !internal.includes(nameOf(file))) },
    sourcemap: true,
    clean: true,
    splitting: true,
    target: 'es2022',
    treeshake: true,
    // `node:sqlite` has no name without the prefix, and a package must not resolve to one of the
    // same name.
    removeNodeProtocol: false,
    onSuccess: copyLicense,
    external: replaced.map((name) => `./${name}.js`),
  })

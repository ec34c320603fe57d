import { readdirSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { discoverWorkspaces, publishedPackages, root } from '../../scripts/workspaces.ts'

const sources = new Map(
  discoverWorkspaces().flatMap(({ dir, entries }) =>
    entries.map(({ specifier, source }) => [specifier, join(dir, source)] as const),
  ),
)
const llama = join(root, 'packages/provider-llamacpp/node_modules/node-llama-cpp')

/** Takes packages of this repository from their sources, so that nothing has to be built before. */
const workspace: Plugin = {
  name: 'workspace',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@modelport\// }, ({ path }) => {
      const source = sources.get(path)
      return source === undefined ? undefined : { path: source }
    })
  },
}

const isPublished = new Set(
  publishedPackages().flatMap(({ entries }) => entries.map(({ specifier }) => specifier)),
)

/** Takes published packages as an application has them, which installed them in `folder`. */
export const installedIn = (folder: string): Plugin => ({
  name: 'installed packages',
  setup: ({ initialOptions, onResolve, resolve }) => {
    onResolve({ filter: /^@modelport\// }, ({ path, kind, pluginData }) => {
      if (pluginData === installedIn || !isPublished.has(path)) return undefined
      // A program of Node finds them itself, as it runs in that folder.
      if (initialOptions.platform === 'node') return { path, external: true }
      return resolve(path, { kind, resolveDir: folder, pluginData: installedIn })
    })
  },
})

/** Leaves what Node brings, and the native package, where they are. */
const forNode: Plugin = {
  name: 'for Node',
  setup: ({ onResolve }) => {
    // Node's own modules by their full names, which every runtime knows.
    onResolve({ filter: /^[a-z_/]+$/ }, ({ path }) =>
      builtinModules.includes(path) ? { path: `node:${path}`, external: true } : undefined,
    )
    onResolve({ filter: /^node-llama-cpp$/ }, () => ({
      path: pathToFileURL(join(realpathSync(llama), 'dist/index.js')).href,
      external: true,
    }))
  },
}

// A dependency that is written for `require` finds Node's own modules by this.
const banner =
  "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)"

/**
 * Makes programs that run without vitest, in any runtime, of TypeScript files: what is imported
 * later stays in files of its own.
 * @param entries name of a program → its file
 * @param more plugins that come before our own
 * @returns name of a program → the file to run, in `folder`
 */
export async function bundlePrograms<Name extends string>(
  folder: string,
  entries: Readonly<Record<Name, string>>,
  more: readonly Plugin[] = [],
): Promise<Record<Name, string>> {
  await build({
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
    plugins: [...more, workspace, forNode],
    banner: { js: banner },
  })
  return Object.fromEntries(
    Object.keys(entries).map((name) => [name, join(folder, `${name}.mjs`)]),
  ) as Record<Name, string>
}

/**
 * What a package's manifest says the bundle of a browser takes for a module, by their sources:
 * another one, or nothing.
 */
const browserField: Plugin = {
  name: 'browser field',
  setup: ({ onLoad }) => {
    // A build has its files side by side, the sources are in folders: what is replaced is found by
    // its name.
    const replaced = new Map<string, string>()
    for (const { dir, manifest } of discoverWorkspaces()) {
      for (const [file, other] of Object.entries(manifest['browser'] ?? {})) {
        const name = basename(file).replace(/\.js$/, '.ts')
        for (const path of readdirSync(join(dir, 'src'), { recursive: true, encoding: 'utf8' }))
          if (basename(path) === name)
            replaced.set(
              join(dir, 'src', path),
              other
                ? `export * from ${JSON.stringify(String(other).replace('/dist/', '/'))}`
                : 'export {}',
            )
      }
    }
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = replaced.get(path)
      return contents === undefined ? undefined : { contents, resolveDir: dirname(path) }
    })
  },
}

/**
 * Makes a program for browsers and workers, in one file, as a bundler makes it of the packages.
 * @param more plugins that come before our own
 */
export async function bundleForBrowser(
  entry: string | { readonly contents: string },
  options: Pick<
    BuildOptions,
    'format' | 'ignoreAnnotations' | 'globalName' | 'minify' | 'external' | 'conditions'
  > = {},
  more: readonly Plugin[] = [],
): Promise<string> {
  const input =
    typeof entry === 'string'
      ? { entryPoints: [entry] }
      : { stdin: { contents: entry.contents, resolveDir: root, loader: 'ts' as const } }
  const { outputFiles } = await build({
    ...input,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    plugins: [...more, workspace, browserField],
    ...options,
    write: false,
  })
  const [{ text } = { text: '' }] = outputFiles
  return text
}

// The packages of this repository, found on disk: no list to keep up to date.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

const folders = () =>
  ['packages', 'examples']
    .flatMap((parent) =>
      existsSync(join(root, parent))
        ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
        : [],
    )
    .concat('bench', 'test/formats')
    .filter((path) => existsSync(join(root, path, 'package.json')))
    .sort()

/**
 * `{ ".": { default: "./dist/index.js" } }` →
 * `[{ specifier: "@modelport/core", source: "src/index.ts" }]`
 */
const entries = (manifest) =>
  Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, target]) => ({
      specifier: manifest.name + subpath.slice(1),
      output: target.default.replace(/^\.\//, ''),
      source: target.default.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'),
    }))

/** Every workspace package: libraries, examples, benchmark. */
export const discoverWorkspaces = () =>
  folders().map((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
    const dir = join(root, path)
    return {
      path,
      dir,
      manifest,
      name: manifest.name,
      shortName: manifest.name.replace(/^@modelport\//, ''),
      isPrivate: manifest.private === true,
      entries: entries(manifest),
    }
  })

/** What is released: the packages that are not private. */
export const publishedPackages = () =>
  discoverWorkspaces().filter(({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate)

/** Ends the program where an entry of these packages is not built. */
export const requireBuild = (workspaces) => {
  const missing = workspaces.flatMap(({ dir, entries }) =>
    entries.filter(({ output }) => !existsSync(join(dir, output))),
  )
  if (missing.length > 0)
    throw new Error(
      `run \`pnpm run build\` first: there is no ${missing.map(({ specifier }) => specifier).join(', ')}`,
    )
}

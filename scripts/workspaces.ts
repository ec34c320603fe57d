// The packages of this repository, found on disk: no list to keep up to date.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A `package.json`, as far as anybody here reads it. */
interface Manifest {
  readonly [field: string]: unknown
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

/** One entry of a package. */
interface Entry {
  /** For example `@modelport/core/settings`. */
  readonly specifier: string
  /** The built file, from the folder of the package. */
  readonly output: string
  /** The source that it is built from. */
  readonly source: string
}

/** One package of this repository. */
export interface Workspace {
  /** Path from the repository root, for example `packages/core`. */
  readonly path: string
  /** Absolute path. */
  readonly dir: string
  readonly manifest: Manifest
  /** For example `@modelport/core`. */
  readonly name: string
  /** Name without the scope; also the vitest project. */
  readonly shortName: string
  readonly isPrivate: boolean
  readonly entries: readonly Entry[]
}

/** Absolute path of the repository. */
export const root: string = fileURLToPath(new URL('..', import.meta.url))

const folders = (): string[] =>
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
const entriesOf = ({ name, exports = {} }: Manifest): readonly Entry[] =>
  Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            specifier: name + subpath.slice(1),
            output: target.default.replace(/^\.\//, ''),
            source: target.default.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'),
          },
        ],
  )

/** Every workspace package: libraries, examples, benchmark. */
export const discoverWorkspaces = (): readonly Workspace[] =>
  folders().map((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest
    const dir = join(root, path)
    return {
      path,
      dir,
      manifest,
      name: manifest.name,
      shortName: manifest.name.replace(/^@modelport\//, ''),
      isPrivate: manifest.private === true,
      entries: entriesOf(manifest),
    }
  })

/** What is released: the packages that are not private. */
export const publishedPackages = (): readonly Workspace[] =>
  discoverWorkspaces().filter(({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate)

/** Ends the program where an entry of these packages is not built. */
export const requireBuild = (workspaces: readonly Workspace[]): void => {
  const missing = workspaces.flatMap(({ dir, entries }) =>
    entries.filter(({ output }) => !existsSync(join(dir, output))),
  )
  if (missing.length > 0)
    throw new Error(
      `run \`pnpm run build\` first: there is no ${missing.map(({ specifier }) => specifier).join(', ')}`,
    )
}

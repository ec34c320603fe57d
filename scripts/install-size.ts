// What installing a package costs, as a table: measured in the store that the lockfile filled, so
// it needs no network and is the same each time.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Workspace } from './workspaces.ts'

/** What a `package.json` says of other packages. */
interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

/** What npm installs with a package. */
interface Closure {
  /** The folders. */
  readonly found: Set<string>
  /** The optional packages that are not installed here. */
  readonly absent: Set<string>
}

const manifestOf = (dir: string): Manifest =>
  JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest

/** Bytes of a folder's files, without what it installed itself. */
export const bytesOf = (dir: string): number =>
  readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesOf(path)
    return sum + lstatSync(path).size
  }, 0)

/** Sizes of the files in a tarball. */
const unpackedBytes = (tarball: string): number =>
  execFileSync('tar', ['-tzvf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(/^\S+\s+\S+\s+(\d+)/.exec(line)?.[1]), 0)

/** Where a package finds another one, as Node looks for it. */
export function locate(name: string, from: string): string | undefined {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir)) {
    const path = join(dir, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
  }
  return undefined
}

/**
 * Folders of everything that npm installs with a package, and the optional packages that are not
 * installed here.
 */
export function closure(
  dir: string,
  found = new Set<string>(),
  absent = new Set<string>(),
): Closure {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifestOf(dir)
  const peers = Object.keys(peerDependencies).filter(
    (name) => !peerDependenciesMeta[name]?.optional,
  )
  for (const name of new Set([
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
    ...peers,
  ])) {
    const path = locate(name, dir)
    if (!path) absent.add(name)
    else if (!found.has(path)) closure(path, found.add(path), absent)
  }
  return { found, absent }
}

const kB = (bytes: number): string =>
  `${(bytes / 1000).toLocaleString('en-US', { maximumFractionDigits: bytes < 100_000 ? 1 : 0 })} kB`

/** Prints the table. `tarballs`: short name → path of the packed package. */
export function printInstallSizes(
  workspaces: readonly Workspace[],
  tarballs: ReadonlyMap<string, string>,
): void {
  const tarballOf = (shortName: string): string => tarballs.get(shortName) ?? ''
  const unpacked = new Map(
    workspaces.map(({ dir, shortName }) => [
      realpathSync(dir),
      unpackedBytes(tarballOf(shortName)),
    ]),
  )
  const rows = workspaces.map(({ dir, name, shortName }) => {
    const { found, absent } = closure(dir)
    const own = unpacked.get(realpathSync(dir)) ?? 0
    const all = [...found].reduce((sum, path) => sum + (unpacked.get(path) ?? bytesOf(path)), own)
    return [
      name,
      kB(statSync(tarballOf(shortName)).size),
      kB(own),
      kB(all),
      String(found.size + 1),
      absent.size ? `without ${absent.size} optional packages that this lockfile leaves out` : '',
    ]
  })
  const head = ['package', 'packed', 'unpacked', 'installed with dependencies', 'packages', '']
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [head, ...rows])
    console.log(
      row
        .map((text, column) =>
          column === 0 || column === 5
            ? text.padEnd(widths[column] ?? 0)
            : text.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
}

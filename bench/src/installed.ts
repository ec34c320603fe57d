import { existsSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bytesOf, closure, locate } from '../../scripts/install-size.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const own = fileURLToPath(new URL('../../packages/', import.meta.url))

/** Counts only the published files of our own packages. */
function publishedBytes(path: string): number {
  if (!(path + sep).startsWith(own)) return bytesOf(path)
  const files = ['package.json', 'README.md', 'LICENSE']
    .map((name) => join(path, name))
    .filter((file) => existsSync(file))
  return files.reduce((sum, file) => sum + statSync(file).size, bytesOf(join(path, 'dist')))
}

/** The package of a module: `@scope/name/sub` → `@scope/name`. */
export const packageOf = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/')

/**
 * What npm installs for these modules: their packages with all dependencies and those peers that
 * are not optional.
 */
export function installedMegabytes(modules: readonly string[]): number {
  const found = new Set<string>()
  for (const name of new Set(modules.map(packageOf))) {
    const path = locate(name, folder)
    if (!path) throw new Error(`${name} is not installed`)
    closure(path, found.add(path))
  }
  return [...found].reduce((sum, path) => sum + publishedBytes(path), 0) / 1e6
}

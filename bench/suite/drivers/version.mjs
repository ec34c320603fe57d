import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version of an installed package, of which only its entry may be importable. */
export function versionOf(name) {
  let folder = fileURLToPath(import.meta.resolve(name))
  while (folder !== dirname(folder)) {
    folder = dirname(folder)
    const file = join(folder, 'package.json')
    const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    if (manifest.name === name) return manifest.version
  }
  throw new Error(`${name} has no package.json`)
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The version of an installed package, of which only its entry may be importable. */
export function versionOf(name) {
  const { resolve } = createRequire(import.meta.url)
  for (let folder = dirname(resolve(name)); ; folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      if (manifest.name === name) return manifest.version
    } catch {
      if (folder === dirname(folder)) throw new Error(`${name} has no package.json`)
    }
  }
}

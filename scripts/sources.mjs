// Runs the sources as they are: `.js` in an import is the `.ts` next to it, and a package of this
// repository is its source.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { discoverWorkspaces } from './workspaces.ts'

const sources = new Map(
  discoverWorkspaces().flatMap(({ dir, entries }) =>
    entries.map(({ specifier, source }) => [specifier, pathToFileURL(join(dir, source)).href]),
  ),
)

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier)
    if (source) return next(source, context)
    if (
      specifier.startsWith('.') &&
      specifier.endsWith('.js') &&
      context.parentURL?.endsWith('.ts')
    ) {
      const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      if (existsSync(fileURLToPath(url))) return next(url.href, context)
    }
    return next(specifier, context)
  },
})

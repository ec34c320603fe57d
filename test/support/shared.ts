import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../shared/', import.meta.url))

/**
 * Path of a file in the `shared` folder next to the repository; undefined, with the reason printed, if there is none.
 * Large test data lives there, outside the repository.
 * @example const corpus = sharedPath('corpus'); describe.skipIf(!corpus)('corpus', …)
 */
export function sharedPath(name: string): string | undefined {
  const path = folder + name
  if (existsSync(path)) return path
  console.log(`skipped: ../shared/${name} is not there`)
  return undefined
}

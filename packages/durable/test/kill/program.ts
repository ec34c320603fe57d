// The worker as one program: it starts five times faster than from its sources, so that more kills
// hit work and fewer hit a start.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../../test/support/bundle.js'
import type { Mutant } from './mutants.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

type Plugins = NonNullable<Parameters<typeof bundlePrograms>[2]>

/** Puts a mistake into the sources on their way into a program. */
const mutate = ({ changes }: Mutant): Plugins =>
  [...new Set(changes.map(([file]) => file))].map((file) => ({
    name: 'mutant',
    setup: ({ onLoad }) => {
      onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, ({ path }) => {
        let contents = readFileSync(path, 'utf8')
        for (const [, find, put] of changes.filter(([of]) => of === file)) {
          if (contents.split(find).length !== 2)
            throw new Error(`${file} does not have once: ${find}`)
          contents = contents.replace(find, () => put)
        }
        return { contents, loader: 'ts' }
      })
    },
  }))

/** Makes the programs in `folder`: a worker, and every pair of cuts of one case. */
export const bundleKill = (
  folder: string,
  mutant?: Mutant,
): Promise<{ readonly worker: string; readonly cuts: string }> =>
  bundlePrograms(
    folder,
    {
      worker: here('./adapter/worker.ts'),
      cuts: here('./cut-main.ts'),
      // The store looks for the file of its thread next to its own.
      'sqlite-thread': here('../../src/sqlite/sqlite-thread.ts'),
    },
    mutant && mutate(mutant),
  )

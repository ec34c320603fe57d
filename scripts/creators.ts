// What a provider package creates, read from the names that its entry exports.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from './workspaces.ts'

/** Functions of a package that create something, by what the factory calls them. */
const endings: Readonly<Record<string, string>> = {
  Embedder: 'createEmbedder',
  Batches: 'createBatches',
  Files: 'createFiles',
  AccessToken: 'createAccessToken',
}

/** The values that the entry of a package exports. */
const exportsOf = ({ dir }: Workspace): readonly string[] =>
  [...readFileSync(join(dir, 'src/index.ts'), 'utf8').matchAll(/^export \{([^}]*)\}/gm)].flatMap(
    ([, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type ')),
  )

/** What the factory loads from a package: its own name of a creator, and that of the package. */
export function creatorsOf(workspace: Workspace): Readonly<Record<string, string>> {
  const names = exportsOf(workspace)
  const creators = names.filter((name) => /^create[A-Z]/.test(name))
  const isNext = (name: string): boolean =>
    Object.keys(endings).some((ending) => name.endsWith(ending))
  const [createProvider, ...others] = creators.filter((name) => !isNext(name))
  if (createProvider === undefined || others.length > 0)
    throw new Error(
      `${workspace.path}/src/index.ts: export one function createNAME that makes the provider; ` +
        `others are named createNAME with ${Object.keys(endings).join(', ')} after it`,
    )
  return {
    createProvider,
    ...Object.fromEntries(
      Object.entries(endings).flatMap(([ending, name]) => {
        const creator = creators.find((one) => one === createProvider + ending)
        return creator === undefined ? [] : [[name, creator]]
      }),
    ),
    ...(names.includes('listModels') && { listModels: 'listModels' }),
  }
}

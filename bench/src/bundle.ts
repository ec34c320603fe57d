import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

const folder = fileURLToPath(new URL('..', import.meta.url))
const tried = Symbol('tried')

/** Leaves Node's own modules out, and notes them, where the package says nothing better. */
const leaveOut = (found: Set<string>): Plugin => ({
  name: 'builtins',
  setup: ({ onResolve, resolve }) => {
    onResolve(
      { filter: new RegExp(`^(?:node:.*|(?:${builtinModules.join('|')})(?:/.*)?)$`) },
      async ({ path, pluginData, ...rest }) => {
        if (pluginData === tried) return undefined
        const result = await resolve(path, {
          importer: rest.importer,
          kind: rest.kind,
          resolveDir: rest.resolveDir,
          pluginData: tried,
        })
        if (result.errors.length === 0) return result
        found.add(path.replace(/^node:/, ''))
        return { path, external: true }
      },
    )
  },
})

/**
 * What an application's bundle weighs that uses these names, and the modules of Node that it needs.
 * The repository's paths to sources are not those of an application: they are not read.
 */
export async function bundle(
  uses: Readonly<Record<string, readonly string[]>>,
  conditions: string[],
): Promise<{ readonly kilobytes: number; readonly builtins: readonly string[] }> {
  const names = Object.entries(uses).flatMap(([module, exported]) =>
    exported.map((name) => [module, name] as const),
  )
  const contents = names
    .map(([module, name], index) => `export { ${name} as used${index} } from '${module}'`)
    .join('\n')
  const found = new Set<string>()
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions,
    logLevel: 'silent',
    tsconfigRaw: {},
    plugins: [leaveOut(found)],
  })
  return {
    kilobytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000,
    builtins: [...found].sort(),
  }
}

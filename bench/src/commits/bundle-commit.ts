import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { discoverWorkspaces } from '../../../scripts/workspaces.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const outside = Symbol('outside')

/**
 * The packages of the commit are its sources; what others wrote is what this checkout installed.
 */
const ofCommit = (folder: string): Plugin => {
  const sources = new Map(
    discoverWorkspaces().flatMap(({ dir, entries }) =>
      entries.map(
        ({ specifier, source }) => [specifier, join(folder, relative(root, dir), source)] as const,
      ),
    ),
  )
  return {
    name: 'a commit',
    setup: ({ onResolve, resolve }) => {
      onResolve({ filter: /^@modelport\// }, ({ path }) => {
        const source = sources.get(path)
        return source !== undefined && existsSync(source) ? { path: source } : undefined
      })
      onResolve({ filter: /^[^./]/ }, ({ path, kind, resolveDir, pluginData }) => {
        if (folder === root || pluginData === outside || !resolveDir.startsWith(folder))
          return undefined
        const [area = '', name = ''] = relative(folder, resolveDir).split('/')
        return resolve(path, { kind, resolveDir: join(root, area, name), pluginData: outside })
      })
    },
  }
}

/**
 * Writes a program in one file that exports `infer`, `defineTool` and a provider, as they are at a
 * commit. `.` stands for the working tree.
 */
export async function bundleCommit(commit: string, into: string): Promise<string> {
  const folder = commit === '.' ? root : join(into, 'sources')
  if (commit !== '.') {
    mkdirSync(folder, { recursive: true })
    const archive = execFileSync('git', ['archive', commit, 'packages'], {
      cwd: root,
      maxBuffer: 2 ** 30,
    })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  }
  const outfile = join(into, 'program.mjs')
  await build({
    stdin: {
      contents: `export { infer, defineTool } from '@modelport/runtime'
        export { createOpenAICompatible } from '@modelport/provider-openai-compatible'`,
      resolveDir: join(folder, 'packages/runtime'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    tsconfigRaw: {},
    logLevel: 'error',
    plugins: [ofCommit(folder)],
    // What is written for `require` finds Node's own modules by this.
    banner: {
      js: `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)`,
    },
  })
  return outfile
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../test/support/bundle.js'
import { kitFolder, type Peer } from './peers.ts'

/**
 * Our adapter as one program of the sources, so that nothing has to be built. The store looks for
 * the file of its thread next to its own.
 */
export const bundleModelport = async (folder: string): Promise<string> => {
  const { modelport } = await bundlePrograms(folder, {
    modelport: join(kitFolder, 'peers/modelport.mjs'),
    'sqlite-thread': fileURLToPath(
      new URL('../../../packages/durable/src/sqlite/sqlite-thread.ts', import.meta.url),
    ),
  })
  return modelport
}

/** The program of a peer's adapter; the other libraries are installed for the first of them. */
export function programOf({ adapter }: Peer): string {
  if (!existsSync(join(kitFolder, 'node_modules'))) install()
  if (adapter !== 'workflow') return join(kitFolder, `peers/${adapter}.mjs`)
  const folder = join(kitFolder, 'peers/workflow')
  const program = join(folder, '.output/server/index.mjs')
  if (!existsSync(program)) run('npx', ['nitro', 'build'], folder)
  return program
}

function install(): void {
  // A native module is built for this Node, from its own headers if it has them.
  const ofNode = dirname(dirname(process.execPath))
  const headers = existsSync(join(ofNode, 'include/node')) ? { npm_config_nodedir: ofNode } : {}
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], kitFolder, headers)
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): void {
  console.log(`${command} ${args.join(' ')}`)
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      ...env,
    },
  })
}

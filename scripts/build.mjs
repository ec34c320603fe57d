// Builds every package anew in one process, in a third of the time of `turbo run build`, which
// starts pnpm and tsup for each package but leaves out those that did not change. Both build by
// `packages/*/tsup.config.ts`.
import './sources.mjs'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'tsup'
import { discoverWorkspaces } from './workspaces.ts'

for (const { dir, name } of discoverWorkspaces()) {
  const config = join(dir, 'tsup.config.ts')
  if (!existsSync(config)) continue
  const start = performance.now()

  process.chdir(dir)
  const { default: options } = await import(pathToFileURL(config).href)
  await build({ ...options, config: false, silent: true })

  console.log(`${name}: ${Math.round(performance.now() - start)} ms`)
}

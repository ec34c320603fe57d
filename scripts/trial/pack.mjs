// Packs every public package, as a release does.
import { execFile } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writePackagePages } from '../teach/package-pages.mjs'
import { root } from '../workspaces.ts'

const run = promisify(execFile)

/** Whether a tarball holds what users need, and nothing else. */
function problemsOf({ shortName, entries }, listing, manifest) {
  const strays = listing.filter(
    (path) => !/^(?:dist\/|docs\/[\w-]+\.md$|package\.json$|README\.md$|LICENSE$)/.test(path),
  )
  const missing = entries.filter(({ output }) => !listing.includes(output))
  return [
    strays.length > 0 && `${shortName} holds more than users need: ${strays.join(', ')}`,
    !listing.includes('LICENSE') && `${shortName} has no licence`,
    missing.length > 0 &&
      `${shortName} lacks its entries ${missing.map(({ output }) => output).join(', ')}`,
    JSON.stringify(manifest).includes('workspace:') && `${shortName} depends on the workspace`,
  ].filter((text) => text !== false)
}

/** Packs these packages into the folder, in one process: each `pnpm pack` takes a second. */
async function pack(workspaces, folder) {
  if (workspaces.length === 0) return
  // What the script `prepack` of a package does, without a process for each.
  for (const workspace of workspaces) writePackagePages(workspace)

  const filters = workspaces.map(({ path }) => `--filter=./${path}`)
  const out = join(folder, '%s.tgz')
  await run('pnpm', [...filters, '-r', 'pack', '--config.ignore-scripts=true', '--out', out], {
    cwd: root,
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  })
  for (const { name, shortName } of workspaces)
    renameSync(
      join(folder, `${name.replace('@', '').replace('/', '-')}.tgz`),
      join(folder, `${shortName}.tgz`),
    )
}

async function read(workspace, file) {
  const { stdout: paths } = await run('tar', ['-tzf', file])
  const { stdout: json } = await run('tar', ['-xzOf', file, 'package/package.json'])
  const listing = paths
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
  const manifest = JSON.parse(json)
  return { file, manifest, problems: problemsOf(workspace, listing, manifest) }
}

/**
 * Tarballs of these packages by their short names. With `keep` those that another step of the same
 * check has packed into the folder are not packed again.
 */
export async function packAll(workspaces, folder, { keep = false } = {}) {
  const fileOf = ({ shortName }) => join(folder, `${shortName}.tgz`)
  await pack(
    workspaces.filter((workspace) => !keep || !existsSync(fileOf(workspace))),
    folder,
  )

  const packed = new Map()
  for (const workspace of workspaces)
    packed.set(workspace.shortName, await read(workspace, fileOf(workspace)))
  return packed
}

// Packs every public package, as a release does.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writePackagePages } from '../teach/package-pages.mjs'

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

async function pack(workspace, folder, keep) {
  const file = join(folder, `${workspace.shortName}.tgz`)
  if (!keep || !existsSync(file)) {
    // What the script `prepack` of a package does, without a process for each.
    writePackagePages(workspace)
    await run('pnpm', ['pack', '--config.ignore-scripts=true', '--out', file], {
      cwd: workspace.dir,
      shell: process.platform === 'win32',
    })
  }
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
 * Tarballs of these packages by their short names, two at a time. With `keep` those that another
 * step of the same check has packed into the folder are not packed again.
 */
export async function packAll(workspaces, folder, { keep = false } = {}) {
  const packed = new Map(workspaces.map(({ shortName }) => [shortName, undefined]))
  const waiting = [...workspaces]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      packed.set(next.shortName, await pack(next, folder, keep))
  }
  await Promise.all([worker(), worker()])
  return packed
}

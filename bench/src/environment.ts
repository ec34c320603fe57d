import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { locate } from '../../scripts/install-size.ts'
import { apis } from './bodies.ts'
import { packageOf } from './installed.ts'
import type { Row } from './row.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

function version(name: string): string {
  const path = locate(name, folder)
  if (!path) return 'not installed'
  return String(
    (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { readonly version: unknown })
      .version,
  )
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}

/** The load average of 1, 5 and 15 minutes. */
export const load = (): string =>
  loadavg()
    .map((each) => each.toFixed(2))
    .join(', ')

/** What the numbers depend on: the machine, its load, the versions of everything measured. */
export function environment(rows: readonly Row[], absent: readonly string[]): string[] {
  const processors = cpus()
  const names = new Set(
    rows.flatMap((row) => row.apis.flatMap((api) => Object.keys(row.uses(api)).map(packageOf))),
  )
  const foreign = [...names].filter((name) => !name.startsWith('@modelport/')).sort()
  const peers = rows.some(({ kind }) => kind === 'peer')
  return [
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, modelport at commit ${commit()}, Node ${process.versions.node}`,
    `- ${processors[0]?.model ?? 'unknown processor'}, ${processors.length} cores, ${(totalmem() / 1e9).toFixed(1)} GB; load average at the start ${load()}`,
    `- APIs: ${apis.join(', ')}; plain HTTP/1.1 from a server in its own process on this machine`,
    `- ${foreign.map((name) => `${name} ${version(name)}`).join(', ')}`,
    ...(peers ? absent.map((reason) => `- Not measured: ${reason}`) : []),
    '',
  ]
}

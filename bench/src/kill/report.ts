import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cost } from './cost.ts'
import { moments } from './moments.ts'
import { kitFolder, type Peer } from './peers.ts'
import type { Outcome } from './try.ts'

/** What became of one library's jobs. */
export interface PeerResult {
  readonly name: string
  readonly versions: readonly string[]
  readonly usualMs: number
  readonly outcomes: Readonly<Record<string, readonly Outcome[]>>
  readonly cost: Cost
}

/** Names and installed versions of a peer's packages. */
export const versionsOf = ({ packages }: Peer): readonly string[] =>
  packages.map((name) => {
    const manifest = readFileSync(join(kitFolder, 'node_modules', name, 'package.json'), 'utf8')
    return `${name} ${(JSON.parse(manifest) as { version: string }).version}`
  })

const count = (own: readonly Outcome[], is: (outcome: Outcome) => boolean): number =>
  own.filter(is).length

/** The row of a moment: tries by what became of them. A try can be in several columns. */
function rowOf(name: string, own: readonly Outcome[]): string {
  const doubled = count(own, (one) => one.doubled.length > 0)
  const sameKey = count(own, (one) => one.doubled.length > 0 && one.sameKey === one.doubled.length)
  const recovery = own.flatMap(({ recoveryMs }) => recoveryMs ?? []).toSorted((a, b) => a - b)
  const median = recovery[Math.floor(recovery.length / 2)]
  return [
    '',
    name,
    own.length,
    count(
      own,
      (one) => one.stuck === undefined && one.doubled.length === 0 && one.lost.length === 0,
    ),
    doubled ? `${doubled} (${sameKey})` : 0,
    count(own, ({ lost }) => lost.length > 0),
    count(own, ({ stuck }) => stuck !== undefined),
    count(own, ({ asked }) => asked > 0),
    median === undefined ? '–' : `${(median / 1000).toFixed(1)} s`,
    '',
  ]
    .join(' | ')
    .trim()
}

const upper = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`

const head = [
  '| library | tries | once | doubled (same key) | lost | stuck | asked | back after |',
  '|---|--:|--:|--:|--:|--:|--:|--:|',
]

/**
 * The results as Markdown: a table of all kills, one for each moment, the reasons of the stuck, the
 * costs, the versions.
 */
export function toMarkdown(results: readonly PeerResult[]): string {
  const lines = ['### All kills', '', ...head]
  const kills = moments.filter(({ losesReply }) => !losesReply)
  for (const { name, outcomes } of results)
    lines.push(
      rowOf(
        name,
        kills.flatMap((kill) => outcomes[kill.name] ?? []),
      ),
    )
  for (const { name, about, losesReply } of moments) {
    lines.push(
      '',
      `### ${losesReply ? upper(name) : `Killed ${name}`}`,
      '',
      `${upper(about)}.`,
      '',
      ...head,
    )
    for (const result of results)
      if (result.outcomes[name]) lines.push(rowOf(result.name, result.outcomes[name]))
  }
  lines.push('', '### What the stuck reported', '')
  for (const { name, outcomes } of results) {
    const reasons = new Map<string, number>()
    for (const { stuck } of Object.values(outcomes).flat())
      if (stuck !== undefined) reasons.set(stuck, (reasons.get(stuck) ?? 0) + 1)
    for (const [reason, times] of reasons)
      lines.push(`- ${name}, ${times} times: \`${reason.replaceAll('`', "'").slice(0, 200)}\``)
  }
  lines.push(
    '',
    '### What a step costs',
    '',
    '| library | CPU of the worker | write calls | bytes written |',
    '|---|--:|--:|--:|',
  )
  for (const { name, cost } of results)
    lines.push(
      `| ${name} | ${cost.cpuMs.toFixed(1)} ms | ${cost.writes.toFixed(0)} | ${(cost.bytes / 1024).toFixed(0)} kB |`,
    )
  lines.push('', '### Versions', '')
  for (const { name, versions } of results)
    lines.push(`- ${name}: ${versions.length > 0 ? versions.join(', ') : 'this repository'}`)
  lines.push(`- Node ${process.versions.node}`)
  return lines.join('\n')
}

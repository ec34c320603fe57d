import type { LockedServer, Proposal } from './lock.js'
import type { ToolPin } from './pin.js'
import { toVisibleText } from './visible-text.js'

/** What a server changed since its tools were pinned. */
export interface McpChange {
  /** The server's name in the settings. */
  readonly server: string
  /** The server's own names of the tools that are new, changed or gone. */
  readonly tools: readonly string[]
  /**
   * The difference in words, a line for each part. Characters that are hidden are shown as
   * `\u{E0041}`.
   */
  readonly words: string
}

/**
 * What differs from the pins; undefined if nothing does. Every tool of a server that has another
 * address counts as new.
 */
export function compare(
  { address: pinnedAddress, tools }: LockedServer,
  address: string,
  listed: ReadonlyMap<string, ToolPin>,
  isWanted: (name: string) => boolean,
): Proposal | undefined {
  const moved = address !== pinnedAddress
  const pinned = new Map(Object.entries(tools))
  const changed = [...listed].filter(
    ([name, { sha256 }]) => moved || pinned.get(name)?.sha256 !== sha256,
  )
  const gone = [...pinned.keys()].filter((name) => !listed.has(name))
  const differing = [...changed, ...gone.map((name): [string, null] => [name, null])].filter(
    ([name]) => isWanted(name),
  )
  if (!moved && differing.length === 0) return undefined
  return { ...(moved && { address }), tools: Object.fromEntries(differing) }
}

/** The server with the proposed pins. */
export function accept({ address, tools }: LockedServer, proposal: Proposal): LockedServer {
  const kept = proposal.address === undefined ? Object.entries(tools) : []
  const pins = new Map<string, ToolPin | null>([...kept, ...Object.entries(proposal.tools)])
  return {
    address: proposal.address ?? address,
    tools: Object.fromEntries(
      [...pins]
        .filter((entry): entry is [string, ToolPin] => entry[1] !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

const mostLines = 60

/** The difference for people. */
export function describe(server: string, before: LockedServer, proposal: Proposal): McpChange {
  const pinned = new Map(Object.entries(before.tools))
  const lines = Object.entries(proposal.tools).flatMap(([name, pin]) =>
    describeTool(quote(toVisibleText(name)), pinned.get(name), pin),
  )
  if (proposal.address !== undefined)
    lines.unshift(`address: ${toDifference(before.address, proposal.address)}`)
  const more =
    lines.length > mostLines
      ? [`and ${lines.length - mostLines} more lines, which the lock has`]
      : []
  return {
    server,
    tools: Object.keys(proposal.tools),
    words: [...lines.slice(0, mostLines), ...more].join('\n'),
  }
}

function describeTool(
  name: string,
  before: ToolPin | undefined,
  after: ToolPin | null,
): readonly string[] {
  if (!after) return [`tool ${name} is gone`]
  const old = new Map(Object.entries(before?.parts ?? {}))
  const now = new Map(Object.entries(after.parts))
  const paths = [...new Set([...now.keys(), ...old.keys()])].filter(
    (path) => old.get(path) !== now.get(path),
  )
  const isAdded = (path: string): boolean => before !== undefined && !old.has(path)
  const lines = paths.map(
    (path) =>
      `  ${path}: ${isAdded(path) ? 'is new, ' : ''}${toDifference(old.get(path), now.get(path))}`,
  )
  if (before && lines.length === 0) lines.push('  in a part that is too long for the lock')
  return [`tool ${name} ${before ? 'changed' : 'is new'}`, ...lines]
}

const quote = (text: string): string => `"${text.replaceAll(/\r?\n/g, '\\n')}"`

const mostShown = 300
const context = 40

/** Both texts from shortly before they begin to differ. */
function toDifference(before: string | undefined, after: string | undefined): string {
  let start = 0
  while (before !== undefined && after !== undefined && before[start] === after[start]) start++
  const from = start > context * 2 ? start - context : 0
  const show = (text: string): string => {
    const shown = text.slice(from, from + mostShown)
    return `${from ? '…' : ''}${quote(shown)}${text.length > from + mostShown ? '…' : ''}`
  }
  if (before === undefined) return show(after ?? '')
  return after === undefined
    ? `${show(before)} is gone`
    : `was ${show(before)}, is now ${show(after)}`
}

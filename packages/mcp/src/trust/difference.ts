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
  const isMoved = address !== pinnedAddress
  const pinned = new Map(Object.entries(tools))
  const differences: [name: string, pin: ToolPin | null][] = []

  for (const [name, pin] of listed)
    if (isMoved || pinned.get(name)?.sha256 !== pin.sha256) differences.push([name, pin])
  for (const name of pinned.keys()) if (!listed.has(name)) differences.push([name, null])

  const wanted = differences.filter(([name]) => isWanted(name))
  if (!isMoved && wanted.length === 0) return undefined
  return { ...(isMoved && { address }), tools: Object.fromEntries(wanted) }
}

/** The server with the proposed pins. */
export function accept({ address, tools }: LockedServer, proposal: Proposal): LockedServer {
  // At another address nothing is pinned yet.
  const pins = new Map<string, ToolPin>(proposal.address === undefined ? Object.entries(tools) : [])
  for (const [name, pin] of Object.entries(proposal.tools))
    if (pin) pins.set(name, pin)
    else pins.delete(name)

  const byName = [...pins].sort(([a], [b]) => (a < b ? -1 : 1))
  return { address: proposal.address ?? address, tools: Object.fromEntries(byName) }
}

/** Maximum lines of a difference. */
const mostLines = 60

/** The difference for people. */
export function describe(server: string, before: LockedServer, proposal: Proposal): McpChange {
  const pinned = new Map(Object.entries(before.tools))
  const lines = Object.entries(proposal.tools).flatMap(([name, pin]) =>
    describeTool(quote(toVisibleText(name)), pinned.get(name), pin),
  )
  if (proposal.address !== undefined)
    lines.unshift(`address: ${toDifference(before.address, proposal.address)}`)

  const shown = lines.slice(0, mostLines)
  if (lines.length > mostLines)
    shown.push(`and ${lines.length - mostLines} more lines, which the lock has`)
  return { server, tools: Object.keys(proposal.tools), words: shown.join('\n') }
}

function describeTool(
  name: string,
  before: ToolPin | undefined,
  after: ToolPin | null,
): readonly string[] {
  if (!after) return [`tool ${name} is gone`]

  const old = new Map(Object.entries(before?.parts ?? {}))
  const now = new Map(Object.entries(after.parts))
  const lines: string[] = []
  for (const path of new Set([...now.keys(), ...old.keys()])) {
    if (old.get(path) === now.get(path)) continue
    // In a new tool every part is new.
    const isAdded = before !== undefined && !old.has(path)
    const difference = toDifference(old.get(path), now.get(path))
    lines.push(`  ${path}: ${isAdded ? 'is new, ' : ''}${difference}`)
  }

  if (!before) return [`tool ${name} is new`, ...lines]
  if (lines.length === 0) lines.push('  in a part that is too long for the lock')
  return [`tool ${name} changed`, ...lines]
}

const quote = (text: string): string => `"${text.replaceAll(/\r?\n/g, '\\n')}"`

/** Maximum characters that are shown of a text. */
const mostShown = 300
/** Characters before the first difference. */
const context = 40

/** Both texts from shortly before they begin to differ. */
function toDifference(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return show(after ?? '', 0)
  if (after === undefined) return `${show(before, 0)} is gone`

  let start = 0
  while (before[start] === after[start]) start++
  const from = start > context * 2 ? start - context : 0
  return `was ${show(before, from)}, is now ${show(after, from)}`
}

/** A part of a text, with marks where something is left out. */
function show(text: string, from: number): string {
  const end = from + mostShown
  return `${from > 0 ? '…' : ''}${quote(text.slice(from, end))}${text.length > end ? '…' : ''}`
}

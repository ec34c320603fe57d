import type { Tool } from '@modelcontextprotocol/client'
import { LlmError, type Redact } from '@modelport/core'
import type { McpSettings } from '../settings.js'
import { addressOf } from './address.js'
import { accept, compare, describe, type McpChange } from './difference.js'
import { type LockedServer, LockedServers, type McpLock, type Proposal } from './lock.js'
import { pinsOf } from './pin.js'

/** The lock of the settings. */
export async function openLock(lock: string | McpLock): Promise<LockedServers> {
  if (typeof lock !== 'string') return new LockedServers(lock, 'the lock')
  const { openLockFile } = await import('./lock-file.js')
  return new LockedServers(openLockFile(lock), lock)
}

const none: ReadonlySet<string> = new Set()

/** Compares what a server lists with its pins, and asks about differences. */
export class TrustGate {
  readonly #settings: McpSettings
  readonly #redact: Redact
  /** The last difference that was reported or refused. */
  #refused = ''
  #leftOut = none
  /** Names of the tools that were pinned when the list was last compared. */
  pinned: readonly string[] = []
  /** The list that is pinned as a whole. */
  #trusted: readonly Tool[] | undefined

  constructor(settings: McpSettings, redact: Redact) {
    this.#settings = settings
    this.#redact = redact
  }

  /**
   * The names that must not be offered now; the same set while it does not change. The first list
   * of a server is pinned as it is.
   */
  async leftOut(listed: readonly Tool[]): Promise<ReadonlySet<string>> {
    const { lock, name, only, transport } = this.#settings
    if (lock === undefined || this.#trusted === listed) return none
    const servers = await openLock(lock)
    const pins = pinsOf(listed)
    const address = addressOf(transport, this.#redact)
    let found: { readonly before: LockedServer; readonly proposal: Proposal } | undefined
    await servers
      .change(name, (before) => {
        found = undefined
        this.pinned = Object.keys(before?.tools ?? {})
        if (!before) return accept({ address, tools: {} }, { tools: Object.fromEntries(pins) })
        const proposal = compare(before, address, pins, (tool) => only?.includes(tool) ?? true)
        found = proposal && { before, proposal }
        return withProposal(
          before,
          compare(before, address, pins, () => true),
        )
      })
      .catch((error: unknown) => {
        // The difference is reported, even if it cannot be kept for later.
        if (!found) throw error
      })
    if (!found || (await this.#isAccepted(found, servers))) {
      this.#trusted = listed
      return (this.#leftOut = none)
    }
    const names = Object.entries(found.proposal.tools).flatMap(([tool, pin]) => (pin ? [tool] : []))
    const isSame =
      names.length === this.#leftOut.size && names.every((tool) => this.#leftOut.has(tool))
    return isSame ? this.#leftOut : (this.#leftOut = new Set(names))
  }

  /** Asks once about each difference. */
  async #isAccepted(
    { before, proposal }: { readonly before: LockedServer; readonly proposal: Proposal },
    servers: LockedServers,
  ): Promise<boolean> {
    const { name, onChange, onWarning } = this.#settings
    const change = describe(name, before, proposal)
    const key = JSON.stringify(proposal)
    if (this.#refused === key) return false
    if (await onChange?.(change)) {
      await servers.change(name, (now) => accept(now ?? before, proposal))
      return true
    }
    this.#refused = key
    const hint =
      this.#settings.lock === servers.where
        ? `run "modelport mcp trust --lock ${servers.where}"`
        : 'call reviewLock'
    const message = `MCP server "${name}" is not as ${servers.where} has it; what changed is left out until somebody accepts it: ${hint}\n${change.words}`
    const isMissed = Object.entries(proposal.tools).some(
      ([tool, pin]) => pin && Object.hasOwn(before.tools, tool),
    )
    // Nothing else would say why a tool is left out that was offered before.
    if (!onWarning && !onChange && isMissed) {
      this.#refused = ''
      throw new LlmError('permission', message)
    }
    onWarning?.(new LlmError('permission', message))
    return false
  }
}

/** The same server if that is what it says already. */
function withProposal(server: LockedServer, proposal: Proposal | undefined): LockedServer {
  const { proposed, ...rest } = server
  if (JSON.stringify(proposed) === JSON.stringify(proposal)) return server
  return { ...rest, ...(proposal && { proposed: proposal }) }
}

/**
 * Shows every change that waits in a lock, and pins those for which `decide` returns true: exactly
 * what the server had listed then, without a connection. The rest wait on.
 * @throws {LlmError} `config` — the lock cannot be read, is damaged, or is of a newer release.
 */
export async function reviewLock(
  lock: string | McpLock,
  decide: (change: McpChange) => boolean | Promise<boolean>,
): Promise<void> {
  const servers = await openLock(lock)
  for (const [name, server] of await servers.all()) {
    const { proposed } = server
    if (proposed && (await decide(describe(name, server, proposed))))
      await servers.change(name, (now) => accept(now ?? server, proposed))
  }
}

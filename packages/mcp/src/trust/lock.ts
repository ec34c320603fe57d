import { configError, isObject, type JsonObject } from '@modelport/core'
import type { ToolPin } from './pin.js'

/**
 * Where the pins are kept, if not in a file: the text of `modelport.lock` in a store of the
 * application.
 */
export interface McpLock {
  /**
   * Calls `change` with the text that is stored, and stores what it returns, in one step that no
   * other writer can interrupt. `undefined` stands for a lock without a text; returned, it stores
   * nothing. `change` may be called again with a newer text.
   */
  update(change: (text: string | undefined) => string | undefined): Promise<void>
}

/**
 * What differs from the pins: the new address, and each tool with its new pin, or null if it is
 * gone.
 */
export interface Proposal {
  readonly address?: string
  readonly tools: Readonly<Record<string, ToolPin | null>>
}

/** One server in the lock. */
export interface LockedServer {
  readonly address: string
  readonly tools: Readonly<Record<string, ToolPin>>
  /** What the server said last, until somebody accepts it. */
  readonly proposed?: Proposal
}

/** The version of the file that this package reads and writes. */
const version = 1

/** The servers of a lock, to read and change in one step. */
export class LockedServers {
  readonly #lock: McpLock
  /** How messages name the lock. */
  readonly where: string

  constructor(lock: McpLock, where: string) {
    this.#lock = lock
    this.where = where
  }

  async all(): Promise<ReadonlyMap<string, LockedServer>> {
    let servers: ReadonlyMap<string, LockedServer> = new Map()
    await this.#lock.update((text) => {
      servers = this.#parse(text).servers
      return undefined
    })
    return servers
  }

  /** Changes one server. The same value, or undefined, stores nothing. */
  async change(
    name: string,
    change: (server: LockedServer | undefined) => LockedServer | undefined,
  ): Promise<void> {
    await this.#lock.update((text) => {
      const { file, servers } = this.#parse(text)
      const before = servers.get(name)
      const after = change(before)
      if (!after || after === before) return undefined
      const mcp = Object.fromEntries(
        [...new Map(servers).set(name, after)].sort(([a], [b]) => (a < b ? -1 : 1)),
      )
      return `${JSON.stringify({ ...file, version, mcp }, undefined, 2)}\n`
    })
  }

  /** @throws {LlmError} `config` — the text is damaged, or of a newer release. */
  #parse(text: string | undefined): {
    readonly file: JsonObject
    readonly servers: Map<string, LockedServer>
  } {
    const file = text === undefined ? { version } : toJson(text)
    if (isObject(file) && typeof file['version'] === 'number' && file['version'] > version)
      throw configError(
        `${this.where} has version ${file['version']}; this release reads version ${version}: update @modelport/mcp`,
      )
    const servers = Object.entries(isObject(file) ? (file['mcp'] ?? {}) : {})
    if (
      !isObject(file) ||
      file['version'] !== version ||
      !servers.every(([, server]) => isServer(server))
    )
      throw configError(
        `${this.where} is damaged; restore it from version control, or delete it to pin the servers as they are now`,
      )
    return { file, servers: new Map(servers as [string, LockedServer][]) }
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isPin = (pin: unknown): boolean =>
  isObject(pin) &&
  typeof pin['sha256'] === 'string' &&
  isObject(pin['parts']) &&
  Object.values(pin['parts']).every((part) => typeof part === 'string')

function isServer(server: unknown): boolean {
  if (!isObject(server) || typeof server['address'] !== 'string' || !isObject(server['tools']))
    return false
  const { proposed = { tools: {} } } = server
  return (
    Object.values(server['tools']).every(isPin) &&
    isObject(proposed) &&
    isObject(proposed['tools']) &&
    Object.values(proposed['tools']).every((pin) => pin === null || isPin(pin))
  )
}

import { resolve } from 'node:path'
import type { Cli, CommonOptions } from '../context/cli.js'
import { createLineReader } from '../context/line-reader.js'
import { exitCodes } from '../errors/exit-codes.js'
import { askAbout } from '../tools/mcp-change.js'
import { loadMcp } from '../tools/mcp-sources.js'

/** Options of `modelport mcp trust`. */
export interface McpTrustOptions extends CommonOptions {
  readonly lock?: string
  readonly yes?: boolean
}

/**
 * Runs `modelport mcp trust`: shows what MCP servers changed, and pins what the user accepts.
 * Contacts nothing; resolves to the exit code.
 */
export async function trust(
  cli: Cli,
  names: readonly string[],
  { lock = cli.locations.lock, yes = false }: McpTrustOptions,
): Promise<number> {
  const { out, json, io } = cli
  const { reviewLock } = await loadMcp()
  const lines = io.stdin.isTTY && !yes ? createLineReader(io) : undefined
  const ask = askAbout(cli, (question) => lines?.answer(question))
  let refused = 0
  let changes = 0
  try {
    await reviewLock(resolve(lock), async (change) => {
      const { server, words } = change
      if (names.length && !names.includes(server)) return false
      changes++
      if (!json && (yes || !ask)) out.line(out.foreign(`MCP server "${server}":\n${words}`))
      const accepted = yes || ((await ask?.(change)) ?? false)
      if (!accepted) refused++
      if (json) out.json({ ...change, accepted })
      return accepted
    })
  } finally {
    lines?.close()
  }
  if (json) return refused ? exitCodes.refused : exitCodes.done
  if (changes === 0) out.line('no change waits')
  else
    out.line(
      refused
        ? `${changes - refused} of ${changes} accepted; --yes accepts without asking`
        : `${changes} accepted`,
    )
  return refused ? exitCodes.refused : exitCodes.done
}

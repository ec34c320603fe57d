import type { McpSettings } from '@modelport/mcp'
import type { Cli } from '../context/cli.js'
import { isYes } from '../context/is-yes.js'

/** Asks a person about changed tools of an MCP server; undefined without a terminal. */
export function askAbout(
  { io, err, json }: Cli,
  answer: (question: string) => Promise<string | undefined> | undefined,
): McpSettings['onChange'] {
  if (!io.stdin.isTTY || json) return undefined
  return async ({ server, words }) => {
    err.line(
      err.foreign(`MCP server "${server}" has changed since its tools were pinned:\n${words}`),
    )
    return isYes(await answer(err.style('yellow', 'offer its tools as they are now? [y]es, [N]o ')))
  }
}

import type { Client, Tool } from '@modelcontextprotocol/client'
import { warn } from '../observer.js'
import { mapTexts } from '../secrets.js'
import type { McpSettings } from '../settings.js'
import { toVisibleText } from './visible-text.js'

const method = '_excludeInvalidXMcpHeaderTools'

/**
 * Replaces the check of the client that leaves out tools whose arguments cannot be headers
 * (2026-07-28, HTTP), and prints their names as the server wrote them: a terminal must not act on
 * those. It gets visible texts, and each tool is warned of.
 */
export function showExcluded(client: Client, settings: McpSettings): void {
  const exclude: unknown = Reflect.get(client, method)
  if (typeof exclude !== 'function') return
  const replaced = (result: { tools: readonly Tool[] }): void => {
    const shown = mapTexts(result.tools, toVisibleText, undefined, toVisibleText)
    const checked = { tools: shown }
    exclude.call(client, checked)
    const kept = new Set(checked.tools)
    result.tools = result.tools.filter((_, index) => {
      const tool = shown[index]
      const isKept = tool !== undefined && kept.has(tool)
      if (tool && !isKept)
        warn(
          settings,
          `tool "${tool.name.slice(0, 100)}" is left out: an argument of it cannot be a header`,
        )
      return isKept
    })
  }
  Object.assign(client, { [method]: replaced })
}

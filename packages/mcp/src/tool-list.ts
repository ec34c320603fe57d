import type { Tool } from '@modelcontextprotocol/client'
import { warn } from './observer.js'
import { toPlainWords } from './plain-words.js'
import type { McpSettings } from './settings.js'

/** The tools that a call can name: each name once. */
export function distinctTools(tools: readonly Tool[], settings: McpSettings): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (tool.name && !byName.has(tool.name)) byName.set(tool.name, tool)
    else {
      const which = tool.name ? `a second tool "${toPlainWords(tool.name, 100)}"` : 'a tool without a name'
      warn(settings, `${which} is left out`)
    }
  }
  return [...byName.values()]
}

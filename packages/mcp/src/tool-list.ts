import { type JSONRPCMessage, specTypeSchemas, type Tool } from '@modelcontextprotocol/client'
import { warn } from './observer.js'
import { toPlainWords } from './plain-words.js'
import type { McpSettings } from './settings.js'

/** The tools that a call can name: each name once. */
export function distinctTools(tools: readonly Tool[], settings: McpSettings): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (tool.name && !byName.has(tool.name)) byName.set(tool.name, tool)
    else {
      const which = tool.name
        ? `a second tool "${toPlainWords(tool.name, 100)}"`
        : 'a tool without a name'
      warn(settings, `${which} is left out`)
    }
  }
  return [...byName.values()]
}

/**
 * The message without the tools that are not as the protocol has them: for one of those, the client
 * would refuse the whole list. It still does if none is left.
 */
export function withoutBroken<Message extends JSONRPCMessage>(
  message: Message,
  settings: McpSettings,
): Message {
  const { result } = message as { readonly result?: { readonly tools?: unknown } }
  if (!Array.isArray(result?.tools)) return message
  const tools = result.tools.filter((tool: unknown) => {
    const { issues } = specTypeSchemas.Tool['~standard'].validate(tool)
    const [issue] = issues ?? []
    if (!issue) return true
    const { name } = (tool ?? {}) as { readonly name?: unknown }
    warn(
      settings,
      `tool "${toPlainWords(String(name), 100)}" is left out: ${toPlainWords(`${issue.path?.map(String).join('.')}: ${issue.message}`, 200)}`,
    )
    return false
  })
  return tools.length > 0 ? { ...message, result: { ...result, tools } } : message
}

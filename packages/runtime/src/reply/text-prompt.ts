import type { ToolDefinition } from '@modelport/core'
import { toToolList } from './tool-list.js'

/** The instructions of text mode: the form in which most open models have been taught to call tools. A final reply is plain text. */
const toolCall = `To call a tool, answer with <tool_call>
{"name": NAME, "arguments": ARGS}
</tool_call>`

/** Instructions of text mode for these tools. */
export const toTextPrompt = (tools: readonly ToolDefinition[]): string =>
  tools.length ? `Tools:\n${toToolList(tools)}\n${toolCall}` : ''

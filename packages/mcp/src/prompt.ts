import { type ChatMessage, configError, textOf } from '@modelport/core'
import type { McpConnection } from './connection.js'
import { toPart } from './content.js'
import { checkLength } from './limits.js'
import type { McpSettings } from './settings.js'

/** A prompt as the server filled it in. */
export interface McpPrompt {
  /** Names it: the server, a slash, the prompt. */
  readonly path: string
  /**
   * Its user messages as one text, with braces doubled: pass `{ path, text }` to `definePrompt`.
   */
  readonly text: string
  /** All its messages, for `infer` and `generate`. */
  readonly messages: readonly ChatMessage[]
}

/** A prompt that the server fills in. */
export async function readPrompt(
  name: string,
  args: Readonly<Record<string, string>>,
  connection: McpConnection,
  settings: McpSettings,
): Promise<McpPrompt> {
  const where = `MCP server "${settings.name}"`
  const given = await connection.ask('prompts', (client, options) =>
    client.getPrompt({ name, arguments: { ...args } }, options),
  )
  if (!given) throw configError(`${where} has no prompts`)
  checkLength(given.messages, undefined, `${where}: prompt ${JSON.stringify(name)}`, settings)
  const messages = given.messages.map(({ role, content }) => ({ role, content: [toPart(content)] }))
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  return {
    path: `${settings.name}/${name}`,
    text: texts.join('\n\n').replaceAll(/[{}]/g, '$&$&'),
    messages,
  }
}

import { type ContentPart, configError } from '@modelport/core'
import { defineTool, type Tool } from '@modelport/runtime'
import type { McpConnection } from './connection.js'
import { markContent, toEmbedded } from './content.js'
import { checkLength } from './limits.js'
import type { McpSettings } from './settings.js'

/** What a resource holds, as parts. */
export async function readResource(
  uri: string,
  connection: McpConnection,
  settings: McpSettings,
): Promise<readonly ContentPart[]> {
  const where = `MCP server "${settings.name}"`
  const read = await connection.ask('resources', (client, options) =>
    client.readResource({ uri }, options),
  )
  if (!read) throw configError(`${where} has no resources`)
  checkLength(read.contents, undefined, `${where}: resource ${JSON.stringify(uri)}`, settings)
  return read.contents.map(toEmbedded)
}

/**
 * Two tools by which a model finds and reads the resources; none if the server has no resources.
 */
export async function resourceTools(
  connection: McpConnection,
  settings: McpSettings,
): Promise<readonly Tool[]> {
  const client = await connection.client()
  if (!client.getServerCapabilities()?.resources) return []
  const { prefix = '' } = settings
  const tools = [
    defineTool({
      name: `${prefix}list_resources`,
      description: `Lists what can be read from ${settings.name}: addresses, and patterns of addresses`,
      readOnly: true,
      execute: async () => {
        const list = {
          ...(await connection.ask('resources', (one, options) =>
            one.listResources(undefined, options),
          )),
          ...(await connection.ask('resources', (one, options) =>
            one.listResourceTemplates(undefined, options),
          )),
        }
        return markContent(JSON.stringify(list), settings.name)
      },
    }),
    defineTool({
      name: `${prefix}read_resource`,
      description: `Reads one resource of ${settings.name}`,
      parameters: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
      readOnly: true,
      execute: async ({ uri }) =>
        markContent(await readResource(uri, connection, settings), settings.name),
    }),
  ]
  return tools.map((tool) => ({ ...tool, source: settings.name }))
}

import { isObject, type JsonObject, LlmError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { McpSource } from '@modelport/mcp'
import { executeBatch, type ToolOutcome } from '@modelport/runtime'
import { tokenOf } from '../agents/agent-client.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { loadMcp, toTransport } from '../tools/mcp-sources.js'

/** Options of `modelport mcp list`. */
export interface McpListOptions extends CommonOptions {
  readonly tokenEnv?: string
}

/** Options of `modelport mcp call`. */
export interface McpCallOptions extends McpListOptions {
  readonly arg?: Readonly<Record<string, string>>
}

/** Lists the tools, resources and prompts of a server. */
export const listMcp = (cli: Cli, server: string, options: McpListOptions): Promise<number> =>
  withServer(cli, server, options, async (source) => {
    const { out, json, signal } = cli
    const tools = (await source.tools(signal)).map(({ definition }) => definition)
    const [resources, templates, prompts] = await Promise.all([
      source.resources(),
      source.resourceTemplates(),
      source.prompts(),
    ])
    if (json) {
      out.json({ tools, resources, resourceTemplates: templates, prompts })
      return exitCodes.done
    }
    const lines = [
      ...tools.map(({ name, description }) => ['tool', name, description]),
      ...resources.map(({ uri, name, description = name }) => ['resource', uri, description]),
      ...templates.map(({ uriTemplate, name, description = name }) => [
        'resource',
        uriTemplate,
        description,
      ]),
      ...prompts.map(({ name, description = '' }) => ['prompt', name, description]),
    ]
    for (const line of lines) out.line(out.foreign(line.join('  ').split('\n')[0] ?? ''))
    return exitCodes.done
  })

/**
 * Calls a tool, with its progress on the error output.
 * @throws {LlmError} the call failed; its code says how.
 */
export const callMcp = (
  cli: Cli,
  server: string,
  name: string,
  given: string | undefined,
  options: McpCallOptions,
): Promise<number> =>
  withServer(cli, server, options, async (source) => {
    const { out, err, json, signal } = cli
    const tools = await source.tools(signal)
    const tool = tools.find(({ definition }) => definition.name === name)
    const known = tools.map(({ definition }) => definition.name)
    if (!tool)
      throw new UsageError(
        `the server has no tool ${JSON.stringify(name)}; it has ${known.join(', ') || 'none'}`,
      )
    const args = {
      ...readObject(given),
      ...readArgs(options.arg ?? {}, tool.definition.parameters),
    }
    let found: readonly [content: unknown, outcome: ToolOutcome] | undefined
    await executeBatch(
      [{ id: 'call', name, arguments: args, argumentsText: JSON.stringify(args) }],
      {
        tools: [tool],
        step: 1,
        signal,
        onProgress: (_call, progress) => {
          err.line(err.style('dim', err.foreign(JSON.stringify(progress))))
        },
        onResult: (_call, { content }, outcome) => void (found = [content, outcome]),
      },
    )
    if (!found) return exitCodes.unknown
    const [content, { status }] = found
    const parts =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : (content as readonly JsonObject[])
    const texts = parts.map((part) =>
      part['type'] === 'text'
        ? String(part['text']).replace(/^\[from MCP server .*\]\n/, '')
        : JSON.stringify(part),
    )
    const code =
      status === 'timeout' ? status : status === 'invalid-arguments' ? 'invalid-request' : 'unknown'
    if (status !== 'ok') throw new LlmError(code, texts.join('\n'))
    if (json) out.json({ content: parts })
    else for (const text of texts) out.line(out.foreign(text))
    return exitCodes.done
  })

/** Opens a server, names its hosts before one is contacted, and closes it. */
async function withServer(
  cli: Cli,
  server: string,
  { tokenEnv }: McpListOptions,
  use: (source: McpSource) => Promise<number>,
): Promise<number> {
  const { mcpTools } = await loadMcp()
  const transport = await toTransport(
    server,
    cli,
    tokenEnv === undefined ? undefined : tokenOf(cli, tokenEnv),
  )
  const source = mcpTools({ name: server, transport })
  if (source.apiHosts.length && !cli.json)
    cli.err.line(cli.err.style('dim', `contacts ${source.apiHosts.join(', ')}`))
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

function readObject(text = '{}'): JsonObject {
  const value = tryParseJson(text)
  if (isObject(value) && !Array.isArray(value)) return value
  throw new UsageError(`the arguments must be a JSON object, such as '{"city":"Rome"}'`)
}

/**
 * The value of each `--arg`: a text if the schema asks for one, else JSON, and a text if it is not
 * JSON.
 */
function readArgs(args: Readonly<Record<string, string>>, parameters: JsonObject = {}): JsonObject {
  const properties = (parameters['properties'] ?? {}) as Readonly<
    Record<string, { readonly type?: unknown }>
  >
  const read = (name: string, text: string): unknown => {
    const value = properties[name]?.type === 'string' ? text : tryParseJson(text)
    return value === undefined ? text : value
  }
  return Object.fromEntries(Object.entries(args).map(([name, text]) => [name, read(name, text)]))
}

import { configError, isObject } from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import type { McpCommand, McpCustom, McpSettings, McpUrl } from './settings.js'

const settingNames = namesOf<McpSettings>({
  name: true,
  transport: true,
  prefix: true,
  only: true,
  connectTimeoutMs: true,
  listTimeoutMs: true,
  timeoutMs: true,
  maxResultLength: true,
  lock: true,
  onChange: true,
  onWarning: true,
  trustHints: true,
  elicitation: true,
  resourceTools: true,
  onProgress: true,
})
/** Names of the fields of a transport, by the field that it is known by. */
const transportNames = {
  command: namesOf<McpCommand>({
    command: true,
    args: true,
    env: true,
    cwd: true,
  }),
  url: namesOf<McpUrl>({
    url: true,
    headers: true,
    fetch: true,
    authProvider: true,
    authHosts: true,
  }),
  create: namesOf<McpCustom>({ create: true, apiHosts: true }),
}
const numbers = ['connectTimeoutMs', 'listTimeoutMs', 'timeoutMs', 'maxResultLength'] as const

/**
 * @throws {LlmError} `config` — the settings of an MCP server have a field of another kind, or a
 * prefix that is not valid in a tool name.
 * @throws {TypeError} a setting that nothing reads
 */
export function checkMcpSettings(settings: object): void {
  hold(isObject(settings), 'the settings of an MCP server must be an object')
  const given = settings as Readonly<Record<string, unknown>>
  const { name, prefix = '', only, transport, lock = '', onChange } = given
  hold(typeof name === 'string', 'the name of an MCP server must be a text')
  hold(
    typeof prefix === 'string' && /^[\w-]{0,40}$/.test(prefix),
    `MCP server "${String(name)}": the prefix must be at most 40 letters, digits, "_" or "-"`,
  )
  hold(
    typeof lock === 'string' || (isObject(lock) && typeof lock['update'] === 'function'),
    `MCP server "${String(name)}": lock must be the path of a file, or an object with update`,
  )
  hold(
    onChange === undefined || (typeof onChange === 'function' && lock !== ''),
    `MCP server "${String(name)}": onChange must be a function, and needs lock`,
  )
  hold(
    only === undefined || (Array.isArray(only) && only.every((tool) => typeof tool === 'string')),
    `MCP server "${String(name)}": only must be a list of names`,
  )
  for (const field of numbers) {
    const value = given[field]
    const isFit = value === undefined || (typeof value === 'number' && value > 0)
    hold(
      isFit,
      `MCP server "${String(name)}": ${field} must be a number above 0, not ${String(value)}`,
    )
  }
  const kinds = isObject(transport)
    ? [transport['command'], transport['url'], transport['create']]
    : []
  hold(
    kinds.some((kind, index) => typeof kind === (index < 2 ? 'string' : 'function')),
    `MCP server "${String(name)}": transport must be an object with command, url or create`,
  )
  checkSettings(`mcpTools of "${String(name)}"`, settings, settingNames)
  const [, known = []] =
    Object.entries(transportNames).find(([field]) => field in (transport as object)) ?? []
  checkSettings(`mcpTools of "${String(name)}": transport`, transport as object, known)
}

function hold(fits: boolean, message: string): void {
  if (!fits) throw configError(message)
}

import { configError, isObject } from '@modelport/core'

/** @throws {LlmError} `config` — the settings of an MCP server have a field of another kind, or a prefix that is not valid in a tool name. */
export function checkMcpSettings(settings: object): void {
  hold(isObject(settings), 'the settings of an MCP server must be an object')
  const { name, prefix = '', transport, lock = '', onChange } = settings as Readonly<Record<string, unknown>>
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
  const kinds = isObject(transport) ? [transport['command'], transport['url'], transport['create']] : []
  hold(
    kinds.some((kind, index) => typeof kind === (index < 2 ? 'string' : 'function')),
    `MCP server "${String(name)}": transport must be an object with command, url or create`,
  )
}

function hold(fits: boolean, message: string): void {
  if (!fits) throw configError(message)
}

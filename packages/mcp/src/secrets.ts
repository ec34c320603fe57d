import { createRedact, headerSecrets, LlmError, type Redact } from '@modelport/core'
import type { McpTransport } from './settings.js'

/**
 * Redacts the credentials given to a server, in headers or its environment: the server may echo
 * them.
 */
export function createMcpRedact(transport: McpTransport): Redact {
  if ('url' in transport) return createRedact(headerSecrets(transport.headers))
  if (!('command' in transport)) return (text) => text
  // A variable is named like a header but for its case and its separators: GITHUB_TOKEN,
  // github-token.
  const named = Object.entries(transport.env ?? {}).map(([name, value]) => [
    name.toLowerCase().replaceAll('_', '-'),
    value,
  ])
  return createRedact(headerSecrets(Object.fromEntries(named)))
}

/** Bytes of images and files, which are not read as text. */
const binary = new Set(['data', 'blob'])

/** Deepest nesting of what a server sends. */
const mostLevels = 500

/**
 * The value with every text in it changed, but for the fields that are kept; `rename` changes the
 * names of fields too.
 * @throws {LlmError} `limit-exceeded` — it is nested too deeply.
 */
export function mapTexts<T>(
  value: T,
  change: (text: string) => string,
  kept: ReadonlySet<string> = new Set(),
  rename: (name: string) => string = (name) => name,
): T {
  const visit = (inner: unknown, key: string, level: number): unknown => {
    if (level > mostLevels)
      throw new LlmError(
        'limit-exceeded',
        `the MCP server sent values nested deeper than ${mostLevels}`,
      )
    if (typeof inner === 'string') return binary.has(key) || kept.has(key) ? inner : change(inner)
    if (Array.isArray(inner)) return inner.map((item) => visit(item, key, level + 1))
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([name, item]) => [rename(name), visit(item, name, level + 1)]),
    )
  }
  return visit(value, '', 0) as T
}

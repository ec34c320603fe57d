import { LlmError, parseBaseUrl } from '@modelport/core'
import type { McpSettings, McpTransport, McpUrl } from './settings.js'

/** Maximum bytes of one message. */
export const mostBytes: number = 10 * 1024 * 1024

/** Maximum bytes that a server may send while its list of tools is read, all pages together. */
export const mostListBytes: number = 4 * mostBytes

/** Every host a transport may connect to. */
export function hostsOf(transport: McpTransport): readonly string[] {
  if ('url' in transport) return hostsOfUrl(transport)
  return 'apiHosts' in transport ? transport.apiHosts : []
}

/** Every `host:port` an HTTP server may send its client to. */
function hostsOfUrl({ url, authHosts = [] }: McpUrl): readonly string[] {
  return [...new Set([parseBaseUrl(url).host, ...authHosts])]
}

/**
 * The `fetch` of a session: it contacts only the declared hosts, by TLS if the server has it, sends
 * the settings' headers to the server's own origin only and limits the size of each message.
 * @param refuse makes the error of a message that exceeds the limit, and ends the session: the SDK
 * reopens failed streams without reporting the error
 * @param onBytes called with the size of each chunk that arrives
 */
export function guardedFetch(
  settings: McpSettings,
  transport: McpUrl,
  refuse: () => LlmError,
  onBytes: (count: number) => void,
): typeof fetch {
  const hosts = hostsOfUrl(transport)
  const given = transport.fetch ?? fetch
  const { origin, protocol } = new URL(transport.url)
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const isWeaker = protocol === 'https:' && url.protocol !== protocol
    const contacted = isWeaker ? url.origin : parseBaseUrl(url.href).host
    if (!hosts.includes(contacted)) {
      const hint = transport.authProvider ? '; hosts for authorization belong into authHosts' : ''
      throw new LlmError(
        'redirect-refused',
        `MCP server "${settings.name}": it leads to ${contacted} instead of ${hosts.join(', ')}${hint}`,
      )
    }
    const headers = new Headers(
      init?.headers ?? (input instanceof Request ? input.headers : undefined),
    )
    // The SDK adds them to requests for a token too.
    if (url.origin !== origin)
      for (const [name, value] of new Headers(transport.headers))
        if (headers.get(name) === value) headers.delete(name)
    return bounded(await given(input, { ...init, headers, redirect: 'manual' }), refuse, onBytes)
  }
}

/**
 * The same response; reading it fails if a message is too long. In an event stream the limit
 * applies to each event.
 */
function bounded(
  response: Response,
  refuse: () => LlmError,
  onBytes: (count: number) => void,
): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  let length = 0
  let isLineEmpty = false
  const count = (chunk: Uint8Array): number => {
    onBytes(chunk.length)
    if (!isStream) return (length += chunk.length)
    let start = 0
    let lineStart = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, lineStart)) {
      const isShort = end === lineStart || (end === lineStart + 1 && chunk[lineStart] === 13)
      // An empty line ends an event.
      if (isShort && (lineStart > 0 || isLineEmpty)) [start, length] = [end + 1, 0]
      lineStart = end + 1
      isLineEmpty = true
    }
    const isRestEmpty = chunk.length === lineStart + 1 && chunk[lineStart] === 13
    if (lineStart < chunk.length) isLineEmpty = (lineStart > 0 || isLineEmpty) && isRestEmpty
    return (length += chunk.length - start)
  }
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (count(chunk) > mostBytes) controller.error(refuse())
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

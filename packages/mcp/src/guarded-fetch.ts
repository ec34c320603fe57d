import { LlmError, parseBaseUrl } from '@modelport/core'
import type { McpSettings, McpTransport, McpUrl } from './settings.js'

/** Maximum bytes of one message. */
export const mostBytes: number = 10 * 1024 * 1024

/** The error for a message over the limit. */
export const tooLarge = (server: string): LlmError =>
  new LlmError('limit-exceeded', `MCP server "${server}": a message is larger than ${mostBytes / 1024 / 1024} MiB`)

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
 * The `fetch` of a session: it contacts only the declared hosts, by TLS if the server has it, sends the settings' headers to the server's own origin only
 * and limits the size of each message.
 * @param onTooLong called when a message exceeds the limit, because the SDK reopens failed streams without reporting the error
 */
export function guardedFetch(
  settings: McpSettings,
  transport: McpUrl,
  onTooLong: (error: LlmError) => void,
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
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    // The SDK adds them to requests for a token too.
    if (url.origin !== origin)
      for (const [name, value] of new Headers(transport.headers)) if (headers.get(name) === value) headers.delete(name)
    return bounded(await given(input, { ...init, headers, redirect: 'manual' }), () => {
      const error = tooLarge(settings.name)
      onTooLong(error)
      return error
    })
  }
}

/** The same response; reading it fails if a message is too long. In an event stream the limit applies to each event. */
function bounded(response: Response, refuse: () => LlmError): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  let length = 0
  let previous = 0
  const count = (chunk: Uint8Array): number => {
    length += chunk.length
    if (!isStream) return length
    for (const [at, byte] of chunk.entries()) {
      // An empty line ends an event.
      if (byte === 10 && previous === 10) length = chunk.length - at - 1
      if (byte !== 13) previous = byte
    }
    return length
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

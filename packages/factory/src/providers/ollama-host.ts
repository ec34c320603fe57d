import { isLlmError, LlmError, parseBaseUrl } from '@modelport/core'
import { isLoopback } from '@modelport/core/settings'

/**
 * The address that a value of `OLLAMA_HOST` stands for: a URL, `host:port`, a host, `:port` or
 * nothing. Addresses to listen on (`0.0.0.0`, `::`) become the loopback address that reaches them.
 * @see https://github.com/ollama/ollama/blob/main/envconfig/config.go (read 2026-11-21)
 */
export function fromOllamaHost(text: string): string {
  const trimmed = text
    .trim()
    .replace(/^["']+|(?<!["'])["']+$/g, '')
    .trim()
  const [, givenScheme, rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(trimmed) ?? []
  const isCloud = givenScheme === undefined && rest === 'ollama.com'
  const scheme = isCloud ? 'https' : (givenScheme ?? 'http').toLowerCase()

  // User information is for the parser to refuse.
  if (rest.includes('@')) return `${scheme}://${rest}`

  const slash = rest.indexOf('/')
  const address = slash < 0 ? rest : rest.slice(0, slash)
  const path = slash < 0 ? '' : rest.slice(slash)
  const { host, port } = splitAddress(address)
  return `${scheme}://${host}:${port ?? usualPort(scheme, givenScheme !== undefined)}${path}`
}

/** The port of an address without one: Ollama's own, unless the scheme is written out. */
function usualPort(scheme: string, isWritten: boolean): string {
  if (scheme === 'https') return '443'
  return isWritten ? '80' : '11434'
}

/** The host to contact, and the port if the address has a usable one. */
function splitAddress(address: string): {
  readonly host: string
  readonly port: string | undefined
} {
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  // An IPv6 address without brackets has several colons, and no port.
  const hasPort = bare.split(':').length === 2 || /^\[.*\]:/.test(address)
  const [, name = bare, port = ''] = hasPort ? (/^(.*):([^:]*)$/.exec(address) ?? []) : []

  const host = reachable(name.replace(/^\[|\]$/g, ''))
  const isPort = /^\d+$/.test(port) && Number(port) <= 65_535 && Number(port) > 0
  return {
    host: host.includes(':') ? `[${host}]` : host,
    port: isPort ? port : undefined,
  }
}

/** The loopback address, in place of an address to listen on. */
function reachable(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

/**
 * Holds an Ollama address to this computer. '' is unset and passes.
 * @throws {LlmError} `invalid-base-url` — it is not an http(s) URL, or its host is not `localhost`
 * or a loopback address.
 */
export function validateOllamaBaseUrl(baseUrl: string): void {
  if (!baseUrl.trim()) return
  let host: string
  try {
    host = parseBaseUrl(baseUrl).host.replace(/:\d+$/, '')
  } catch (error) {
    if (!isLlmError(error)) throw error
    throw new LlmError(
      'invalid-base-url',
      `Ollama's base URL must point at loopback, for example http://localhost:11434: ${error.message}`,
    )
  }
  if (!isLoopback(host)) {
    throw new LlmError(
      'invalid-base-url',
      `Ollama's base URL must point at loopback (localhost, 127.0.0.1 or [::1]), not at ${host}`,
    )
  }
}

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
  const [, given, rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(trimmed) ?? []
  const cloud = given === undefined && rest === 'ollama.com'
  const scheme = cloud ? 'https' : (given ?? 'http').toLowerCase()
  // User information is for the parser to refuse.
  if (rest.includes('@')) return `${scheme}://${rest}`
  const usual = cloud || scheme === 'https' ? '443' : given === undefined ? '11434' : '80'
  const slash = rest.indexOf('/')
  const [address, path] = slash < 0 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash)]
  const { host, port } = splitAddress(address, usual)
  return `${scheme}://${host}:${port}${path}`
}

function splitAddress(
  address: string,
  usual: string,
): { readonly host: string; readonly port: string } {
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  const colons = bare.split(':').length - 1
  const [, host = bare, port] =
    colons === 1 || /^\[.*\]:/.test(address) ? (/^(.*):([^:]*)$/.exec(address) ?? []) : []
  const name = host.replace(/^\[|\]$/g, '')
  const dialled = name === '' || name === '0.0.0.0' ? '127.0.0.1' : name === '::' ? '::1' : name
  const usable =
    port !== undefined && /^\d+$/.test(port) && Number(port) <= 65_535 && Number(port) > 0
  return { host: dialled.includes(':') ? `[${dialled}]` : dialled, port: usable ? port : usual }
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

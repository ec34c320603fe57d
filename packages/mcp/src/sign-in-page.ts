import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { LlmError, parseBaseUrl } from '@modelport/core'
import { isLoopback } from '@modelport/core/settings'
import type { McpUrl } from './settings.js'

/**
 * The provider of the settings, which opens no other sign-in page than one at a declared host, by
 * TLS: the server's metadata name the page, and the user types a password there.
 */
export function guardSignIn(
  provider: OAuthClientProvider,
  {
    name,
    url,
    hosts,
  }: Pick<McpUrl, 'url'> & { readonly name: string; readonly hosts: readonly string[] },
): OAuthClientProvider {
  // An application that is developed against a server of this computer may sign in there.
  const isLocal = url.startsWith('http:') && isLoopback(new URL(url).hostname)
  const redirectToAuthorization = (page: URL): void | Promise<void> => {
    if (!isDeclared(page, hosts, isLocal))
      throw new LlmError(
        'redirect-refused',
        `MCP server "${name}": its sign-in page is at ${page.protocol}//${page.host}, which is not https: at ${hosts.join(', ')}; the page was not opened; if you trust its host, add it to authHosts`,
      )
    return provider.redirectToAuthorization(page)
  }
  return new Proxy(provider, {
    get: (target, field) => {
      if (field === 'redirectToAuthorization') return redirectToAuthorization
      const value: unknown = Reflect.get(target, field)
      // Methods of a class read its private fields.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
    set: (target, field, value) => Reflect.set(target, field, value),
  })
}

function isDeclared(page: URL, hosts: readonly string[], isLocal: boolean): boolean {
  const isSafe =
    page.protocol === 'https:' ||
    (isLocal && page.protocol === 'http:' && isLoopback(page.hostname))
  const isBare = page.username === '' && page.password === ''
  return isSafe && isBare && hosts.includes(parseBaseUrl(page.origin).host)
}

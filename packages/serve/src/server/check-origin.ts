import { AgentError } from '@modelport/agent'
import { isLoopback } from '@modelport/core/settings'
import type { AgentServerOptions } from './server-options.js'

/**
 * Refuses requests of foreign pages, and of names that are not this server's: a page must not reach
 * it by DNS rebinding.
 * @throws {AgentError} `forbidden`
 */
export function checkOrigin(
  request: Request,
  url: URL,
  own: URL,
  isAuthenticated: boolean,
  options: AgentServerOptions,
): void {
  const { allowedHosts, allowedOrigins = [] } = options
  const host = request.headers.get('host') ?? url.host
  const name = host.replace(/:\d+$/, '')
  const isAllowed = allowedHosts
    ? allowedHosts.some((allowed) => allowed === host || allowed === name)
    : isAuthenticated || host === own.host || isLoopback(name)
  if (!isAllowed)
    throw new AgentError(
      'forbidden',
      'The Host of the request is not this server; set allowedHosts',
    )
  const origin = request.headers.get('origin')
  if (
    origin &&
    origin !== own.origin &&
    origin !== `${url.protocol}//${host}` &&
    !allowedOrigins.includes(origin)
  )
    throw new AgentError(
      'forbidden',
      'The Origin of the request is not allowed; set allowedOrigins',
    )
}

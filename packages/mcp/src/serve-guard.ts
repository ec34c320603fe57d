import { isLoopback } from '@modelport/core/settings'
import { anonymousPrincipal, checkPrincipal, toPrincipalText } from '@modelport/runtime'
import type { ServeMcpOptions } from './serve-options.js'

/**
 * The text of the principal of a request, or the response that refuses it: a page must not reach
 * the server from another origin or by DNS rebinding. "Servers MUST validate the Origin header on
 * all incoming connections".
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export async function admit(
  request: Request,
  { authenticate, allowedHosts }: ServeMcpOptions,
): Promise<string | Response> {
  const url = new URL(request.url)
  const host = request.headers.get('host') ?? url.host
  const name = host.replace(/:\d+$/, '')
  const isKnown = allowedHosts
    ? allowedHosts.some((allowed) => allowed === host || allowed === name)
    : authenticate !== undefined || isLoopback(name)
  if (!isKnown) return refuse(403, 'The Host of the request is not this server; set allowedHosts')
  const origin = request.headers.get('origin')
  if (origin && origin !== `${url.protocol}//${host}`)
    return refuse(403, 'The Origin of the request is not this server')
  if (!authenticate) return anonymousPrincipal
  const found = await authenticate(request)
  if (found instanceof Response) return found
  if (!found) return refuse(401, 'Authentication is required', { 'www-authenticate': 'Bearer' })
  return toPrincipalText(checkPrincipal('authenticate', found))
}

/** A refusal in the form of an error of JSON-RPC. */
export const refuse = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_000, message } },
    { status, headers },
  )

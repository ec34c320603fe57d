import {
  type Agent,
  type AgentCard,
  AgentError,
  type AgentErrorReason,
  AgentHost,
} from '@modelport/agent'
import { configError } from '@modelport/core'
import { checkRanges, checkSettings } from '@modelport/core/settings'
import { anonymousPrincipal, type Principal, toPrincipalText } from '@modelport/runtime'
import { a2a } from '../a2a/a2a.js'
import { a2aMediaType } from '../a2a/rest.js'
import { invalidParams } from '../base/invalid-params.js'
import { withoutEnd } from '../base/without-end.js'
import type { RequestContext, ServedAgent } from '../wire/endpoint.js'
import { errorHeaders, httpStatusOf, toAgentError, toHttpError } from '../wire/error-forms.js'
import { resultsPath } from '../wire/extension.js'
import { extensionsOf } from '../wire/reading.js'
import {
  type EndpointReply,
  isPlainReply,
  jsonReply,
  setHeader,
  toResponse,
} from '../wire/reply.js'
import { EventStreams } from '../wire/sse.js'
import type { Endpoint, Wire } from '../wire/wire.js'
import { checkAgents, listAgents } from './agents.js'
import { createAuthenticator } from './authenticate.js'
import { checkOrigin } from './check-origin.js'
import { describe, type EndpointDescription } from './endpoint-table.js'
import { ownEndpoints } from './own-endpoints.js'
import { checkVersion, matchRoute, type Routes, toRoutes } from './routes.js'
import {
  type AgentServer,
  type AgentServerOptions,
  type Refusal,
  serverOptionNames,
} from './server-options.js'

const anonymous: Principal = { subject: anonymousPrincipal }
const tenantName = /^[A-Za-z0-9][\w.-]{0,63}$/

/**
 * Makes a server of agents. One agent is served at the root, several at `/a/{name}/`.
 * @throws {LlmError} `config` — there is no agent, two have the same name, or an option is not
 * valid.
 */
export function createAgentServer(
  agents: readonly Agent[],
  options: AgentServerOptions = {},
): AgentServer {
  checkSettings('createAgentServer', options, serverOptionNames)
  return createReplyServer(agents, options)
}

/** A server whose replies can be written without making a `Response` of each. */
export interface ReplyServer extends AgentServer {
  /** Serves one request, as `fetch` does. */
  reply(request: Request): Promise<EndpointReply>
}

/** Makes a server for `serve`. @throws {LlmError} as {@link createAgentServer} */
export const createReplyServer = (
  agents: readonly Agent[],
  options: AgentServerOptions,
): ReplyServer => new Server(agents, options)

class Server implements ReplyServer {
  readonly host: AgentHost
  readonly isAuthenticated: boolean
  readonly #options: AgentServerOptions
  readonly #streams: EventStreams
  readonly #authenticator: ReturnType<typeof createAuthenticator> | undefined
  readonly #agents: readonly Agent[]
  readonly #wires: readonly Wire[]
  readonly #endpoints: readonly Endpoint[]
  readonly #routes: Routes
  #url = ''
  #address = new URL('http://127.0.0.1')
  /** Path of the address, without a slash at its end. */
  #basePath = ''
  #isClosing = false
  readonly #maxBodyBytes: number
  /** Cards change only with the address. */
  #cards = new Map<string, AgentCard>()

  constructor(agents: readonly Agent[], options: AgentServerOptions) {
    checkAgents(agents)
    checkRanges(options, [['maxBodyBytes', 1, 2 ** 30]])
    for (const name of ['authentication', 'allowedHosts', 'allowedOrigins', 'wires'] as const)
      if (!Array.isArray(options[name] ?? [])) throw configError(`${name} must be a list`)
    this.#maxBodyBytes = options.maxBodyBytes ?? 4 * 2 ** 20
    this.#agents = agents
    this.#wires = options.wires ?? [a2a()]
    this.#endpoints = [...ownEndpoints, ...this.#wires.flatMap(({ endpoints }) => endpoints)]
    this.#routes = toRoutes(this.#endpoints)
    this.#options = options
    this.#authenticator = options.authentication?.length
      ? createAuthenticator(options.authentication)
      : undefined
    this.isAuthenticated = this.#authenticator !== undefined
    this.#streams = new EventStreams(options.streams)
    const { store, entropy } = options
    this.host = new AgentHost(agents, {
      onError: (error) => options.onError?.(error),
      store,
      entropy,
      webhookUrl: (agent, token) => `${this.#addressOf(agent)}${resultsPath}/${token}`,
    })
    this.setUrl(options.url ?? 'http://127.0.0.1')
  }

  setUrl(url: string): void {
    if (!URL.canParse(url))
      throw configError(
        `url ${JSON.stringify(url)} is not a URL; set it to the address of the server`,
      )
    this.#url = withoutEnd(url, '/')
    this.#address = new URL(url)
    this.#basePath = this.#address.pathname.replace(/\/$/, '')
    this.#cards = new Map()
  }

  /** Where an agent is served, without a slash at its end. */
  #addressOf(agent: string): string {
    return this.#agents.length === 1 ? this.#url : `${this.#url}/a/${encodeURIComponent(agent)}`
  }

  describeEndpoints(): readonly EndpointDescription[] {
    return describe(this.#endpoints)
  }

  async close(timeoutMs = 10_000): Promise<void> {
    this.#isClosing = true
    await this.host.drain(timeoutMs)
    this.#streams.close()
  }

  async fetch(request: Request): Promise<Response> {
    // A reader that leaves cancels the body; a stream in which nothing happens ends by its signal
    // alone.
    const left = new AbortController()
    const signal = AbortSignal.any([request.signal, left.signal])
    return toResponse(await this.reply(new Request(request, { signal })), () => left.abort())
  }

  async reply(request: Request): Promise<EndpointReply> {
    const reply = await this.#respond(request)
    setHeader(reply, 'x-content-type-options', 'nosniff')
    if (this.#address.protocol === 'https:')
      setHeader(reply, 'strict-transport-security', 'max-age=31536000')
    const origin = request.headers.get('origin')
    if (origin && this.#options.allowedOrigins?.includes(origin)) {
      setHeader(reply, 'access-control-allow-origin', origin)
      const vary = isPlainReply(reply) ? null : reply.headers.get('vary')
      setHeader(reply, 'vary', vary === null ? 'Origin' : `${vary}, Origin`)
    }
    return reply
  }

  async #respond(request: Request): Promise<EndpointReply> {
    let found: Endpoint | undefined
    try {
      const url = new URL(request.url)
      checkOrigin(request, url, this.#address, this.isAuthenticated, this.#options)
      if (request.method === 'OPTIONS') return this.#preflight(request)
      const target = this.#find(url.pathname)
      if (!target && request.method === 'GET' && url.pathname === `${this.#basePath}/`)
        return jsonReply(listAgents(this.#agents, this.#url))
      if (!target) throw this.#nothing()
      const match = matchRoute(this.#routes, request.method, target.path)
      if (match === undefined) throw new AgentError('not-found', 'There is nothing at this address')
      if ('allow' in match) return this.#methodNotAllowed(match.allow)
      const { endpoint } = match
      found = endpoint
      checkVersion(endpoint, request, url)
      if (this.#isClosing && request.method === 'POST')
        throw new AgentError('busy', 'The server is stopping', { retryAfterMs: 5_000 })
      const context = await this.#contextOf(request, url, target.served, endpoint, match.params)
      return await endpoint.handle(context)
    } catch (error) {
      return this.#failure(error, request, found)
    }
  }

  async #failure(
    cause: unknown,
    request: Request,
    endpoint: Endpoint | undefined,
  ): Promise<EndpointReply> {
    const error = toAgentError(cause)
    if (error.reason === 'internal') this.#options.onError?.(error.cause ?? error)
    const challenge =
      error.reason === 'unauthenticated' && this.#authenticator
        ? { 'www-authenticate': this.#authenticator.challenge }
        : {}
    if (isRefusal(error.reason)) {
      const { pathname } = new URL(request.url)
      this.#options.onRefusal?.({
        reason: error.reason,
        method: request.method,
        path: withoutSecret(pathname).slice(0, 500),
      })
    }
    const headers = { ...errorHeaders(error), ...challenge }
    const status = httpStatusOf(error)
    if (endpoint?.fail)
      return endpoint.fail(error, { request, maxBodyBytes: this.#maxBodyBytes, status, headers })
    return jsonReply(toHttpError(error), {
      status,
      headers: { 'content-type': a2aMediaType, ...headers },
    })
  }

  #nothing(): AgentError {
    const where = this.#agents.length > 1 ? `; the agents are listed at ${this.#url}/` : ''
    return new AgentError('not-found', `There is nothing at this address${where}`)
  }

  #methodNotAllowed(allow: readonly string[]): EndpointReply {
    const error = new AgentError(
      'method-not-found',
      `This address serves only ${allow.join(' and ')}`,
    )
    const headers = { 'content-type': a2aMediaType, allow: allow.join(', ') }
    return jsonReply(toHttpError(error, 405), { status: 405, headers })
  }

  #preflight(request: Request): Response {
    const origin = request.headers.get('origin')
    const isAllowed = origin !== null && this.#options.allowedOrigins?.includes(origin)
    const headers = {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, x-api-key, a2a-version, a2a-extensions, last-event-id, x-modelport-session',
      'access-control-expose-headers': 'a2a-extensions, x-modelport-task, etag',
      'access-control-max-age': '600',
    }
    return new Response(null, { status: 204, ...(isAllowed && { headers }) })
  }

  #find(pathname: string): { readonly served: ServedAgent; readonly path: string } | undefined {
    const base = this.#basePath
    const path = base && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
    const [only] = this.#agents
    if (this.#agents.length === 1 && only)
      return { served: { agent: only, prefix: '', url: this.#url }, path }
    const [, name = '', rest = ''] = /^\/a\/([^/]+)(\/.*)?$/.exec(path) ?? []
    const agent = this.#agents.find((each) => encodeURIComponent(each.name) === name)
    const prefix = `/a/${name}`
    return agent && { served: { agent, prefix, url: this.#url + prefix }, path: rest || '/' }
  }

  async #contextOf(
    request: Request,
    url: URL,
    served: ServedAgent,
    endpoint: Endpoint,
    params: Readonly<Record<string, string>>,
  ): Promise<RequestContext> {
    const principal = this.#authenticator
      ? await this.#authenticator.authenticate(request)
      : anonymous
    if (principal === undefined && endpoint.authenticated !== false)
      throw new AgentError('unauthenticated', 'Authentication is required; the card says how')
    const { tenant } = params
    if (tenant !== undefined && !this.#isTenant(tenant))
      throw new AgentError('not-found', 'There is nothing at this address')
    const make = (scope: string | undefined): RequestContext => ({
      request,
      url,
      served,
      host: this.host,
      streams: this.#streams,
      principal: toPrincipalText({ ...(principal ?? anonymous), tenant: scope }),
      isAuthenticated: this.isAuthenticated && principal !== undefined,
      params,
      extensions: extensionsOf(request),
      maxBodyBytes: this.#maxBodyBytes,
      ...(scope !== undefined && { tenant: scope }),
      withTenant: (other) =>
        other === undefined || other === '' || other === scope
          ? make(scope)
          : make(this.#checkTenant(other, scope)),
      card: () => this.#cardOf(served),
    })
    return make(tenant)
  }

  #isTenant(name: string): boolean {
    return tenantName.test(name) && !this.#routes.reserved.has(name)
  }

  #checkTenant(tenant: string, known: string | undefined): string {
    if (known !== undefined || !this.#isTenant(tenant))
      throw invalidParams(
        '/tenant',
        'is not a valid tenant',
        'The tenant is not valid, or not that of the path',
      )
    return tenant
  }

  #cardOf({ agent, url }: ServedAgent): AgentCard {
    const known = this.#cards.get(agent.name)
    if (known) return known
    const card: AgentCard = {
      ...agent.card,
      url: `${url}/`,
      interfaces: this.#wires.flatMap((wire) => wire.interfaces?.(url) ?? []),
      capabilities: { ...agent.card.capabilities, pushNotifications: false },
      ...this.#authenticator?.card,
    }
    this.#cards.set(agent.name, card)
    return card
  }
}

/** A path for a log: that of a webhook holds its secret. */
const withoutSecret = (path: string): string => path.replace(/(\/modelport\/results\/).*/, '$1…')

const isRefusal = (reason: AgentErrorReason): reason is Refusal['reason'] =>
  reason === 'unauthenticated' || reason === 'forbidden'

import { type JsonObject, LlmError } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { AgentError, type AgentErrorReason } from '../base/agent-error.js'
import type { AgentCard, AgentInterface } from '../models/card.js'
import type { Agent } from '../run/agent.js'
import { AgentHost } from '../run/host.js'
import type { TaskKey } from '../session/task-store.js'
import { signCard } from '../wire/a2a/card-signing.js'
import { createAuthenticator } from './authenticate.js'
import type { Endpoint, RequestContext, ServedAgent } from './endpoint.js'
import { checkOrigin } from './check-origin.js'
import { errorHeaders, httpStatusOf, toAgentError, toHttpError, toRpcError } from './error-forms.js'
import { endpoints, rpcEndpoint } from './endpoints.js'
import { readRpcId } from './json-rpc.js'
import { describe, type EndpointDescription, toOpenApi } from './openapi.js'
import { PushService } from './push.js'
import { extensionsOf } from './reading.js'
import { isJsonReply, json, type Reply, setHeader, toResponse } from './reply.js'
import { a2aMediaType } from './rest.js'
import { matchRoute, toRoutes } from './routes.js'
import { type AgentServer, type AgentServerOptions, type Refusal, serverOptionNames } from './server-options.js'
import { EventStreams } from './sse.js'
import { isTenant } from './tenants.js'
import { versionOf } from './version.js'
import { withoutEnd } from '../base/without-end.js'

const anonymous = 'anonymous'
const routes = toRoutes(endpoints)

/**
 * Makes a server of agents. One agent is served at the root, several at `/a/{name}/`.
 * @throws {LlmError} `config` — there is no agent, two have the same name, or an option is not valid.
 */
export function createAgentServer(agents: readonly Agent[], options: AgentServerOptions = {}): AgentServer {
  checkSettings('createAgentServer', options, serverOptionNames)
  return createReplyServer(agents, options)
}

/** A server whose replies can be written without making a `Response` of each. */
export interface ReplyServer extends AgentServer {
  /** Serves one request, as `fetch` does. */
  reply(request: Request): Promise<Reply>
}

/** Makes a server for `serve`. @throws {LlmError} as {@link createAgentServer} */
export const createReplyServer = (agents: readonly Agent[], options: AgentServerOptions): ReplyServer =>
  new Server(agents, options)

class Server implements ReplyServer {
  readonly host: AgentHost
  readonly isAuthenticated: boolean
  readonly #options: AgentServerOptions
  readonly #streams: EventStreams
  readonly #push: PushService | undefined
  readonly #authenticator: ReturnType<typeof createAuthenticator> | undefined
  readonly #agents: readonly Agent[]
  #url = ''
  #address = new URL('http://127.0.0.1')
  /** Path of the address, without a slash at its end. */
  #basePath = ''
  #isClosing = false
  /** Cards change only with the address. */
  #cards = new Map<string, AgentCard>()

  constructor(agents: readonly Agent[], options: AgentServerOptions) {
    checkAgents(agents)
    this.#agents = agents
    this.#options = options
    this.#authenticator = options.authentication?.length ? createAuthenticator(options.authentication) : undefined
    this.isAuthenticated = this.#authenticator !== undefined
    this.#streams = new EventStreams(options.streams)
    const onError = (error: unknown) => options.onError?.(error)
    this.host = new AgentHost(agents, {
      onError,
      ...(options.push && { onActive: (key: TaskKey) => this.#push?.watch(key) }),
      ...(options.store && { store: options.store }),
      ...(options.entropy && { entropy: options.entropy }),
    })
    this.#push = options.push && new PushService(this.host.store, this.host.entropy, options.push, onError)
    this.#push?.start()
    this.setUrl(options.url ?? 'http://127.0.0.1')
  }

  setUrl(url: string): void {
    if (!URL.canParse(url))
      throw new LlmError('config', `url ${JSON.stringify(url)} is not a URL; set it to the address of the server`)
    this.#url = withoutEnd(url, '/')
    this.#address = new URL(url)
    this.#basePath = this.#address.pathname.replace(/\/$/, '')
    this.#cards = new Map()
  }

  get #maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? 4 * 2 ** 20
  }

  describeEndpoints(): readonly EndpointDescription[] {
    return describe(endpoints)
  }

  toOpenApi(): JsonObject {
    return toOpenApi(endpoints, this.#url, this.#agents.map(({ name }) => name).join(', '))
  }

  async close(timeoutMs = 10_000): Promise<void> {
    this.#isClosing = true
    await this.host.drain(timeoutMs)
    this.#streams.close()
    this.#push?.close()
  }

  async fetch(request: Request): Promise<Response> {
    return toResponse(await this.reply(request))
  }

  async reply(request: Request): Promise<Reply> {
    const reply = await this.#respond(request)
    setHeader(reply, 'x-content-type-options', 'nosniff')
    if (this.#address.protocol === 'https:') setHeader(reply, 'strict-transport-security', 'max-age=31536000')
    const origin = request.headers.get('origin')
    if (origin && this.#options.allowedOrigins?.includes(origin)) {
      setHeader(reply, 'access-control-allow-origin', origin)
      const vary = isJsonReply(reply) ? null : reply.headers.get('vary')
      setHeader(reply, 'vary', vary === null ? 'Origin' : `${vary}, Origin`)
    }
    const requestId = request.headers.get('x-protolink-request-id')
    if (requestId && /^[\w.:-]{1,200}$/.test(requestId)) setHeader(reply, 'x-protolink-request-id', requestId)
    return reply
  }

  async #respond(request: Request): Promise<Reply> {
    let found: Endpoint | undefined
    try {
      const url = new URL(request.url)
      checkOrigin(request, url, this.#address, this.isAuthenticated, this.#options)
      if (request.method === 'OPTIONS') return this.#preflight(request)
      const target = this.#find(url.pathname)
      if (!target) throw new AgentError('not-found', 'There is nothing at this address')
      const match = matchRoute(routes, request.method, target.path)
      if (match === undefined) throw new AgentError('not-found', 'There is nothing at this address')
      if ('allow' in match) return this.#methodNotAllowed(match.allow)
      const { endpoint, params } = match
      found = endpoint
      if (this.#isClosing && request.method === 'POST')
        throw new AgentError('busy', 'The server is stopping', { retryAfterMs: 5_000 })
      const context = await this.#contextOf(request, url, target.served, endpoint, params)
      return await endpoint.handle(context)
    } catch (error) {
      return this.#failure(error, request, found)
    }
  }

  async #failure(cause: unknown, request: Request, endpoint: Endpoint | undefined): Promise<Reply> {
    const error = toAgentError(cause)
    if (error.reason === 'internal') this.#options.onError?.(error.cause ?? error)
    const challenge =
      error.reason === 'unauthenticated' && this.#authenticator
        ? { 'www-authenticate': this.#authenticator.challenge }
        : {}
    if (isRefusal(error.reason)) {
      const { pathname } = new URL(request.url)
      this.#options.onRefusal?.({ reason: error.reason, method: request.method, path: pathname.slice(0, 500) })
    }
    const headers = { ...errorHeaders(error), ...challenge }
    const status = httpStatusOf(error)
    if (endpoint === rpcEndpoint) {
      const isOutside = ['unauthenticated', 'forbidden', 'busy'].includes(error.reason)
      const id = isOutside ? null : await readRpcId({ request, maxBodyBytes: this.#maxBodyBytes })
      return json({ jsonrpc: '2.0', id, error: toRpcError(error) }, { status: isOutside ? status : 200, headers })
    }
    if (endpoint?.wire === 'A2A 0.3') return json(toRpcError(error), { status, headers })
    return json(toHttpError(error), { status, headers: { 'content-type': a2aMediaType, ...headers } })
  }

  #methodNotAllowed(allow: readonly string[]): Reply {
    const error = new AgentError('method-not-found', `This address serves only ${allow.join(' and ')}`)
    const headers = { 'content-type': a2aMediaType, allow: allow.join(', ') }
    return json(toHttpError(error, 405), { status: 405, headers })
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

  /** The agent of a path, and the rest of the path. */
  #find(pathname: string): { readonly served: ServedAgent; readonly path: string } | undefined {
    const base = this.#basePath
    const path = base && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
    const [only] = this.#agents
    if (this.#agents.length === 1 && only) return { served: { agent: only, prefix: '', url: this.#url }, path }
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
    const principal = this.#authenticator ? await this.#authenticator.authenticate(request) : anonymous
    if (principal === undefined && endpoint.authenticated !== false)
      throw new AgentError('unauthenticated', 'Authentication is required; the card says how')
    const { tenant } = params
    if (tenant !== undefined && !isTenant(tenant)) throw new AgentError('not-found', 'There is nothing at this address')
    const make = (scope: string | undefined): RequestContext => ({
      request,
      url,
      served,
      host: this.host,
      streams: this.#streams,
      push: this.#push,
      principal: scopedPrincipal(principal ?? anonymous, scope),
      isAuthenticated: this.isAuthenticated && principal !== undefined,
      params,
      version: versionOf(request, url, endpoint, this.#options.legacy !== false),
      extensions: extensionsOf(request),
      maxBodyBytes: this.#maxBodyBytes,
      ...(scope !== undefined && { tenant: scope }),
      withTenant: (other) =>
        other === undefined || other === '' || other === scope ? make(scope) : make(checkTenant(other, scope)),
      card: () => this.#cardOf(served),
      sign: (card) => (this.#options.signingKey ? signCard(card, this.#options.signingKey) : Promise.resolve(card)),
    })
    return make(tenant)
  }

  #cardOf({ agent, url }: ServedAgent): AgentCard {
    const known = this.#cards.get(agent.name)
    if (known) return known
    const own: readonly AgentInterface[] = [
      { url: `${url}/`, binding: 'JSONRPC', protocolVersion: '1.0' },
      { url, binding: 'HTTP+JSON', protocolVersion: '1.0' },
      ...(this.#options.legacy === false
        ? []
        : [
            { url: `${url}/`, binding: 'JSONRPC', protocolVersion: '0.3' },
            { url, binding: 'HTTP+JSON', protocolVersion: '0.3' },
          ]),
    ]
    const card: AgentCard = {
      ...agent.card,
      url: `${url}/`,
      interfaces: own,
      capabilities: { ...agent.card.capabilities, pushNotifications: this.#push !== undefined },
      ...this.#authenticator?.card,
    }
    this.#cards.set(agent.name, card)
    return card
  }
}

/** The key of a caller. No name of a principal reads as a caller of a tenant: an identity provider may let users choose theirs. */
const scopedPrincipal = (principal: string, tenant: string | undefined): string =>
  tenant !== undefined
    ? JSON.stringify([tenant, principal])
    : principal.startsWith('[')
      ? JSON.stringify([principal])
      : principal

const isRefusal = (reason: AgentErrorReason): reason is Refusal['reason'] =>
  reason === 'unauthenticated' || reason === 'forbidden'

function checkTenant(tenant: string, known: string | undefined): string {
  if (known !== undefined || !isTenant(tenant))
    throw new AgentError('invalid-params', 'The tenant is not valid, or not that of the path', {
      violations: [{ pointer: '/tenant', message: 'is not a valid tenant' }],
    })
  return tenant
}

function checkAgents(agents: readonly Agent[]): void {
  if (!agents.length) throw new LlmError('config', 'createAgentServer needs at least one agent')
  const names = agents.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new LlmError('config', `two agents have the name ${JSON.stringify(twice)}; names must differ`)
}

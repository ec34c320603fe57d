import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Agent, AgentHost } from '@modelport/agent'
import { configError, isLlmError, isObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { localPrincipal } from '@modelport/runtime'
import { admit, refuse } from './serve-guard.js'
import { type ServedMcp, type ServeMcpOptions, serveMcpNames } from './serve-options.js'
import { McpSessions } from './serve-sessions.js'
import { toAgentTool, toToolName } from './served-agent-tool.js'
import type { McpCaller } from './served-caller.js'
import { pageOf } from './served-page.js'
import { getPrompt, toListedPrompt, toServedPrompt } from './served-prompts.js'
import { OpenQuestions } from './served-questions.js'
import { readServed, toListedResources, toListedTemplates, toPlaced } from './served-resources.js'
import { callTool, toFailure, toListed } from './served-tools.js'

/**
 * Makes an MCP server of tools, agents, prompts and resources, for clients of 2026-07-28,
 * 2025-11-25 and older. Nothing listens yet: pass `fetch` to a server of HTTP, or call `stdio`.
 * @throws {TypeError} an option is not known.
 * @throws {LlmError} `config` — the name is missing, `tools` is not a list of tools, or two entries
 * have the same name.
 * @example
 * ```ts
 * import { serveMcp } from '@modelport/mcp/server'
 * import { defineTool } from '@modelport/runtime'
 *
 * const now = defineTool({ name: 'now', description: 'The time', readOnly: true, execute: () => new Date().toISOString() })
 * export const server = serveMcp({ name: 'clock', tools: [now] }) // await server.stdio(), or { fetch: server.fetch }
 * ```
 */
export function serveMcp(options: ServeMcpOptions): ServedMcp {
  checkSettings('serveMcp', options, serveMcpNames)
  return new Service(options)
}

interface Handle {
  close(): Promise<void>
}

class Service implements ServedMcp {
  readonly #options: ServeMcpOptions
  readonly #tools: readonly McpTool[]
  /** By the name of their tools. */
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #prompts
  readonly #placed
  readonly #host: Promise<AgentHost> | undefined
  readonly #onError = (error: unknown): void => this.#options.onError?.(error)
  readonly #modern = createMcpHandler(({ authInfo }) => this.#make(authInfo?.clientId ?? ''), {
    legacy: 'reject',
    onerror: this.#onError,
  })
  readonly #sessions = new McpSessions((principal) => this.#make(principal))
  readonly #questions = new OpenQuestions()
  readonly #clients = new Set<Handle>()
  #isClosed = false

  constructor(options: ServeMcpOptions) {
    const { name, tools = [], agents = [], prompts = [], resources = [] } = options
    if (typeof name !== 'string' || !name) throw configError('serveMcp: name must be a text')
    if (
      !Array.isArray(tools) ||
      !tools.every((tool) => isObject(tool) && isObject(tool['definition']))
    )
      throw configError('serveMcp: tools must be a list of tools; make each with defineTool')
    this.#options = options
    const list = 'send' in agents ? agents.agents : agents
    this.#agents = new Map(list.map((agent) => [toToolName(agent.name), agent]))
    this.#tools = [...(options.tools?.map(toListed) ?? []), ...list.map(toAgentTool)]
    this.#prompts = prompts.map(toServedPrompt)
    this.#placed = resources.map(toPlaced)
    const named = {
      tools: this.#tools.map((tool) => tool.name),
      prompts: this.#prompts.map((prompt) => prompt.name),
      resources: resources.map(({ uri }) => uri),
    }
    for (const [what, names] of Object.entries(named)) refuseTwice(what, names)
    // Its host begins at once to work on the tasks of its store.
    this.#host = list.length
      ? import('./served-agents.js').then(({ openHost }) => openHost(agents, this.#onError))
      : undefined
    this.#host?.catch(this.#onError)
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    try {
      return await this.#respond(request)
    } catch (error) {
      this.#onError(error)
      return refuse(500, 'The server failed')
    }
  }

  async #respond(request: Request): Promise<Response> {
    const principal = await admit(request, this.#options)
    if (principal instanceof Response) return principal
    if (this.#isClosed) return refuse(503, 'The server is stopping', { 'retry-after': '5' })
    if (await isLegacyRequest(request)) return this.#sessions.handle(request, principal)
    return this.#modern.fetch(request, { authInfo: { token: '', clientId: principal, scopes: [] } })
  }

  async stdio(given?: Transport): Promise<void> {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const own = given ? undefined : (await import('./serve-stdio.js')).openStdio()
    const transport = own?.transport ?? given
    if (!transport) return
    const handle = serveStdio(() => this.#make(localPrincipal), {
      transport,
      onerror: this.#onError,
    })
    this.#clients.add(handle)
    const closed = transport.onclose
    await new Promise<void>((resolve) => {
      transport.onclose = resolve
    })
    closed?.()
    this.#clients.delete(handle)
    own?.restore()
  }

  async close(timeoutMs = 10_000): Promise<void> {
    this.#isClosed = true
    await Promise.all(
      [this.#modern, this.#sessions, ...this.#clients].map((handle: Handle) => handle.close()),
    )
    const host = await this.#host
    if (host !== this.#options.agents) await host?.drain(timeoutMs)
  }

  /** A server for one request or one session of this principal. */
  #make(principal: string): McpServer {
    const { name, version = '0.0.0', instructions } = this.#options
    const made = new McpServer(
      { name, version },
      instructions === undefined ? {} : { instructions },
    )
    const { server } = made
    const callerOf = ({ mcpReq }: ServerContext): McpCaller => ({
      principal,
      signal: mcpReq.signal,
    })
    if (this.#tools.length) {
      server.registerCapabilities({ tools: {} })
      server.setRequestHandler('tools/list', ({ params }) =>
        pageOf('tools', this.#tools, params?.cursor),
      )
      server.setRequestHandler('tools/call', ({ params }, ctx) =>
        this.#call(params, principal, ctx, server),
      )
      // The official handler of HTTP compares arguments that are headers too (`x-mcp-header`) by
      // the schema that it finds here.
      const toolInputSchemaJson = (tool: string) =>
        this.#tools.find((each) => each.name === tool)?.inputSchema
      Object.assign(made, { toolInputSchemaJson })
    }
    if (this.#prompts.length) {
      server.registerCapabilities({ prompts: {} })
      server.setRequestHandler('prompts/list', ({ params }) =>
        pageOf('prompts', this.#prompts.map(toListedPrompt), params?.cursor),
      )
      server.setRequestHandler('prompts/get', ({ params }, ctx) =>
        this.#guarded('The prompt', () => getPrompt(this.#prompts, params, callerOf(ctx))),
      )
    }
    if (this.#placed.length) {
      server.registerCapabilities({ resources: {} })
      server.setRequestHandler('resources/list', ({ params }) =>
        pageOf('resources', toListedResources(this.#placed), params?.cursor),
      )
      server.setRequestHandler('resources/templates/list', ({ params }) =>
        pageOf('resourceTemplates', toListedTemplates(this.#placed), params?.cursor),
      )
      server.setRequestHandler('resources/read', ({ params }, ctx) =>
        this.#guarded('The resource', () => readServed(this.#placed, params.uri, callerOf(ctx))),
      )
    }
    return made
  }

  async #call(
    params: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
    principal: string,
    ctx: ServerContext,
    server: McpServer['server'],
  ) {
    const agent = this.#agents.get(params.name)
    const { tools = [], context } = this.#options
    try {
      if (!agent || !this.#host)
        return await callTool(tools, params, ctx, {
          principal,
          questions: this.#questions,
          context,
          onError: this.#onError,
        })
      const [{ AgentCall }, host] = await Promise.all([import('./served-agents.js'), this.#host])
      return await new AgentCall(agent, { host, principal, ctx, modes: modesOf(ctx, server) }).run(
        params.arguments ?? {},
      )
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      if (isLlmError(error)) return toFailure(error.message)
      this.#onError(error)
      return toFailure('The call failed; the operator of the server can see why')
    }
  }

  /** What application code returns; the caller is not shown what else it throws. */
  async #guarded<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      this.#onError(error)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        `${what} failed; the operator of the server can see why`,
      )
    }
  }
}

/** How the client can ask its user. One of 2025-06-18 declares no modes, and has forms. */
function modesOf(
  { mcpReq }: ServerContext,
  server: McpServer['server'],
): { form: boolean; url: boolean } {
  const envelope = mcpReq.envelope as
    | Readonly<Record<string, ClientCapabilities | undefined>>
    | undefined
  const declared = envelope
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : // oxlint-disable-next-line typescript/no-deprecated -- the only place for what a client of an older version declared
      server.getClientCapabilities()
  const elicitation = declared?.elicitation
  const { form, url } = elicitation ?? {}
  return {
    form: elicitation !== undefined && (form !== undefined || url === undefined),
    url: url !== undefined,
  }
}

function refuseTwice(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw configError(
      `serveMcp: two ${what} have the name ${JSON.stringify(twice)}; names must differ`,
    )
}

import { isLlmError, LlmError } from '@modelport/core'
import type { Tool } from '@modelport/runtime'
import type { DoctorStepInfo, ModelInfo, StudioInfo, ToolInfo } from '../protocol/protocol.js'
import { toContexts } from './context-view.js'
import { type Endpoint, json, problem } from './endpoint.js'
import { streamEvents } from './event-stream.js'
import { readCassette, readDecision, readModel, readStartRun, readToken } from './request-bodies.js'
import { isAgent, Runs } from './runs.js'
import { toHosts, toServerEndpoints } from './server-endpoints.js'
import { SessionGuard } from './session-guard.js'
import type { StudioAgent, StudioModel, StudioOptions } from './studio-options.js'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Headers of every response. */
const safe = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The server half of the studio: a handler of requests, to be bound to this machine only. */
export interface Studio {
  /** Handles one request. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Sets the port that the handler is reached at; other hosts are refused. */
  listenOn(port: number): void
  /** A one-time token for the address to print, valid for a minute. */
  oneTimeToken(): string
  /** Stops every run, waits until it is kept, and closes the store. */
  close(): Promise<void>
}

/**
 * Creates the studio. It contacts nothing until the page asks for it.
 * @example
 * ```ts no-run
 * import { createDemoModel, createStudio } from '@modelport/studio'
 * import { loadPage } from '@modelport/studio/node'
 *
 * export const studio = createStudio({ models: [createDemoModel()], assets: await loadPage() })
 * ```
 */
export function createStudio(options: StudioOptions): Studio {
  const guard = new SessionGuard()
  const runs = new Runs(options)
  const opened: StudioModel[] = []
  const models = async (): Promise<StudioModel[]> => [
    ...(typeof options.models === 'function' ? await options.models() : options.models),
    ...opened,
  ]
  const endpoints = toEndpoints(options, runs, models, opened)
  return {
    listenOn: (port) => guard.listenOn(port),
    oneTimeToken: () => guard.oneTimeToken(),
    close: () => runs.close(),
    fetch: async (request) => {
      const response = await respond(request, guard, endpoints, options).catch(toProblem)
      for (const [name, value] of Object.entries(safe)) {
        if (!response.headers.has(name)) response.headers.set(name, value)
      }
      return response
    },
  }
}

async function respond(
  request: Request,
  guard: SessionGuard,
  endpoints: readonly Endpoint[],
  { assets }: StudioOptions,
): Promise<Response> {
  const refused = guard.problemOf(request)
  if (refused !== undefined) return problem(403, 'permission', refused)
  const url = new URL(request.url)
  if (!url.pathname.startsWith('/api/')) {
    const asset = assets[url.pathname === '/' ? '/index.html' : url.pathname]
    if (!asset || request.method !== 'GET') return problem(404, 'not-found', `there is no ${url.pathname}`)
    return new Response(asset.body, { headers: { 'content-type': asset.type } })
  }
  if (request.method === 'POST' && url.pathname === '/api/session') {
    const session = guard.exchange(await readToken(request))
    if (session === undefined)
      return problem(
        403,
        'permission',
        'this address was used before or is too old; press Enter in the terminal of the studio for another one',
      )
    return json({ session })
  }
  if (!guard.hasSession(request))
    return problem(
      403,
      'permission',
      'this page has no session; press Enter in the terminal of the studio, and open the address that it prints',
    )
  for (const { method, path, handle } of endpoints) {
    const match = path.exec(url.pathname)
    if (match && method === request.method) return handle({ request, url, id: match[1] ?? '' })
  }
  return problem(404, 'not-found', `there is no ${request.method} ${url.pathname}`)
}

function toProblem(error: unknown): Response {
  if (isLlmError(error)) return problem(400, error.code, error.message)
  return problem(500, 'internal', error instanceof Error ? error.message : 'the studio failed')
}

const toInfo = (target: StudioModel | StudioAgent): ModelInfo => {
  if (isAgent(target)) return { id: target.url, provider: 'agent', model: '', hosts: target.hosts }
  const { id, provider, model, hosts, note, tools } = target
  return {
    id,
    provider,
    model,
    hosts,
    ...(note !== undefined && { note }),
    ...(tools && { tools: tools.map(toToolInfo) }),
  }
}

const toToolInfo = ({ definition: { name, description } }: Tool): ToolInfo => ({ name, description })

type Targets = (id: string) => Promise<StudioModel | StudioAgent>

function toEndpoints(
  options: StudioOptions,
  runs: Runs,
  models: () => Promise<StudioModel[]>,
  opened: StudioModel[],
): Endpoint[] {
  const agents = options.agents ?? []
  const targetOf: Targets = async (id) => {
    const target = agents.find(({ url }) => url === id) ?? (await models()).find((one) => one.id === id)
    if (!target) throw new LlmError('config', `there is no model ${JSON.stringify(id)}`)
    return target
  }
  const info = async (): Promise<StudioInfo> => ({
    models: [...(await models()), ...agents].map(toInfo),
    tools: (options.tools ?? []).map(toToolInfo),
    sources: (options.sources ?? []).map(({ name, apiHosts: hosts }) => ({ name, hosts })),
    formats: Object.keys(options.allowLists ?? {}),
    doctor: options.doctor !== undefined,
    ...(options.file !== undefined && { file: options.file }),
  })
  return [
    { method: 'GET', path: /^\/api\/info$/, handle: async () => json(await info()) },
    ...toRunEndpoints(runs, targetOf),
    ...toServerEndpoints(options),
    {
      method: 'POST',
      path: /^\/api\/cassettes$/,
      handle: async ({ request }) => {
        if (!options.openCassette) return problem(404, 'not-found', 'this studio cannot open cassettes')
        const model = await options.openCassette(await readCassette(request))
        const id = `${model.id} (${opened.length + 1})`
        opened.push({ ...model, id })
        return json(toInfo({ ...model, id }))
      },
    },
    { method: 'GET', path: /^\/api\/hosts$/, handle: async () => json(await toHosts(options)) },
    {
      method: 'GET',
      path: /^\/api\/allow-lists\/([\w-]+)$/,
      handle: async ({ id }) => {
        const list = await options.allowLists?.[id]?.()
        return list ? json(list) : problem(404, 'not-found', `there is no format ${JSON.stringify(id)}`)
      },
    },
    {
      method: 'POST',
      path: /^\/api\/doctor$/,
      handle: async ({ request }) => {
        if (!options.doctor) return problem(404, 'not-found', 'this studio has no connection test')
        const model = await readModel(request)
        return streamSteps(options.doctor(model, request.signal))
      },
    },
  ]
}

function toRunEndpoints(runs: Runs, targetOf: Targets): Endpoint[] {
  const path = (rest: string): RegExp => new RegExp(`^/api/runs/([\\w-]+)${rest}$`)
  const found: Found = async (id, make) =>
    (await runs.find(id)) ? make() : problem(404, 'not-found', `there is no run ${JSON.stringify(id)}`)
  return [
    { method: 'GET', path: /^\/api\/runs$/, handle: async () => json(await runs.list()) },
    {
      method: 'POST',
      path: /^\/api\/runs$/,
      handle: async ({ request }) => {
        const start = await readStartRun(request)
        return json(await runs.start(start, await targetOf(start.model)), 201)
      },
    },
    { method: 'GET', path: path(''), handle: ({ id }) => found(id, async () => json(await runs.find(id))) },
    {
      method: 'DELETE',
      path: path(''),
      handle: ({ id }) =>
        found(id, async () => {
          await runs.delete(id)
          return new Response(null, { status: 204 })
        }),
    },
    {
      method: 'GET',
      path: path('/events'),
      handle: ({ id, request, url }) =>
        found(id, () => {
          const after = Number(request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? 0)
          return streamEvents(runs, id, Number.isInteger(after) && after > 0 ? after : 0)
        }),
    },
    ...toControlEndpoints(runs, path, found, targetOf),
    ...toRecordEndpoints(runs, path, found),
  ]
}

type Found = (id: string, make: () => Promise<Response>) => Promise<Response>

const elsewhere = 'another studio that uses the same file runs this run; stop it and decide on its page'

/** The actions of a person on a run. */
function toControlEndpoints(runs: Runs, path: (rest: string) => RegExp, found: Found, targetOf: Targets): Endpoint[] {
  return [
    {
      method: 'POST',
      path: path('/stop'),
      handle: ({ id }) =>
        found(id, async () => {
          if ((await runs.find(id))?.elsewhere) return problem(409, 'invalid-request', elsewhere)
          runs.live(id)?.stop()
          return new Response(null, { status: 204 })
        }),
    },
    {
      method: 'POST',
      path: path('/decisions'),
      handle: ({ id, request }) =>
        found(id, async () => {
          const decided = runs.live(id)?.decide(await readDecision(request)) === true
          if (!decided && (await runs.find(id))?.elsewhere) return problem(409, 'invalid-request', elsewhere)
          if (!decided) return problem(409, 'invalid-request', 'no call with this id is waiting for a decision')
          return new Response(null, { status: 204 })
        }),
    },
    {
      method: 'POST',
      path: path('/continue'),
      handle: ({ id }) =>
        found(id, async () => {
          const run = await runs.find(id)
          return json(await runs.continue(id, await targetOf(run?.model ?? '')))
        }),
    },
  ]
}

/** The record of a run. */
function toRecordEndpoints(runs: Runs, path: (rest: string) => RegExp, found: Found): Endpoint[] {
  return [
    {
      method: 'GET',
      path: path('/exchanges'),
      handle: ({ id }) => found(id, async () => json(await (await runs.storeFor(id)).exchanges(id))),
    },
    {
      method: 'GET',
      path: path('/cassette'),
      handle: ({ id }) => found(id, async () => json((await (await runs.storeFor(id)).cassette(id)) ?? null)),
    },
    {
      method: 'GET',
      path: path('/context'),
      handle: ({ id }) => found(id, async () => json(toContexts(runs.live(id)?.events ?? (await runs.events(id, 0))))),
    },
  ]
}

function streamSteps(steps: AsyncIterable<DoctorStepInfo>): Response {
  const encoder = new TextEncoder()
  const iterator = steps[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(`data: ${JSON.stringify([next.value])}\n\n`))
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

import { configError, isLlmError, isObject } from '@modelport/core'
import type { Tool, ToolSource } from '@modelport/runtime'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { challengeHeader } from '../protocol/program-proof.js'
import type { DoctorStepInfo, ModelInfo, StudioInfo, ToolInfo } from '../protocol/protocol.js'
import { ownTools } from '../protocol/run-status.js'
import { eventStream } from './event-stream.js'
import { takeProgram, takeProvenProgram } from './ingest.js'
import { takeTraces } from './otlp/otlp.js'
import { problem } from './problem.js'
import { readCallSource, readCassette, readModel, readSource, readToken } from './request-bodies.js'
import { runRoutes, type Targets } from './run-routes.js'
import { isAgent, Runs } from './runs.js'
import { readCard, toHosts } from './server-facts.js'
import { SessionGuard } from './session-guard.js'
import type { StudioAgent, StudioModel, StudioOptions } from './studio-options.js'
import { callTool, listTools, offeredTools } from './tool-sources.js'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src data:; " +
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
  /** The token with which programs show themselves, valid until the studio ends. */
  readonly programToken: string
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
 * @throws {LlmError} `config` — `models` or `assets` is missing or of another form.
 */
export function createStudio(options: StudioOptions): Studio {
  if (!Array.isArray(options.models))
    throw configError('the option models must be a list, such as [createDemoModel()]')
  if (!isObject(options.assets) || 'then' in options.assets)
    throw configError(
      'the option assets must be the files of the page: await loadPage() of @modelport/studio/node',
    )
  const guard = new SessionGuard()
  const runs = new Runs(options)
  const app = guarded(guard, options, runs).route('/api', routes(options, runs))
  const respond = async (request: Request): Promise<Response> => app.fetch(request)
  return {
    listenOn: (port) => guard.listenOn(port),
    oneTimeToken: () => guard.oneTimeToken(),
    programToken: guard.programToken,
    close: () => runs.close(),
    fetch: async (request) => {
      const response = await respond(request).catch(toProblem)
      for (const [name, value] of Object.entries(safe)) {
        if (!response.headers.has(name)) response.headers.set(name, value)
      }
      return response
    },
  }
}

/** Serves the files of the page to everybody on this machine, and its API to the page alone. */
function guarded(guard: SessionGuard, { assets }: StudioOptions, runs: Runs): Hono {
  const app = new Hono()
  app.onError(toProblem)
  app.notFound(({ req: { method, path } }) =>
    problem(404, 'not-found', `there is no ${path.startsWith('/api/') ? `${method} ` : ''}${path}`),
  )
  app.use(async ({ req }, next) => {
    const refused = guard.problemOf(req.raw)
    return refused === undefined ? next() : problem(403, 'permission', refused)
  })
  app.post('/api/session', async ({ req }) => {
    const session = guard.exchange(await readToken(req.raw))
    if (session !== undefined) return Response.json({ session })
    return problem(
      403,
      'permission',
      'this address was used before or is too old; press Enter in the terminal of the studio for another one',
    )
  })
  app.post('/attach', ({ req: { raw } }) => {
    if (raw.headers.has(challengeHeader)) return takeProvenProgram(raw, runs, guard.programToken)
    if (guard.hasProgramToken(raw)) return takeProgram(raw, runs)
    return problem(403, 'permission', 'this is not the token of this studio; it was started again')
  })
  app.post('/v1/traces', ({ req: { raw } }) =>
    takeTraces(raw, runs.traces, guard.hasProgramToken(raw)),
  )
  app.use('/api/*', async ({ req }, next) => {
    if (guard.hasSession(req.raw)) return next()
    return problem(
      403,
      'permission',
      'this page has no session; press Enter in the terminal of the studio, and open the address that it prints',
    )
  })
  app.get('/*', compress(), async ({ req: { path } }, next) => {
    const asset = assets[path === '/' ? '/index.html' : path]
    return asset ? new Response(asset.body, { headers: { 'content-type': asset.type } }) : next()
  })
  return app
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

const toToolInfo = ({ definition: { name, description } }: Tool): ToolInfo => ({
  name,
  description,
})

/** The tools of the studio and of its models, to be called by hand as those of a server are. */
const ownSource = (
  { tools }: StudioOptions,
  models: () => Promise<readonly StudioModel[]>,
): ToolSource => ({
  name: ownTools,
  apiHosts: [],
  close: () => Promise.resolve(),
  tools: async () =>
    offeredTools(
      (await models()).flatMap(({ tools: own = [] }) => own),
      tools,
    ),
})

/** What the page asks for, below `/api`. */
function routes(options: StudioOptions, runs: Runs): Hono {
  const { agents = [], sources = [] } = options
  const opened: StudioModel[] = []
  const models = async (): Promise<StudioModel[]> => [
    ...(typeof options.models === 'function' ? await options.models() : options.models),
    ...opened,
  ]
  const targetOf: Targets = async (id) => {
    const target =
      agents.find(({ url }) => url === id) ?? (await models()).find((one) => one.id === id)
    if (!target) throw configError(`there is no model ${JSON.stringify(id)}`)
    return target
  }
  const info = async (): Promise<StudioInfo> => ({
    models: [...(await models()), ...agents].map(toInfo),
    tools: (options.tools ?? []).map(toToolInfo),
    sources: sources.map(({ name, apiHosts: hosts }) => ({ name, hosts })),
    formats: Object.keys(options.allowLists ?? {}),
    doctor: options.doctor !== undefined,
    durableStore: options.durableStore !== undefined,
    ...(options.file !== undefined && { file: options.file }),
  })
  const app = new Hono()
  app.get('/info', async () => Response.json(await info()))
  app.route('/runs', runRoutes(runs, targetOf))
  app.post('/agents/card', async ({ req: { raw } }) =>
    Response.json(await readCard(agents, await readModel(raw), raw.signal)),
  )
  const callable = [...sources, ownSource(options, models)]
  app.post('/sources/tools', async ({ req: { raw } }) =>
    Response.json(await listTools(callable, await readSource(raw), raw.signal)),
  )
  app.post('/sources/call', async ({ req: { raw } }) =>
    Response.json(await callTool(callable, await readCallSource(raw), raw.signal)),
  )
  app.post('/cassettes', async ({ req: { raw } }) => {
    if (!options.openCassette) return problem(404, 'not-found', 'this studio cannot open cassettes')
    const model = await options.openCassette(await readCassette(raw))
    const id = `${model.id} (${opened.length + 1})`
    opened.push({ ...model, id })
    return Response.json(toInfo({ ...model, id }))
  })
  app.get('/stored', async () => {
    const { durableStore } = options
    return durableStore
      ? Response.json(await durableStore())
      : problem(404, 'not-found', 'this studio was started without a store')
  })
  app.get('/hosts', async () => Response.json(await toHosts(options)))
  app.get('/allow-lists/:format', async ({ req }) => {
    const format = req.param('format')
    const list = await options.allowLists?.[format]?.()
    return list
      ? Response.json(list)
      : problem(404, 'not-found', `there is no format ${JSON.stringify(format)}`)
  })
  app.post('/doctor', async ({ req: { raw } }) => {
    if (!options.doctor) return problem(404, 'not-found', 'this studio has no connection test')
    return eventStream(doctorMessages(options.doctor(await readModel(raw), raw.signal)))
  })
  return app
}

async function* doctorMessages(steps: AsyncIterable<DoctorStepInfo>): AsyncGenerator<string> {
  for await (const step of steps) yield `data: ${JSON.stringify([step])}\n\n`
}

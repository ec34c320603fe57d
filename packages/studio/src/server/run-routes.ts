import { Hono } from 'hono'
import { toContexts } from './context-view.js'
import { streamEvents } from './event-stream.js'
import { problem } from './problem.js'
import { readQuery } from './read-query.js'
import { readDecision, readRunFile, readStartRun } from './request-bodies.js'
import { toRunFile } from './run-file.js'
import type { Runs } from './runs.js'
import type { StudioAgent, StudioModel } from './studio-options.js'

/** Finds a model or an agent. @throws {LlmError} `config` — there is none. */
export type Targets = (id: string) => Promise<StudioModel | StudioAgent>

const elsewhere = (): Response =>
  problem(
    409,
    'invalid-request',
    'another studio that uses the same file runs this run; stop it and decide on its page',
  )

const done = (): Response => new Response(null, { status: 204 })

/** The runs: their list, their records, and the actions of a person on a run. */
export function runRoutes(runs: Runs, targetOf: Targets): Hono {
  const app = new Hono()
  addLists(app, runs)
  app.post('/', async ({ req }) => {
    const start = await readStartRun(req.raw)
    return Response.json(await runs.start(start, await targetOf(start.model)), { status: 201 })
  })
  app.use('/:id/*', async ({ req }, next) => {
    const id = req.param('id')
    return (await runs.find(id))
      ? next()
      : problem(404, 'not-found', `there is no run ${JSON.stringify(id)}`)
  })
  app.get('/:id', async ({ req }) => {
    const id = req.param('id')
    const run = await runs.find(id)
    const tree = await (await runs.storeFor(id)).tree(id)
    return Response.json(run && { ...run, ...(tree && { tree }) })
  })
  app.delete('/:id', async ({ req }) => {
    await runs.delete(req.param('id'))
    return done()
  })
  app.get('/:id/events', ({ req }) => {
    const after = Number(req.header('last-event-id') ?? req.query('after') ?? 0)
    return streamEvents(runs, req.param('id'), Number.isInteger(after) && after > 0 ? after : 0)
  })
  app.post('/:id/stop', async ({ req }) => {
    const id = req.param('id')
    if ((await runs.find(id))?.elsewhere) return elsewhere()
    runs.live(id)?.stop()
    return done()
  })
  app.post('/:id/decisions', async ({ req }) => {
    const id = req.param('id')
    if (runs.live(id)?.decide(await readDecision(req.raw))) return done()
    if ((await runs.find(id))?.elsewhere) return elsewhere()
    return problem(409, 'invalid-request', 'no call with this id is waiting for a decision')
  })
  app.post('/:id/continue', async ({ req }) => {
    const id = req.param('id')
    const run = await runs.find(id)
    return Response.json(await runs.continue(id, await targetOf(run?.model ?? '')))
  })
  app.get('/:id/exchanges', async ({ req }) => {
    const id = req.param('id')
    return Response.json(await (await runs.storeFor(id)).exchanges(id))
  })
  app.get('/:id/cassette', async ({ req }) => {
    const id = req.param('id')
    return Response.json((await (await runs.storeFor(id)).cassette(id)) ?? null)
  })
  app.get('/:id/file', async ({ req }) => {
    const id = req.param('id')
    const run = await runs.find(id)
    return Response.json(
      run && (await toRunFile(await runs.storeFor(id), run, await runs.events(id, 0))),
    )
  })
  app.get('/:id/context', async ({ req }) => {
    const id = req.param('id')
    return Response.json(toContexts(runs.live(id)?.events ?? (await runs.events(id, 0))))
  })
  return app
}

/** The routes of many runs, and of a run from a file. */
function addLists(app: Hono, runs: Runs): void {
  app.get('/', async ({ req }) => {
    const { query, limit } = readQuery(req.query())
    return Response.json(await runs.list(limit, query))
  })
  app.get('/totals', async ({ req }) => {
    const { query, by } = readQuery(req.query())
    return Response.json(await runs.totals(query, by))
  })
  app.post('/import', async ({ req }) =>
    Response.json(await runs.import(await readRunFile(req.raw)), { status: 201 }),
  )
  app.get('/names', async () => Response.json(await runs.names()))
}

// `node src/main.ts` answers requests and makes replies. With `web` it only answers requests, with
// `worker` it only makes replies: as many processes of each as you like, on the same database.
import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { chatRoutes } from '@modelport/durable/chat'
import { openPostgresStore } from '@modelport/durable/postgres'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { Hono } from 'hono'
import { createAssistant } from './assistant.ts'
import { buildPage } from './build-page.ts'
import { createModel } from './model.ts'
import { Sessions } from './sessions.ts'

const {
  DATABASE_URL: databaseUrl,
  LEASE_MS: leaseMs = '15000',
  MODEL: model,
  MODEL_KEY: modelKey,
  MODEL_URL: modelUrl,
  PORT: port = '3000',
  SESSION_SECRET: secret = randomUUID(),
} = process.env
const role = process.argv[2]

const options = { leaseMs: Number(leaseMs) }
const store = databaseUrl
  ? await openPostgresStore(databaseUrl, options)
  : await openSqliteStore('chat.db', options)
const sessions = new Sessions(secret)
const chat = chatRoutes({
  agent: createAssistant(createModel(modelUrl, model, modelKey), store),
  store,
  work: role !== 'web',
  onError: (error) => console.error(error),
  authorize: (request) => {
    const subject = sessions.userOf(request)
    return subject === undefined ? undefined : { subject }
  },
})

const app = new Hono()
if (role === 'worker') {
  // A health check, which also keeps the process alive.
  app.get('/health', (context) => context.text('ok'))
} else {
  const page = await buildPage()
  app.all('/api/chat/*', (context) => chat.fetch(context.req.raw))
  app.all('/api/chat', (context) => chat.fetch(context.req.raw))
  app.get('*', (context) => {
    const file = page(context.req.path)
    return file ? sessions.withSession(context.req.raw, file) : context.notFound()
  })
}
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) }, (address) =>
  console.log(`http://127.0.0.1:${address.port}`),
)

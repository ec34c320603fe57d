// A service for Restate: it wakes runs by their ids. What a run did, and what somebody decided, is
// in the store alone.
import { createServer } from 'node:http2'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { infer } from '@modelport/runtime'
import * as restate from '@restatedev/restate-sdk'
import { createContinue } from './continue.ts'
import { createOfflineModel, createPayTool } from './payer.ts'

const [, , folder = '.', port = '9080'] = process.argv
const store = await openSqliteStore(`${folder}/runs.db`, { leaseMs: 2000 })

const invoices = restate.service({
  name: 'invoices',
  handlers: {
    continue: createContinue(store, (id) => (run) => {
      const tools = [createPayTool(folder)]
      return infer(createOfflineModel(id), run.request({ query: `Pay ${id}.`, tools }))
    }),
  },
})

createServer(restate.createEndpointHandler({ services: [invoices] })).listen(
  Number(port),
  '127.0.0.1',
  () => {
    console.log('ready')
  },
)

// A service whose tool needs an approval that nobody gives: the run waits until the request
// expires.
import { createServer } from 'node:http2'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { infer } from '@modelport/runtime'
import * as restate from '@restatedev/restate-sdk'
import { createContinue } from '../src/continue.ts'
import { createOfflineModel, createPayTool } from '../src/payer.ts'

const [, , folder = '.', port = '9080'] = process.argv
const store = await openSqliteStore(`${folder}/runs.db`, { leaseMs: 2000 })
const invoices = restate.service({
  name: 'invoices',
  handlers: {
    continue: createContinue(store, (id) => (run) => {
      const authorize = () => ({
        effect: 'require-approval' as const,
        expiresAt: Date.now() + 1000,
      })
      return infer(
        createOfflineModel(id),
        run.request({ query: `Pay ${id}.`, tools: [createPayTool(folder)], authorize }),
      )
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

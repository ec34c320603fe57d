// A service whose workflow is the run: Restate performs and remembers each effect, and nothing else
// stores anything.
import { createServer } from 'node:http2'
import { infer, type ResumeDecision } from '@modelport/runtime'
import { type RestatePending, restateEngine, restateState } from '@modelport/runtime/engines'
import * as restate from '@restatedev/restate-sdk'
import { createOfflineModel, createPayTool } from '../src/payer.ts'

const [, , folder = '.', port = '9080'] = process.argv

const payments = restate.workflow({
  name: 'payments',
  handlers: {
    run: async (context: restate.WorkflowContext) => {
      const id = context.key
      const { status, text } = await infer(createOfflineModel(id), {
        query: `Pay ${id}.`,
        tools: [createPayTool(folder)],
        durable: { runId: id, engine: restateEngine(context) },
      })
      return { status, text }
    },

    pending: (context: restate.WorkflowSharedContext) => context.get<RestatePending>(restateState),

    decide: async (context: restate.WorkflowSharedContext, decision: ResumeDecision) => {
      const waiting = await context.get<RestatePending>(restateState)
      if (waiting) await context.promise<ResumeDecision>(waiting.key).resolve(decision)
    },
  },
})

createServer(restate.createEndpointHandler({ services: [payments] })).listen(
  Number(port),
  '127.0.0.1',
  () => {
    console.log('ready')
  },
)

// A program on DBOS: `node … dbos-program.ts URL SCHEMA WORKFLOW LEDGER HOW`. `die` kills the
// process in the payment, once the payment is made; `go` continues what DBOS finds.
import { appendFileSync } from 'node:fs'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type Tool } from '@modelport/runtime'
import { dbosEngine } from '@modelport/runtime/engines'

const [, , url = '', schema = '', kind = '', ledger = '', how = ''] = process.argv

const parameters = {
  type: 'object',
  properties: { eur: { type: 'number' } },
  required: ['eur'],
} as const

const pay = (settings: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 'pay',
    description: 'Pays',
    parameters,
    execute: ({ eur }, { run }) => {
      appendFileSync(ledger, `${eur} ${run.idempotencyKey}\n`)
      if (how === 'die') process.kill(process.pid, 'SIGKILL')
      return new Promise((resolve) => setTimeout(() => resolve('paid'), how === 'die' ? 60_000 : 0))
    },
  }),
  ...settings,
})

const tools: Readonly<Record<string, Tool>> = {
  once: pay(),
  idempotent: pay({ idempotent: true }),
  approved: pay(),
}

const provider = createMock({
  defaultResponse: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Done.'
      : { toolCalls: [{ id: 'c1', name: 'pay', arguments: { eur: 100 } }] },
})

async function payInvoice(id: string): Promise<object> {
  const result = await infer(provider, {
    query: `Pay ${id}.`,
    tools: [tools[kind] ?? pay()],
    ...(kind === 'approved' && { authorize: () => ({ effect: 'require-approval' as const }) }),
    durable: { runId: id, engine: dbosEngine(DBOS) },
  })
  const said = result.transcript.flatMap((message) =>
    message.role === 'tool' ? [message.content] : [],
  )
  return { status: result.status, text: result.text, said }
}

DBOS.setConfig({
  name: 'invoices',
  systemDatabaseUrl: url,
  systemDatabaseSchemaName: schema,
  logLevel: 'error',
})
const workflow = DBOS.registerWorkflow(payInvoice, { name: 'payInvoice' })
await DBOS.launch()
console.log('launched')
// The same id again is the same workflow: DBOS gives the one that it has.
const handle = await DBOS.startWorkflow(workflow, { workflowID: 'invoice-7' })('invoice-7')
console.log(JSON.stringify(await handle.getResult()))
await DBOS.shutdown()

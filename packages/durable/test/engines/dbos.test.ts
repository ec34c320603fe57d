// `infer` on DBOS: a real process is killed in a payment, another one continues the workflow.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { PendingItem, ResumeDecision } from '@modelport/runtime'
import { dbosTopic } from '@modelport/runtime/engines'
import { expect, inject, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import '../support/databases.js'

const url = inject('postgresUrl')
const hooks = fileURLToPath(new URL('../support/typescript-hooks.mjs', import.meta.url))
const program = fileURLToPath(new URL('./dbos-program.ts', import.meta.url))

/** A workflow whose tool pays, and what a person sees of it. */
async function workflow(kind: 'once' | 'idempotent' | 'approved') {
  const ledger = join(temporaryFolder('dbos'), 'ledger.txt')
  const schema = `dbos_${kind}`
  const start = (how: 'die' | 'go') => {
    const child = spawn(
      process.execPath,
      ['--import', hooks, program, url, schema, kind, ledger, how],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    const launched: PromiseWithResolvers<void> = Promise.withResolvers()
    child.stdout.on('data', (text) => {
      printed += String(text)
      if (printed.startsWith('launched\n')) launched.resolve()
    })
    const ended = once(child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as string | null,
      printed: printed.replace('launched\n', '').trim(),
    }))
    return { ended, launched: launched.promise }
  }
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
  })
  onTestFinished(() => client.destroy())
  return {
    start,
    payments: () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []),
    pending: async (): Promise<PendingItem> => {
      for (;;) {
        const all = await client.getEvent<PendingItem[]>('invoice-7', dbosTopic, 60)
        if (all?.[0]) return all[0]
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    decide: (decision: ResumeDecision) => client.send('invoice-7', decision, dbosTopic),
  }
}

test.skipIf(url === '')(
  'a payment in which the process died on DBOS is not made again: a person says that it was made',
  async () => {
    const { start, payments, pending, decide } = await workflow('once')
    expect(await start('die').ended).toMatchObject({ signal: 'SIGKILL' })
    const { ended } = start('go')
    const item = await pending()
    expect(item).toMatchObject({ type: 'uncertain', action: { tool: 'pay', args: { eur: 100 } } })
    await decide({ type: 'result', id: item.id, result: 'it was paid' })
    expect(await ended).toMatchObject({
      code: 0,
      printed: '{"status":"final","text":"Done.","said":["it was paid"]}',
    })
    expect(payments()).toHaveLength(1)
  },
)

test.skipIf(url === '')(
  'an idempotent payment in which the process died on DBOS is sent again with the same key',
  async () => {
    const { start, payments } = await workflow('idempotent')
    expect(await start('die').ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await start('go').ended).toMatchObject({ code: 0 })
    expect(payments()).toHaveLength(2)
    expect(new Set(payments()).size).toBe(1)
  },
)

test.skipIf(url === '')(
  'an approval on DBOS is given by a message, and pays once although the process died in it',
  async () => {
    const { start, payments, pending, decide } = await workflow('approved')
    const first = start('die')
    await first.launched
    const asked = await pending()
    expect(asked).toMatchObject({ type: 'approval' })
    if (asked.type !== 'approval') return
    await decide({ type: 'approve', id: asked.id, digest: asked.digest, by: 'Ada' })
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })
    const { ended } = start('go')
    let item = await pending()
    while (item.type !== 'uncertain') item = await pending()
    await decide({ type: 'result', id: item.id, result: 'it was paid' })
    expect(await ended).toMatchObject({ code: 0 })
    expect(payments()).toHaveLength(1)
  },
)

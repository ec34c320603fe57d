// Two processes of an agent in a row end at each of their writes in turn; a third one continues. Nothing is lost, doubled, or decided by nobody.
import { AgentHost, createAgent, isTerminal, messages } from '@modelport/agent'
import { textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import type { Database } from '../src/database/database.js'
import { openSqliteDatabase } from '../src/sqlite/sqlite.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { forEachCut, World } from './cuts/world.js'
import { emptyDatabases } from './support/databases.js'
import { dyingDatabase } from './support/dying-database.js'

const principal = 'alice'

/** An agent that mails and pays in one step, then files. Paying needs an approval. */
const agentOf = (world: World) =>
  createAgent({
    card: { name: 'payer', description: 'Pays' },
    tools: [world.tool('mail'), world.tool('pay'), world.tool('again', true)],
    policy: { rules: { 'tool.pay': 'require-approval' } },
    provider: createMock({
      defaultResponse: ({ messages: asked }) => {
        const replies = asked.filter(({ role }) => role === 'assistant').length
        if (replies === 0)
          return {
            text: 'I mail and pay.',
            toolCalls: [
              { id: 'c1', name: 'mail' },
              { id: 'c2', name: 'pay' },
            ],
          }
        return replies === 1 ? { toolCalls: [{ id: 'c3', name: 'again' }] } : 'Done.'
      },
    }),
  })

interface Place {
  readonly name: string
  readonly isMissing: boolean
  /** Every how many second cuts, at the size of every commit. */
  readonly every: number
  open(): Promise<Database>
}

const places: readonly Place[] = [
  { name: 'memory', isMissing: false, every: atSize(40, 1), open: () => openSqliteDatabase(':memory:') },
  ...emptyDatabases().map((place) => ({ ...place, every: atSize(60, 1) })),
]

for (const { name, isMissing, every, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let inner: Database
    beforeAll(async () => {
      inner = await open()
    })
    afterAll(() => inner.close())

    test('an agent with an approval: two cuts in a row, after each pair of writes', async () => {
      await forEachCut(every, atSize(name === 'memory' ? 4 : 8, 1), async (cuts) => {
        const world = new World()
        const message = messages.user('Mail, then pay')
        const reached: boolean[] = []
        for (const [index, at] of [cuts.first, cuts.second].entries()) {
          const { database, isDead } = dyingDatabase(inner, { at, commits: cuts.commits[index]! })
          await work(database, world, message, isDead)
          reached.push(isDead())
          await inner.write([{ sql: `UPDATE runs SET due = 0, crashes = 0 WHERE status IN ('running', 'ready')` }])
        }
        const id = await work(inner, world, message, () => false)
        await expectRight(inner, id ?? '', world, JSON.stringify(cuts))
        return { first: reached[0]!, second: reached[1]! }
      })
    })
  })

/** Serves the agent until the task is over or the process has ended; the person decides with a database that does not end. */
async function work(
  database: Database,
  world: World,
  message: ReturnType<typeof messages.user>,
  isDead: () => boolean,
): Promise<string | undefined> {
  const store = createDurableStore(database, {})
  const host = new AgentHost([agentOf(world)], { store })
  try {
    // The caller sends its message again until it is accepted: it has an id.
    const { task } = await host.send({ agent: 'payer', principal, message })
    await host.recover([{ principal, id: task.id }])
    for (let from = 0; !isDead(); ) {
      const settled = await Promise.race([host.settled({ principal, id: task.id }, from), died(isDead)])
      if (!settled || isTerminal(settled.state)) return task.id
      from = (await store.tasks.head({ principal, id: task.id }))?.seq ?? 0
      await decide(store, world, task.id)
      await host.recover([{ principal, id: task.id }])
    }
    return task.id
  } catch (error) {
    if (!isDead()) throw error
    return undefined
  } finally {
    await host.drain(0)
  }
}

/** Resolves once the process has ended. */
async function died(isDead: () => boolean): Promise<undefined> {
  while (!isDead()) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** What a person does: approves, and says of an unknown outcome what the ledger says. */
async function decide(store: ReturnType<typeof createDurableStore>, world: World, id: string): Promise<void> {
  const [item] = (await store.operations.list({ limit: 1000 })).filter((one) => one.id === id)
  for (const call of item?.waitsFor ?? []) {
    const tool = String((call.action as { readonly tool?: unknown }).tool)
    if (call.kind === 'approval') {
      world.approved.add(tool)
      await store.operations.decide(id, { type: 'approve' }, call.requestId)
    } else {
      const key = /idempotency key ([^)]+)/.exec(call.reason ?? '')?.[1] ?? ''
      world.report(key)
      const decision = world.hasHappened(key) ? ({ type: 'happened', result: 'seen' } as const) : undefined
      await store.operations.decide(id, decision ?? { type: 'did-not-happen' }, call.requestId)
    }
    // A decision ends the wait: the rest is asked again.
    return
  }
}

async function expectRight(inner: Database, id: string, world: World, what: string): Promise<void> {
  const store = createDurableStore(inner, {})
  const key = { principal, id }
  const { task } = (await store.tasks.load(key))!
  expect([what, task.state, world.doubled]).toEqual([what, 'completed', []])
  const names = [...world.effects.keys()].map((one) => one.split(' ')[0]).sort()
  expect([what, names]).toEqual([what, ['again', 'mail', 'pay']])
  expect([what, [...world.approved]]).toEqual([what, ['pay']])
  const events = await store.tasks.read(key, 1)
  expect([what, events.map(({ seq }) => seq)]).toEqual([what, events.map((_, index) => index + 1)])
  // Every event of the run once, or again under a later attempt.
  const own = events.flatMap((event) => (event.type === 'run' ? `${event.attempt} ${event.event.seq}` : []))
  expect([what, own.filter((one, index) => own.indexOf(one) !== index)]).toEqual([what, []])
  const ends = events.filter((event) => event.type === 'status' && isTerminal(event.state))
  expect([what, ends.length]).toEqual([what, 1])
  const [session] = await store.sessions
    .list(principal, 'payer')
    .then((all) => all.filter((one) => one.key.id === task.sessionId))
  const said = (await store.sessions.read(session!.key, 1)).flatMap((entry) =>
    entry.type === 'messages' ? entry.messages : [],
  )
  expect([what, said.map(({ role }) => role)]).toEqual([
    what,
    ['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant'],
  ])
  const told = said.flatMap((one) => (one.role === 'tool' ? [textOf(one.content)] : []))
  expect([what, told.filter((text) => !/^(?:done|seen)/.test(text))]).toEqual([what, []])
}

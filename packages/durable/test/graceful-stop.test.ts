// A process that stops leaves behind what a killed one does: the next one reports what became of
// the work.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import type { StoredRunEvent } from '../src/runs/durable-runs.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { definitionOf, type Effects, scriptedModel, toolOf } from './kill/adapter/script.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const prompt = 'job [["again"]]'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    let began: PromiseWithResolvers<void>
    let calls: number
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, {})
      began = Promise.withResolvers()
      calls = 0
    })
    afterEach(() => database.close())

    /** The first call does not end by itself. */
    const effects: Effects = () => {
      began.resolve()
      return ++calls === 1 ? new Promise(() => undefined) : Promise.resolve('done')
    }

    test('a run that a worker gave back has one end for each call', async () => {
      const definition = definitionOf(effects, 1)
      const first = store.runs.work([definition])
      await store.runs.start('job', definition, prompt)
      await began.promise
      await first.stop()
      const second = store.runs.work([definition])
      expect(await store.runs.result('job')).toMatchObject({ status: 'final', text: 'Done.' })
      await second.stop()
      const events: StoredRunEvent[] = []
      for await (const event of store.runs.events('job')) events.push(event)
      expect(events.every(({ seq }, index) => seq === index + 1)).toBe(true)
      expect(events.filter(({ type }) => /^tool-(?:result|error)$/.test(type))).toMatchObject([
        { type: 'tool-result' },
      ])
      expect(calls).toBe(2)
    })

    test('a task whose server stopped has one end for each call', async () => {
      const agent = createAgent({
        card: { name: 'worker', description: 'Works' },
        tools: [toolOf('again', effects)],
        provider: scriptedModel('Done.'),
      })
      const first = new AgentHost([agent], { store })
      const { task } = await first.send({
        agent: 'worker',
        principal,
        message: createMessage('user', prompt),
      })
      await began.promise
      await first.drain(0)
      const key = { principal, id: task.id }
      const second = new AgentHost([agent], { store })
      expect(await second.settled(key, 0)).toMatchObject({ state: 'completed' })
      await second.drain(1000)
      const events = (await store.tasks.read(key, 1)).flatMap((event) =>
        event.type === 'run' ? [event] : [],
      )
      const numbers = events.map(({ attempt, event }) => `${attempt}/${event.seq}`)
      expect(numbers).toEqual([...new Set(numbers)])
      const ends = events.filter(({ event }) => /^tool-(?:result|error)$/.test(event.type))
      expect(ends).toMatchObject([{ event: { type: 'tool-result' } }])
      expect(calls).toBe(2)
    })

    test('a server that stopped has given back the task that it cut off, so that its store can be closed', async () => {
      const agent = createAgent({
        card: { name: 'worker', description: 'Works' },
        tools: [toolOf('again', effects)],
        provider: scriptedModel('Done.'),
      })
      const host = new AgentHost([agent], { store })
      const { task } = await host.send({
        agent: 'worker',
        principal,
        message: createMessage('user', prompt),
      })
      await began.promise
      await host.drain(0)
      expect(await store.operations.list()).toMatchObject([
        { id: task.id, state: 'working', isHeld: false },
      ])
    })
  })

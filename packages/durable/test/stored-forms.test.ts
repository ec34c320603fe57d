// What a store leaves out because a column, or the row before, has it too: everything reads back as
// it was written, and a step stays small.
import { AgentHost, createAgent, createMessage } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { type ContextManifest, defineTool, type RunEvent, type RunIntent } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { ManifestReader, ManifestWriter } from '../src/runs/manifests.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult, toolIntent, toolReceipt } from './support/journal-entries.js'

const nothing = { spent: {}, elapsedMs: 0, warned: [] }
/** Fields of entries that follow each other. */
const fields: readonly Partial<RunIntent>[] = [
  {},
  { budget: { ...nothing, elapsedMs: 1.25, spent: { calls: 1, steps: 1 } } },
  { budget: { ...nothing, elapsedMs: 2, spent: { calls: 1, steps: 1 } } },
  {
    budget: { ...nothing, elapsedMs: 3, spent: { calls: 2, steps: 1, cost: 7 }, currency: 'USD' },
    step: 2,
  },
  {
    budget: {
      ...nothing,
      elapsedMs: 4,
      spent: { calls: 2, steps: 1, cost: 7 },
      currency: 'USD',
      warned: ['calls'],
    },
  },
  { budget: { ...nothing, elapsedMs: 5, spent: { calls: 2 } } },
  { budget: { ...nothing, elapsedMs: 6, spent: { calls: 3 } }, attempt: 2, runId: 'other' },
  { step: 9, attempt: 3 },
]
const entries = (id: string): readonly RunIntent[] =>
  fields.map((own, index) => ({ ...toolIntent(id, index), ...own }) as RunIntent)

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    test('a journal reads back as it was written, whole and from a checkpoint on, also after another process', async () => {
      const store = createDurableStore(await open(), {})
      const id = 'a long id of a run'
      const all = entries(id)
      const cut = store.runs.run(id, async ({ journal }) => {
        for (const entry of all.slice(0, 3)) await journal.writeIntent(entry)
        await journal.writeCheckpoint(checkpoint(id, 1), { keep: 0, add: [] })
        for (const entry of all.slice(3, 6)) await journal.writeIntent(entry)
        throw new Error('cut')
      })
      await expect(cut).rejects.toThrow('cut')
      await store.runs.run(id, async ({ journal, resume }) => {
        expect((await journal.readTail(resume!))?.entries).toEqual(all.slice(3, 6))
        for (const entry of all.slice(6)) await journal.writeIntent(entry)
        expect((await journal.readTail(resume!))?.entries).toEqual(all.slice(3))
        return finalResult('done')
      })
      expect(await store.runs.journal(id)).toEqual(all)
      await store.close()
    })

    test('a receipt that is stored without the intent that a cancel refused reads back as it was written', async () => {
      const store = createDurableStore(await open(), {})
      const [first, second] = [
        toolIntent('cancelled run', 0),
        { ...toolIntent('cancelled run', 1), step: 2 },
      ]
      const receipt = { ...toolReceipt('cancelled run', 0), step: 2 }
      const run = store.runs.run('cancelled run', async ({ journal }) => {
        await journal.writeIntent(first)
        await store.runs.cancel('cancelled run')
        void journal.writeReceipt(receipt)
        await journal.writeIntent(second)
        return finalResult('must not get here')
      })
      await expect(run).rejects.toMatchObject({ reason: 'finished' })
      expect(await store.runs.journal('cancelled run')).toEqual([first, receipt])
      await store.close()
    })

    test('an event of a run reads back with its time and attempt, also if they are not those of the run', async () => {
      const database = await open()
      const store = createDurableStore(database, {})
      const [at, later] = ['2026-11-27T05:45:49.055Z', '2026-11-27T05:45:50.000Z']
      const key = { principal: 'alice', id: 'task-1' }
      const record = {
        ...key,
        agent: 'a',
        sessionId: 's',
        createdAt: at,
        metadata: {},
        flowState: {},
      }
      await store.tasks.create(record, [{ type: 'status', state: 'submitted', at, attempt: 1 }])
      const event = {
        type: 'step-start',
        runId: 'task-1.1',
        step: 1,
        seq: 1,
        at: Date.parse(at),
      } as RunEvent
      const events = [
        { type: 'run', event, at, attempt: 1 },
        { type: 'run', event, at: later, attempt: 2 },
      ] as const
      await store.tasks.append(key, 1, events)
      expect((await store.tasks.read(key, 2)).map(({ seq: _, ...own }) => own)).toEqual(events)
      await store.close()
    })

    test("a step of an agent's task of 20 steps stores at most 4.2 kB beyond what model and tools wrote", async () => {
      const steps = 20
      const database = await open()
      const store = createDurableStore(database, {})
      const tool = defineTool({
        name: 'note',
        description: 'Notes',
        parameters: { type: 'object', properties: {} },
        execute: () => 'noted',
      })
      const provider = createMock({
        defaultResponse: ({ messages }) => {
          const step = messages.filter(({ role }) => role === 'tool').length
          return step < steps
            ? { toolCalls: [{ id: `c${step}`, name: 'note', arguments: { step } }] }
            : 'Done.'
        },
      })
      const limits = { maxSteps: 99, maxRepeats: 99, maxIdleSteps: 99 }
      const agent = createAgent({
        card: { name: 'noter', description: 'Notes' },
        provider,
        tools: [tool],
        limits,
      })
      const host = new AgentHost([agent], { store })
      const { task, before } = await host.send({
        agent: 'noter',
        principal: 'alice',
        message: createMessage('user', 'Note'),
      })
      const done = await host.settled({ principal: 'alice', id: task.id }, before)
      expect(done.state).toBe('completed')
      await host.drain(1000)
      // The conversation is what model and tools wrote.
      const [row] = await database.read(
        `SELECT sum(octet_length(body)) AS n FROM entries WHERE log NOT LIKE 'session:%' AND log NOT LIKE 'transcript:%'`,
      )
      expect(Number(row?.['n']) / (1 + steps)).toBeLessThan(4200)
      await store.close()
    })
  })

test('descriptions of model calls read back as they were written, also after a change of model', async () => {
  const block = (index: number) => ({
    index,
    kind: 'user',
    origin: 'query',
    name: 'n',
    tokens: 1,
    hash: `h${index}`,
  })
  const manifestOf = (step: number, own: object): object => ({
    ...{
      runId: 'r',
      step,
      agentName: 'a',
      provider: 'p',
      model: 'm',
      systemTokens: 1,
      toolPromptTokens: 2,
    },
    ...{ historyTokens: step, userTokens: 3, totalEstimatedTokens: 6 + step, cachedTokens: 0 },
    ...own,
    blocks: Array.from({ length: step }, (_, index) => ({
      ...block(index),
      cached: index < step - 1,
    })),
  })
  const window = { contextWindow: 9, usedPercent: 1.5 }
  const written = [
    window,
    window,
    { ...window, usedPercent: 2 },
    { model: 'other' },
    {},
    window,
  ].map((own, index) => ({
    type: 'model-call-start',
    runId: 'r',
    step: index + 1,
    manifest: manifestOf(index + 1, own) as ContextManifest,
  }))
  const writer = new ManifestWriter()
  const stored = written.map(
    (event, index) => JSON.parse(JSON.stringify(writer.toStored(event, index))) as object,
  )
  const inOrder = new ManifestReader((seq) => Promise.resolve(stored[seq]))
  for (const [seq, event] of stored.entries())
    expect(await inOrder.toEvent(event, seq)).toEqual(written[seq])
  for (const [seq, event] of stored.entries()) {
    const alone = new ManifestReader((at) => Promise.resolve(stored[at]))
    expect(await alone.toEvent(event, seq)).toEqual(written[seq])
  }
  expect(stored[2]).toMatchObject({ manifest: { usedPercent: 2 } })
  expect(stored[2]).not.toHaveProperty('manifest.model')
})

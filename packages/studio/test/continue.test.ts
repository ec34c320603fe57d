import { join } from 'node:path'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { StudioModel } from '../src/index.js'
import { openFileStore } from '../src/node.js'
import type { RunRecord, StartRun } from '../src/protocol/protocol.js'
import { Runs } from '../src/server/runs.js'
import { markDead } from './mark-dead.js'

const call = (id: string, name: string) => ({ id, name, arguments: { id } })
const twoCalls: MockResponse = {
  text: 'I pay twice.',
  toolCalls: [call('one', 'pay'), call('two', 'pay')],
}

/**
 * A studio on a file. The file is read again by the next one, while nothing of the first is closed:
 * as after a kill.
 */
function open(path: string, responses: readonly MockResponse[], tools: readonly Tool[]) {
  markDead(path)
  const target: StudioModel = {
    ...{ id: 'm', provider: 'mock', model: 'm', hosts: [] },
    open: () => createMock({ responses }),
  }
  const store = openFileStore(path)
  const runs = new Runs({ models: [target], assets: {}, store, tools })
  onTestFinished(() => runs.close())
  const start = (more: Partial<StartRun> = {}): Promise<RunRecord> =>
    runs.start({ model: 'm', messages: [{ role: 'user', content: 'Go' }], ...more }, target)
  return { runs, store, target, start }
}

/** A tool that counts its calls; the first `hanging` calls never end. */
function payTool(
  description = 'Pays',
  hanging = 0,
): { readonly tool: Tool; readonly calls: string[] } {
  const calls: string[] = []
  const tool = defineTool({
    name: 'pay',
    description,
    parameters: { type: 'object' },
    execute: ({ id }) => {
      calls.push(String(id))
      return calls.length <= hanging ? new Promise<string>(() => undefined) : 'paid'
    },
  })
  return { tool, calls }
}

/** Ids of the calls that a person was asked about and that are not decided. */
const asked = (runs: Runs, id: string): string[] => {
  const events = runs.live(id)?.events ?? []
  const open = new Map<string, boolean>()
  for (const event of events)
    if (event.type === 'wait' || event.type === 'decision')
      open.set(event.callId, event.type === 'wait')
  return [...open].flatMap(([callId, isOpen]) => (isOpen ? [callId] : []))
}

const statusOf = async (runs: Runs, id: string): Promise<string | undefined> =>
  (await runs.find(id))?.status

test('a call of unknown outcome is asked about, and so is each later one, also in a run that did not ask', async () => {
  const path = join(temporaryFolder('continue'), 'studio.db')
  const { tool, calls } = payTool('Pays', 1)
  const before = open(path, [{ toolCalls: [call('one', 'pay')] }], [tool])
  const { id } = await before.start({ approvals: 'allow' })
  await expect.poll(() => calls).toEqual(['one'])

  const after = open(path, [{ toolCalls: [call('two', 'pay')] }, 'Done.'], [tool])
  expect(await after.runs.find(id)).toMatchObject({ status: 'cancelled', canContinue: true })
  await after.runs.continue(id, after.target)
  await expect.poll(() => asked(after.runs, id)).toEqual(['one'])
  expect(after.runs.live(id)?.events.at(-1)).toMatchObject({ callId: 'one', uncertain: true })
  after.runs.live(id)?.decide({ callId: 'one', outcome: 'unknown' })
  await expect.poll(() => asked(after.runs, id)).toEqual(['two'])
  expect(calls).toEqual(['one'])
  after.runs.live(id)?.decide({ callId: 'two', approved: true })
  await expect.poll(() => statusOf(after.runs, id)).toBe('final')
  expect(calls).toEqual(['one', 'two'])
})

test('a run that waits for an approval continues with the same question', async () => {
  const path = join(temporaryFolder('continue'), 'studio.db')
  const { tool, calls } = payTool()
  const before = open(path, [twoCalls], [tool])
  const { id } = await before.start()
  await expect.poll(() => asked(before.runs, id)).toEqual(['one'])
  before.runs.live(id)?.decide({ callId: 'one', approved: true })
  await expect.poll(() => asked(before.runs, id)).toEqual(['two'])

  const after = open(path, ['Done.'], [tool])
  await after.runs.continue(id, after.target)
  // The first was allowed, but it had not been started: a new approval decides.
  await expect.poll(() => asked(after.runs, id)).toEqual(['one'])
  expect(calls).toEqual([])
  for (const callId of ['one', 'two']) {
    await expect.poll(() => asked(after.runs, id)).toEqual([callId])
    after.runs.live(id)?.decide({ callId, approved: true })
  }
  await expect.poll(() => statusOf(after.runs, id)).toBe('final')
  await expect.poll(() => calls).toEqual(['one', 'two'])
  await expect.poll(async () => (await after.store.run(id))?.status).toBe('final')
  expect(await after.store.journals?.read(id)).toBeUndefined()
  const events = await after.store.events(id, 0)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
})

test('a studio that still runs cannot call a tool of a run that another one continued', async () => {
  const path = join(temporaryFolder('continue'), 'studio.db')
  const { tool, calls } = payTool()
  const before = open(path, [twoCalls], [tool])
  const { id } = await before.start()
  await expect.poll(() => asked(before.runs, id)).toEqual(['one'])
  const after = open(path, ['Done.'], [tool])
  await after.runs.continue(id, after.target)
  await expect.poll(() => asked(after.runs, id)).toEqual(['one'])
  for (const callId of ['one', 'two']) {
    await expect.poll(() => asked(before.runs, id)).toEqual([callId])
    before.runs.live(id)?.decide({ callId, approved: true })
  }
  await expect.poll(() => statusOf(before.runs, id)).toBe('failed')
  expect((await before.runs.find(id))?.notKept).toContain('another studio has continued this run')
  expect(calls).toEqual([])
})

test('a run whose tools have changed says so, calls nothing, and can be continued with the old ones', async () => {
  const path = join(temporaryFolder('continue'), 'studio.db')
  const { tool, calls } = payTool()
  const before = open(path, [twoCalls], [tool])
  const { id } = await before.start()
  await expect.poll(() => asked(before.runs, id)).toEqual(['one'])
  const changed = open(path, ['Done.'], [payTool('Pays twice').tool])
  await changed.runs.continue(id, changed.target)
  await expect.poll(() => changed.runs.live(id)).toBeUndefined()
  expect(await changed.runs.find(id)).toMatchObject({
    status: 'cancelled',
    canContinue: true,
    error: { code: 'interrupted', message: expect.stringContaining('pay') as string },
  })
  const after = open(path, ['Done.'], [tool])
  await after.runs.continue(id, after.target)
  await expect.poll(() => asked(after.runs, id)).toEqual(['one'])
  expect(calls).toEqual([])
})

test('a run that was stopped by a person, or that ended, cannot be continued', async () => {
  const path = join(temporaryFolder('continue'), 'studio.db')
  const { tool } = payTool()
  const { runs, store, target, start } = open(path, [twoCalls], [tool])
  const { id } = await start()
  await expect.poll(() => asked(runs, id)).toEqual(['one'])
  runs.live(id)?.stop()
  await expect.poll(() => runs.live(id)).toBeUndefined()
  expect(await store.run(id)).toMatchObject({ status: 'cancelled' })
  await expect(runs.continue(id, target)).rejects.toThrow(/cannot be continued/)
})

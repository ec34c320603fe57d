// A page that was not loaded over TLS has `crypto`, but neither `randomUUID` nor `subtle`.
import { createAgent, createLocalClient, requestsOf } from '@modelport/agent'
import { createDialogCaller, Dialog, definePrompt } from '@modelport/dialog'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool, executeBatch, infer } from '@modelport/runtime'
import { afterEach, expect, test, vi } from 'vitest'

const getRandomValues = crypto.getRandomValues.bind(crypto)
const runIds: string[] = []
const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object' },
  execute: (_input, { run }) => {
    runIds.push(run.runId)
    return 'seen'
  },
})
const call = { id: 'c1', name: 'look', arguments: {}, argumentsText: '{}' }
const responses: readonly MockResponse[] = [
  { toolCalls: [{ name: 'look', arguments: {} }] },
  'Seen.',
]

afterEach(() => {
  vi.unstubAllGlobals()
  runIds.length = 0
})

test('a run works on a page that was not loaded over TLS', async () => {
  vi.stubGlobal('crypto', { getRandomValues })
  expect(await infer(createMock({ responses }), { query: 'Look.', tools: [look] })).toMatchObject({
    text: 'Seen.',
  })
  expect(runIds).toEqual([expect.stringMatching(/^run_\d{20,40}$/)])
})

test('a batch of tools works on a page without TLS, and each call has its own id', async () => {
  vi.stubGlobal('crypto', { getRandomValues })
  for (let turn = 0; turn < 2; turn++)
    await executeBatch([call], {
      tools: [look],
      step: 1,
      onResult: (_call, { content }) => expect(content).toBe('seen'),
    })
  expect(runIds).toEqual([
    expect.stringMatching(/^batch_\d{20,40}$/),
    expect.stringMatching(/^batch_\d{20,40}$/),
  ])
  expect(runIds[0]).not.toBe(runIds[1])
})

test('a call of a dialog works on a page without TLS', async () => {
  vi.stubGlobal('crypto', { getRandomValues })
  const caller = createDialogCaller({ name: 'reporter', provider: createMock({ responses }) })
  const prompt = definePrompt({ path: 'look', text: 'Look.', tools: [look] })
  expect(await caller.call(Dialog.seed('Be brief.').send(prompt))).toMatchObject({ value: 'Seen.' })
  expect(runIds).toEqual([expect.stringMatching(/^call_\d{20,40}$/)])
})

test('an agent on a page without TLS asks for an approval, and takes the decision', async () => {
  vi.stubGlobal('crypto', { getRandomValues })
  const agent = createAgent({
    card: { name: 'looker', description: 'Looks' },
    provider: createMock({ responses }),
    tools: [look],
    policy: { rules: { 'tool.look': 'require-approval' } },
  })
  const client = createLocalClient(agent)
  const task = await client.send('Look.')
  const [{ requestId, digest } = { requestId: '', digest: '' }] = requestsOf(task)
  expect([digest, runIds]).toEqual([expect.stringMatching(/^[\da-f]{64}$/), []])
  expect(
    await client.decide(task, [{ requestId, approved: true, digest: digest ?? '' }]),
  ).toMatchObject({
    state: 'completed',
  })
  expect(runIds).toHaveLength(1)
})

import type { ContextManifest, RunEvent } from '@modelport/runtime'
import { expect, test } from 'vitest'
import type { StudioEvent } from '../src/protocol/protocol.js'
import { toContexts } from '../src/server/context-view.js'

const manifest = (step: number): ContextManifest => ({
  ...{ runId: 'run', step, provider: 'mock', model: 'm', systemTokens: 0, toolPromptTokens: 0 },
  ...{ historyTokens: 0, userTokens: 0, totalEstimatedTokens: 42_593, cachedTokens: 0 },
  ...{ contextWindow: 32_000, blocks: [] },
})
const fields = { runId: 'run', provider: 'mock', model: 'm', seq: 1, attempt: 1 }
const start = (step: number): RunEvent =>
  ({ ...fields, type: 'model-call-start', step, manifest: manifest(step) }) as RunEvent
const end = (step: number, usage: object): RunEvent =>
  ({ ...fields, type: 'model-call-end', step, metrics: { usage } }) as RunEvent
const contextsOf = (...events: readonly RunEvent[]) =>
  toContexts(
    events.map((event, index): StudioEvent => ({ type: 'run', event, seq: index + 1, at: index })),
  )

test('the context of a call has the count of the vendor once there is one, also while the run continues', () => {
  const usage = { inputTokens: 29_522, outputTokens: 5, totalTokens: 29_527, estimated: false }
  const [first, second] = contextsOf(
    start(1),
    end(1, { ...usage, cacheReadTokens: 1_000 }),
    start(2),
  )
  expect(first).toMatchObject({ tokens: 42_593, countedTokens: 29_522, cachedTokens: 1_000 })
  expect(second).not.toHaveProperty('countedTokens')
})

test('the context of a call whose tokens are an estimate has no count of the vendor', () => {
  const usage = { inputTokens: 29_522, outputTokens: 5, totalTokens: 29_527, estimated: true }
  expect(contextsOf(start(1), end(1, usage))[0]).not.toHaveProperty('countedTokens')
})

import type { Batch } from '@modelport/core'
import { type BatchDriver, type BatchLine, createBatchRunner } from '@modelport/driver'
import { expect, test } from 'vitest'
import { play } from './scripted-driver.js'

const runner = (batch: Partial<Batch>, lines: readonly BatchLine[] = []) => {
  const made: Batch = { id: 'b', status: 'ended', ...batch }
  const driver: BatchDriver = {
    provider: () => play([[]]).provider,
    create: () => Promise.resolve(made),
    get: () => Promise.resolve(made),
    cancel: () => Promise.resolve(made),
    lines: () => Promise.resolve(lines),
  }
  return createBatchRunner(driver)
}

test.each([
  ['a count', runner({ total: 1_000_000_000 })],
  ['an index', runner({}, [{ index: 999_999_999 }])],
  [
    'many lines',
    runner(
      {},
      Array.from({ length: 130_000 }, (_, index) => ({ index })),
    ),
  ],
])(
  "%s of the server beyond every vendor's limit fills no memory: the results are refused",
  async (_what, batches) => {
    await expect(batches.batchResults('b')).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('at most 100000 are read'),
    })
  },
)

test('results of many requests can be aborted while they are read', async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => ({
    index,
    response: { status: 200, body: {} },
  }))
  let decoded = 0
  const driver: BatchDriver = {
    provider: () => {
      decoded++
      return play([[]]).provider
    },
    create: () => Promise.resolve({ id: 'b', status: 'ended' }),
    get: () => Promise.resolve({ id: 'b', status: 'ended', total: lines.length }),
    cancel: () => Promise.resolve({ id: 'b', status: 'ended' }),
    lines: () => Promise.resolve(lines),
  }
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('enough')), 1)
  await expect(
    createBatchRunner(driver).batchResults('b', { signal: stop.signal }),
  ).rejects.toThrow('enough')
  expect(decoded).toBeLessThan(1_000)
})

test('every method refuses an option that nothing reads', async () => {
  const batches = runner({})
  const calls = [
    batches.createBatch([], { deadlineMS: 1 } as object),
    batches.getBatch('b', { deadlineMS: 1 } as object),
    batches.cancelBatch('b', { deadlineMS: 1 } as object),
    batches.batchResults('b', { deadlineMS: 1 } as object),
  ]
  for (const call of calls)
    await expect(call).rejects.toThrow(
      'p: options of the batch: unknown setting "deadlineMS"; did you mean "deadlineMs"?',
    )
})

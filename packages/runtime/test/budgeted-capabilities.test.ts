import {
  type GeneratedImages,
  type ImageGenerator,
  ProviderError,
  type RequestOptions,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  BudgetLedger,
  budgetImages,
  budgetReranker,
  budgetSpeech,
  budgetTranscriber,
  type RunBudget,
} from '../src/index.js'

const usage = toUsage([{ ...zeroCounts, inputTokens: 10, outputTokens: 20 }])
const made: GeneratedImages = { images: [{ data: new Uint8Array([1]), mediaType: 'image/png' }], usage }
const failure = (details: { status?: number; reason?: 'refused' | 'reset' } = {}) =>
  new ProviderError('server', 'it failed', { provider: 'p', ...details })

/** A generator that gives the images it was made with, and keeps its options. */
function drawing(act: (options: RequestOptions) => GeneratedImages = () => made) {
  const calls: RequestOptions[] = []
  const generator: ImageGenerator = {
    name: 'p',
    model: 'm',
    generateImages: async (_, options = {}) => {
      calls.push(options)
      return Promise.resolve().then(() => act(options))
    },
  }
  return { generator, calls }
}
const ledgerOf = (budget: RunBudget, parent?: BudgetLedger) =>
  new BudgetLedger(budget, { now: () => 0, ...(parent && { parent }) })

describe('images in a budget', () => {
  test('cost and calls are counted here and above, by the images that were asked for', async () => {
    const parent = ledgerOf({})
    const ledger = ledgerOf({ maxCost: 1, maxCalls: 5 }, parent)
    const { generator } = drawing()
    await budgetImages(generator, ledger, { perUnit: 0.04 }).generateImages('a cat', { count: 3 })
    expect(ledger.spent).toMatchObject({ calls: 1, cost: 0.12, inputTokens: 10, outputTokens: 20 })
    expect(parent.spent).toMatchObject({ calls: 1, cost: 0.12 })
  })

  test('what does not fit is refused before it is sent, and takes nothing', async () => {
    const { generator, calls } = drawing()
    const ledger = ledgerOf({ maxCost: 0.1 })
    const images = budgetImages(generator, ledger, { perUnit: 0.04 })
    await images.generateImages('a cat', { count: 2 })
    await expect(images.generateImages('a cat')).rejects.toMatchObject({ code: 'budget-exceeded' })
    expect([calls.length, ledger.spent.cost]).toEqual([1, 0.08])
    await expect(budgetImages(generator, ledgerOf({ maxCalls: 0 })).generateImages('x')).rejects.toMatchObject({
      code: 'budget-exceeded',
    })
  })

  test('two calls at once cannot take the same room', async () => {
    const { generator } = drawing()
    const images = budgetImages(generator, ledgerOf({ maxCost: 0.05 }), { perUnit: 0.04 })
    const settled = await Promise.allSettled([images.generateImages('a'), images.generateImages('b')])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  test('each retry takes room of its own, and is refused without', async () => {
    const heard: number[] = []
    const { generator } = drawing(({ retry }) => {
      retry?.onRetry?.({ attempt: 1, delayMs: 0, error: failure({ reason: 'reset' }) })
      return made
    })
    const ledger = ledgerOf({ maxCost: 0.1 })
    const onRetry = ({ attempt }: { readonly attempt: number }) => void heard.push(attempt)
    await budgetImages(generator, ledger, { perUnit: 0.04 }).generateImages('a cat', { retry: { onRetry } })
    expect([ledger.spent.calls, ledger.spent.cost, heard]).toEqual([2, 0.08, [1]])
    const small = ledgerOf({ maxCost: 0.05 })
    const refused = budgetImages(generator, small, { perUnit: 0.04 }).generateImages('a cat')
    await expect(refused).rejects.toMatchObject({ code: 'budget-exceeded' })
    expect([small.spent.calls, small.spent.cost]).toEqual([1, 0.04])
  })

  test.each([
    ['a lost connection costs all of it', failure({ reason: 'reset' }), 0.04],
    ['a refusal costs nothing', failure({ status: 429 }), 0],
    ['a server that was not reached costs nothing', failure({ reason: 'refused' }), 0],
  ])('an image in a budget: %s', async (_, error, cost) => {
    const { generator } = drawing(() => {
      throw error
    })
    const ledger = ledgerOf({ maxCost: 1 })
    await expect(budgetImages(generator, ledger, { perUnit: 0.04 }).generateImages('x')).rejects.toBe(error)
    expect([ledger.spent.calls, ledger.spent.cost, ledger.remaining().cost]).toEqual([1, cost, 1 - cost])
  })

  test('the time that is left is the deadline, unless the call has an earlier one', async () => {
    const { generator, calls } = drawing()
    const images = budgetImages(generator, ledgerOf({ maxRuntimeMs: 5000 }))
    await images.generateImages('x')
    await images.generateImages('x', { deadlineMs: 100 })
    await budgetImages(generator, ledgerOf({})).generateImages('x')
    expect(calls.map(({ deadlineMs }) => deadlineMs)).toEqual([5000, 100, undefined])
  })

  test('a limit of money needs a price, of one currency', async () => {
    const { generator } = drawing()
    const ledger = ledgerOf({ maxCost: 1 })
    await expect(budgetImages(generator, ledger).generateImages('x')).rejects.toMatchObject({ code: 'config' })
    await budgetImages(generator, ledger, { perUnit: 0.1 }).generateImages('x')
    const other = budgetImages(generator, ledger, { perUnit: 0.1, currency: 'EUR' }).generateImages('x')
    await expect(other).rejects.toMatchObject({ code: 'config' })
    const wrong = budgetImages(generator, ledger, { perUnit: -1 }).generateImages('x')
    await expect(wrong).rejects.toMatchObject({ code: 'config' })
  })

  test('a call that is aborted already takes nothing', async () => {
    const { generator, calls } = drawing()
    const ledger = ledgerOf({})
    const signal = AbortSignal.abort(new Error('never mind'))
    await expect(budgetImages(generator, ledger).generateImages('x', { signal })).rejects.toBe(signal.reason)
    expect([calls.length, ledger.spent.calls]).toEqual([0, 0])
  })
})

test('speech counts by the thousand characters, a recording and a ranking by the call', async () => {
  const ledger = ledgerOf({ maxCost: 10 })
  const names = { name: 'p', model: 'm' }
  const speech = { ...names, speak: () => Promise.resolve({ data: new Uint8Array(), mediaType: 'audio/wav', usage }) }
  await budgetSpeech(speech, ledger, { perUnit: 2 }).speak('x'.repeat(500))
  expect(ledger.spent.cost).toBe(1)
  const listener = { ...names, transcribe: () => Promise.resolve({ text: 'hi', usage }) }
  const recording = { data: new Uint8Array([1]), mediaType: 'audio/wav' }
  await budgetTranscriber(listener, ledger, { perUnit: 0.5 }).transcribe(recording)
  expect(ledger.spent.cost).toBe(1.5)
  const ranker = { ...names, rerank: () => Promise.resolve({ results: [], usage }) }
  const budgeted = budgetReranker(ranker, ledger, { perUnit: 0.25 })
  await budgeted.rerank('q', ['d'])
  await budgeted.rerank('q', [])
  expect([ledger.spent.cost, ledger.spent.calls]).toEqual([1.75, 3])
})

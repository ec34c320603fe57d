import {
  addCounts,
  addUsage,
  type Generation,
  mergeDetails,
  mergeGenerations,
  type TokenCounts,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'

const named = fc.dictionary(fc.constantFrom('text', 'image', 'audio'), fc.nat())
const counts = fc.record(
  {
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    cacheReadTokens: fc.nat(),
    cacheCreationTokens: fc.nat(),
    reasoningTokens: fc.nat(),
    unattributedTokens: fc.nat(),
    cost: fc.nat(),
    inputByModality: named,
    otherModels: fc.array(
      fc.nat().map((inputTokens) => ({
        model: 'advisor',
        inputTokens,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      })),
      { maxLength: 2 },
    ),
  },
  {
    requiredKeys: [
      'inputTokens',
      'outputTokens',
      'cacheReadTokens',
      'cacheCreationTokens',
      'reasoningTokens',
    ],
  },
)
const sum = (turns: readonly TokenCounts[]): TokenCounts => turns.reduce(addCounts, zeroCounts)

describe('usage', () => {
  test('totals are the sum of the turns, however turns are put together', () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 6 }), fc.nat({ max: 6 }), (turns, cut) => {
        const whole = toUsage(turns)
        const joined = addUsage(toUsage(turns.slice(0, cut)), toUsage(turns.slice(cut)))
        expect(joined).toEqual(whole)
        expect(whole).toMatchObject(sum(turns))
        expect(whole.turns).toEqual(turns)
      }),
    )
  })

  test('a usage with an unreported turn says so, and the later tool estimate stays', () => {
    const a = toUsage([zeroCounts], 5, true)
    const b = toUsage([zeroCounts], 7, false)
    expect(addUsage(a, b)).toMatchObject({ reported: false, toolDefinitionTokens: 7 })
    expect(toUsage([])).toMatchObject({ reported: false, inputTokens: 0 })
  })
})

describe('optional counts', () => {
  const one: TokenCounts = {
    ...zeroCounts,
    cost: 0.5,
    inputByModality: { text: 2 },
    providerToolCounts: { search: 1 },
  }

  test('optional counts are those that either side has, and none is invented', () => {
    const both = addCounts(one, {
      ...zeroCounts,
      inputByModality: { text: 1, audio: 4 },
      unattributedTokens: 3,
    })
    expect(both).toEqual({
      ...zeroCounts,
      cost: 0.5,
      unattributedTokens: 3,
      inputByModality: { text: 3, audio: 4 },
      providerToolCounts: { search: 1 },
    })
    expect(addCounts(zeroCounts, zeroCounts)).toEqual(zeroCounts)
  })

  test('each count is added to the count of its name', () => {
    const a = {
      inputTokens: 10,
      outputTokens: 20,
      cacheReadTokens: 1,
      cacheCreationTokens: 2,
      reasoningTokens: 3,
    }
    const b = {
      inputTokens: 50,
      outputTokens: 60,
      cacheReadTokens: 4,
      cacheCreationTokens: 5,
      reasoningTokens: 6,
    }
    expect(addCounts(a, b)).toStrictEqual({
      inputTokens: 60,
      outputTokens: 80,
      cacheReadTokens: 5,
      cacheCreationTokens: 7,
      reasoningTokens: 9,
    })
  })

  test('counts of other models are listed, those of the first summand first', () => {
    const { reasoningTokens: _, ...counts } = zeroCounts
    const [advisor, judge] = [
      { ...counts, model: 'advisor' },
      { ...counts, model: 'judge' },
    ]
    const one = { ...zeroCounts, otherModels: [advisor] }
    const two = { ...zeroCounts, otherModels: [judge] }
    expect(addCounts(one, two).otherModels).toEqual([advisor, judge])
    expect(addCounts(one, zeroCounts).otherModels).toEqual([advisor])
    expect(addCounts(zeroCounts, two).otherModels).toEqual([judge])
    expect(addCounts(zeroCounts, zeroCounts)).not.toHaveProperty('otherModels')
  })
})

describe('mergeDetails', () => {
  test('mergeDetails appends lists and keeps the single facts of the last turn', () => {
    expect(
      mergeDetails(
        { responseId: 'a', serviceTier: 'flex', safety: [{ subject: 'prompt', data: 1 }] },
        { responseId: 'b', safety: [{ subject: 'reply', data: 2 }], files: [{ id: 'f' }] },
      ),
    ).toEqual({
      responseId: 'b',
      safety: [
        { subject: 'prompt', data: 1 },
        { subject: 'reply', data: 2 },
      ],
      files: [{ id: 'f' }],
    })
  })
})

test('single facts are those of the last of three turns, and none is invented', () => {
  const merged = mergeDetails(
    { responseId: 'a' },
    { responseId: 'b', fingerprint: 'f' },
    { responseId: 'c' },
  )
  expect(merged).toStrictEqual({ responseId: 'c' })
})

describe('mergeGenerations', () => {
  const generation = (text: string, extra: Partial<Generation> = {}): Generation => ({
    text,
    toolCalls: [],
    usage: toUsage([{ ...zeroCounts, inputTokens: 10, outputTokens: 5 }]),
    finishReason: 'stop',
    message: {
      role: 'assistant',
      content: text,
      origin: { provider: 'p', model: 'm', state: { secret: 1 } },
    },
    ...extra,
  })

  test('mergeGenerations joins texts by line breaks, leaves empty ones out, and adds usage up', () => {
    const merged = mergeGenerations(
      generation('Hello'),
      generation(''),
      generation('World', { finishReason: 'length' }),
    )
    expect(merged.text).toBe('Hello\nWorld')
    expect(merged.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 })
    expect(merged.finishReason).toBe('length')
    expect(merged.message).toEqual({
      role: 'assistant',
      content: 'Hello\nWorld',
      origin: { provider: 'p', model: 'm' },
    })
  })

  test('mergeGenerations appends calls and lists', () => {
    const call = (id: string) => ({ id, name: 'f', arguments: {}, argumentsText: '{}' })
    const merged = mergeGenerations(
      generation('', { toolCalls: [call('a')], warnings: ['w'], reasoning: 'r1' }),
      generation('', {
        toolCalls: [call('b')],
        citations: [{ url: 'u' }],
        reasoning: 'r2',
        rawFinishReason: 'x',
      }),
    )
    expect(merged.toolCalls.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(merged.message.toolCalls).toEqual(merged.toolCalls)
    expect(merged).toMatchObject({
      warnings: ['w'],
      citations: [{ url: 'u' }],
      reasoning: 'r1\nr2',
      rawFinishReason: 'x',
    })
    expect(merged).not.toHaveProperty('logprobs')
  })

  test('merging nothing gives an empty generation', () => {
    expect(mergeGenerations()).toMatchObject({
      text: '',
      toolCalls: [],
      finishReason: 'unknown',
      usage: { inputTokens: 0 },
    })
  })
})

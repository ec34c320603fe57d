import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { defineTool, type InferRequest, infer, type RunEvent } from '../src/index.js'

type Break = Extract<RunEvent, { type: 'cache-break' }>

const tool = (name: string, description = 'Looks') =>
  defineTool({ name, description, execute: () => `result of ${name}` })
const counts = (cacheReadTokens: number, cacheCreationTokens = 0) => ({
  inputTokens: 2000,
  outputTokens: 5,
  cacheReadTokens,
  cacheCreationTokens,
})
/** Three calls, of which the cache has so many tokens: 1,000 are written by the first. */
const modelOf = (second: number, third: number) =>
  createMock({
    responses: [
      { toolCalls: [{ id: 'c1', name: 'look' }], usage: counts(0, 1000) },
      { toolCalls: [{ id: 'c2', name: 'see' }], usage: counts(second) },
      { text: 'Done.', usage: counts(third) },
    ],
  })

async function breaksOf(
  request: Partial<InferRequest>,
  provider = modelOf(1000, 0),
): Promise<{ breaks: readonly Break[]; metrics: readonly (string | undefined)[] }> {
  const events: RunEvent[] = []
  await infer(provider, {
    query: 'Look',
    system: 'Be brief.',
    tools: [tool('look'), tool('see')],
    observe: { onEvent: (event) => events.push(event) },
    ...request,
  })
  return {
    breaks: events.filter((event) => event.type === 'cache-break'),
    metrics: events.flatMap((event) =>
      event.type === 'model-call-end' ? [event.metrics.cacheBreak] : [],
    ),
  }
}

describe('cache-break', () => {
  test('a cache that has as much as before breaks nothing', async () => {
    const { breaks, metrics } = await breaksOf({}, modelOf(1000, 1500))
    expect(breaks).toEqual([])
    expect(metrics).toEqual([undefined, undefined, undefined])
  })

  test('instructions that change between steps are the cause, with their block and the counts', async () => {
    const { breaks, metrics } = await breaksOf({
      prepareStep: ({ step }) => (step === 3 ? { system: 'It is 12:01.' } : undefined),
    })
    expect(breaks).toMatchObject([
      {
        cause: 'system',
        block: { kind: 'system', index: 2 },
        cacheReadTokens: 0,
        cachedTokens: 1000,
        step: 3,
      },
    ])
    expect(metrics).toEqual([undefined, undefined, 'system'])
  })

  test('tools that change between steps are the cause', async () => {
    const { breaks } = await breaksOf({
      tools: (step) => [tool('look', step === 3 ? 'Looks again' : 'Looks'), tool('see')],
    })
    expect(breaks).toMatchObject([{ cause: 'tools', block: { kind: 'tool', name: 'look' } }])
  })

  test('another model is the cause', async () => {
    const other = createMock({
      model: 'other',
      responses: [{ text: 'Done.', usage: counts(0) }],
    })
    const { breaks } = await breaksOf({
      models: { other },
      prepareStep: ({ step }) => (step === 3 ? { model: 'other' } : undefined),
    })
    expect(breaks).toMatchObject([{ cause: 'model', model: 'other' }])
  })

  test('an option that vendors render into the prompt is the cause, and is named', async () => {
    const { breaks } = await breaksOf({
      prepareStep: ({ step }) =>
        step === 3 ? { options: { parallelToolCalls: false } } : undefined,
    })
    expect(breaks).toMatchObject([{ cause: 'option', option: 'parallelToolCalls' }])
  })

  test('a cache that is gone although nothing changed was lost to time', async () => {
    const { breaks } = await breaksOf({})
    expect(breaks).toMatchObject([{ cause: 'time', cacheReadTokens: 0, cachedTokens: 1000 }])
    expect(breaks[0]).not.toHaveProperty('block')
  })
})

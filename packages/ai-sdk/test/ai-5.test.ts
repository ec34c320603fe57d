import { toAiTools, toLanguageModel } from '@modelport/ai-sdk'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import {
  generateObject,
  generateText,
  type LanguageModel,
  stepCountIs,
  streamText,
  type ToolSet,
} from 'ai-5'
import { expect, test } from 'vitest'
import { z } from 'zod'

// The types of the specification are here those of ai 7; where only ai 5 is installed, its own.
const modelOf = (...[settings]: Parameters<typeof createMock>) =>
  toLanguageModel(createMock(settings), { specification: 'v2' }) as unknown as LanguageModel

const usage = { inputTokens: 10, outputTokens: 5, reasoningTokens: 2, cacheReadTokens: 4 }

test('ai 5 runs tools, streams and makes objects over a model of its specification', async () => {
  const weather = defineTool({
    name: 'weather',
    description: 'The weather, now',
    execute: () => '28 °C',
  })
  const model = modelOf({
    responses: [{ toolCalls: [{ name: 'weather' }] }, 'Warm.', 'Hello', '{"celsius":28}'],
    usage,
  })
  const { text, steps } = await generateText({
    model,
    prompt: 'Is it warm?',
    tools: toAiTools([weather]) as unknown as ToolSet,
    stopWhen: stepCountIs(5),
  })
  expect([text, steps.length, steps[0]?.finishReason]).toEqual(['Warm.', 2, 'tool-calls'])
  expect(steps[1]?.usage).toEqual({
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    reasoningTokens: 2,
    cachedInputTokens: 4,
  })
  const stream = streamText({ model, prompt: 'Hi' })
  expect([await stream.text, await stream.finishReason]).toEqual(['Hello', 'stop'])
  const { object } = await generateObject({
    model,
    prompt: 'How warm?',
    schema: z.object({ celsius: z.number() }),
  })
  expect(object).toEqual({ celsius: 28 })
})

test('ai 5 gets a warning in its own form for each option that a request cannot carry', async () => {
  const { warnings } = await generateText({
    model: modelOf({ responses: ['Hi'] }),
    prompt: 'Hi',
    providerOptions: { other: { level: 3 } },
  })
  expect(warnings).toEqual([
    expect.objectContaining({
      type: 'unsupported-setting',
      setting: 'providerOptions.other.level',
    }),
  ])
})

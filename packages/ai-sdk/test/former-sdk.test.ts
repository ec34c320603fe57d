import { readFileSync } from 'node:fs'
import { toAiTools, toEmbeddingModel, toLanguageModel } from '@modelport/ai-sdk'
import { toUsage, zeroCounts } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import {
  type EmbeddingModel,
  embed,
  generateText,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  type ToolSet,
} from 'ai-6'
import { expect, test } from 'vitest'
import { z } from 'zod'

// The types of the specification are here those of ai 7, which ai 6 does not take; where only ai 6
// is installed, they are its own.
test('ai 6 runs tools, streams, makes objects and embeds over models of its specification', async () => {
  const provider = createMock({
    responses: [{ toolCalls: [{ name: 'weather' }] }, 'Warm.', 'Hello', '{"celsius":28}'],
  })
  const model = toLanguageModel(provider, { specification: 'v3' }) as unknown as LanguageModel
  const weather = defineTool({
    name: 'weather',
    description: 'The weather, now',
    execute: () => '28 °C',
  })
  const tools = toAiTools([weather]) as unknown as ToolSet
  const { text, steps } = await generateText({
    model,
    prompt: 'Is it warm?',
    tools,
    stopWhen: stepCountIs(5),
  })
  expect([text, steps.length]).toEqual(['Warm.', 2])
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '28 °C' })
  expect(await streamText({ model, prompt: 'Hi' }).text).toBe('Hello')
  const output = Output.object({ schema: z.object({ celsius: z.number() }) })
  expect((await generateText({ model, prompt: 'How warm?', output })).output).toEqual({
    celsius: 28,
  })

  const embedder = {
    name: 'own',
    model: 'm',
    embed: async (texts: readonly string[]) => ({
      vectors: texts.map(() => [1, 2]),
      usage: toUsage([{ ...zeroCounts, inputTokens: 7 }]),
    }),
  }
  const embedding = toEmbeddingModel(embedder, { specification: 'v3' }) as unknown as EmbeddingModel
  expect(await embed({ model: embedding, value: 'a' })).toMatchObject({
    embedding: [1, 2],
    usage: { tokens: 7 },
  })
})

test('the peer may be the specification of ai 5, ai 6 or ai 7, so that an application has one of them', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({
    peerDependencies: { '@ai-sdk/provider': '^2.0.0 || ^3.0.0 || ^4.0.0' },
  })
})

// The rows of the runtime: runs, objects and what is made of a provider.
import type { ChatMessage } from '@modelport/core'
import { createFallback } from '@modelport/factory'
import {
  ConversationHistory,
  callAction,
  callActionStream,
  combine,
  compact,
  createSummarizer,
  generateObject,
  generateStream,
  infer,
  inferStream,
  orThrow,
  type RunResult,
  streamObject,
  type Tool,
  wrapProvider,
} from '@modelport/runtime'
import { instrumentProvider } from '@modelport/runtime/opentelemetry'
import { toUiMessageResponse } from '@modelport/runtime/ui'
import {
  type Door,
  question,
  type Seen,
  sentence,
  weatherDefinition,
  weatherInRome,
  weatherSchema,
} from './door.js'

const messages: readonly ChatMessage[] = [{ role: 'user', content: question }]
/** A conversation that is worth a summary. */
const long: readonly ChatMessage[] = Array.from({ length: 12 }, (_, index) =>
  index % 2
    ? { role: 'assistant', content: `Answer ${index}. ${'It is warm. '.repeat(20)}` }
    : { role: 'user', content: `Question ${index}` },
)

const textOf = (result: RunResult): Seen => {
  const { text, usage } = orThrow(result)
  return { value: text, usage }
}
const outputOf = (result: RunResult): Seen => {
  const final = orThrow(result)
  return { value: final.output, usage: final.usage }
}

/** The rows. */
export const runtimeDoors: readonly Door[] = [
  {
    name: 'generateStream',
    covers: ['generateStream'],
    sees: [sentence, 'stop'],
    requests: 1,
    run: async ({ provider }) => {
      const reader = await generateStream(provider, messages)
      const { text, finishReason, usage } = await reader.generation()
      return { value: [text, finishReason], usage }
    },
  },
  {
    name: 'generateObject',
    covers: ['generateObject'],
    sees: weatherInRome,
    requests: 1,
    run: async ({ provider }) => {
      const { object, usage } = await generateObject(provider, {
        schema: weatherSchema,
        prompt: question,
      })
      return { value: object, usage }
    },
  },
  {
    name: 'streamObject',
    covers: ['streamObject'],
    sees: weatherInRome,
    requests: 1,
    run: async ({ provider }) => {
      const reader = await streamObject(provider, { schema: weatherSchema, prompt: question })
      const { object, usage } = await reader.result()
      return { value: object, usage }
    },
  },
  {
    name: 'infer',
    covers: ['infer'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => textOf(await infer(provider, { query: question })),
  },
  {
    name: 'infer, with a tool',
    covers: ['infer'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      textOf(await infer(provider, { query: question, tools: [weather] })),
  },
  {
    name: 'inferStream, with a tool that reports progress',
    covers: ['inferStream'],
    sees: ['half of Rome', sentence],
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) => {
      const slow: Tool = {
        ...weather,
        execute: (value, context) => {
          context.progress?.(`half of ${(value as { city: string }).city}`)
          return weather.execute(value, context)
        },
      }
      const reader = inferStream(provider, { query: question, tools: [slow] })
      const shown: unknown[] = []
      for await (const event of reader)
        if (event.type === 'tool-progress') shown.push(event.progress)
      const { text, usage } = orThrow(await reader.result())
      return { value: [...shown, text], usage }
    },
  },
  {
    name: 'infer, with an eager tool and a limit of results',
    covers: ['infer'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      textOf(
        await infer(provider, {
          query: question,
          tools: [{ ...weather, readOnly: true, eager: true }],
          limits: { maxResultLength: 1000 },
        }),
      ),
  },
  {
    name: 'infer, with a deferred tool',
    covers: ['infer'],
    sees: sentence,
    requests: 3,
    usesTool: true,
    run: async ({ provider, weather }) => {
      const definition = { ...weather.definition, deferred: true }
      return textOf(await infer(provider, { query: question, tools: [{ ...weather, definition }] }))
    },
  },
  {
    name: 'infer, each step prepared',
    covers: ['infer'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      textOf(
        await infer(provider, {
          query: question,
          tools: [weather],
          system: ({ step }) => `This is step ${step}.`,
          prepareStep: ({ step }) => (step === 1 ? {} : { tools: [] }),
        }),
      ),
  },
  {
    name: 'infer, with somebody to hand over to',
    covers: ['infer'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      textOf(
        await infer(provider, {
          query: question,
          tools: [weather],
          handoffs: { clerk: { description: 'invoices', system: 'You write invoices.' } },
        }),
      ),
  },
  {
    name: 'infer, with a schema',
    covers: ['infer'],
    sees: weatherInRome,
    requests: 1,
    run: async ({ provider }) =>
      outputOf(await infer(provider, { query: question, outputSchema: weatherSchema })),
  },
  {
    name: 'infer, with a tool and a schema',
    covers: ['infer'],
    sees: weatherInRome,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      outputOf(
        await infer(provider, { query: question, tools: [weather], outputSchema: weatherSchema }),
      ),
  },
  {
    name: 'infer, with a tool as JSON actions',
    covers: ['infer'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) =>
      textOf(await infer(provider, { query: question, tools: [weather], mode: 'json' })),
  },
  {
    name: 'infer, JSON actions without a tool',
    covers: ['infer'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => textOf(await infer(provider, { query: question, mode: 'json' })),
  },
  {
    name: 'infer, asked to think a little',
    covers: ['infer'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) =>
      textOf(await infer(provider, { query: question, options: { reasoning: 'low' } })),
  },
  {
    name: 'infer, with a budget of 4 tokens',
    covers: ['infer', 'budget'],
    sees: 'budget',
    requests: 1,
    run: async ({ provider }) => ({
      value: (
        await infer(provider, { query: question, limits: { budget: { maxOutputTokens: 4 } } })
      ).status,
    }),
  },
  {
    name: 'inferStream, with a tool',
    covers: ['inferStream'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) => {
      const reader = inferStream(provider, { query: question, tools: [weather] })
      let text = ''
      for await (const event of reader) if (event.type === 'text-delta') text += event.text
      const { usage } = orThrow(await reader.result())
      return { value: text, usage }
    },
  },
  {
    name: 'useChat, with a tool',
    covers: ['toUiMessageResponse'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) => {
      const response = toUiMessageResponse(
        inferStream(provider, { query: question, tools: [weather] }),
      )
      const deltas = [...(await response.text()).matchAll(/^data: (\{.*"text-delta".*\})$/gm)]
      return {
        value: deltas
          .map(([, json = '']) => (JSON.parse(json) as { delta: string }).delta)
          .join(''),
      }
    },
  },
  {
    name: 'callAction',
    covers: ['callAction'],
    sees: { type: 'tool_call', tool: 'get_weather', args: { city: 'Rome' } },
    requests: 1,
    run: async ({ provider }) => ({
      value: (await callAction(provider, { messages, tools: [weatherDefinition] })).action,
    }),
  },
  {
    name: 'callActionStream',
    covers: ['callActionStream'],
    sees: { type: 'final', content: sentence },
    requests: 1,
    run: async ({ provider }) => ({
      value: (await callActionStream(provider, { messages })).action,
    }),
  },
  {
    name: 'combine',
    covers: ['combine'],
    sees: `${sentence}\n${sentence}`,
    requests: 2,
    run: async ({ provider }) => {
      const panel = combine([
        { provider, prompt: 'You are the first.' },
        { provider, prompt: 'You are the second.' },
      ])
      const { text, usage } = await panel.generate(messages)
      return { value: text, usage }
    },
  },
  {
    name: 'wrapProvider',
    covers: ['wrapProvider'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => {
      const { text, usage } = await wrapProvider(provider, {}).generate(messages)
      return { value: text, usage }
    },
  },
  {
    name: 'instrumentProvider',
    covers: ['instrumentProvider'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => {
      const { text, usage } = await instrumentProvider(provider).generate(messages)
      return { value: text, usage }
    },
  },
  {
    name: 'createFallback',
    covers: ['createFallback'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => {
      const { text, usage } = await createFallback([provider, provider]).generate(messages)
      return { value: text, usage }
    },
  },
  {
    name: 'compact, by a summary',
    covers: ['compact', 'createSummarizer'],
    sees: [true, 7],
    requests: 1,
    run: async ({ provider }) => {
      const history = ConversationHistory.fromList(long)
      const request = { strategy: 'summary', preserveRecent: 6 } as const
      const { summaryCreated, afterMessages } = await compact(history, request, {
        summarize: createSummarizer(provider),
      })
      return { value: [summaryCreated, afterMessages] }
    },
  },
  {
    name: 'infer, compacted on the way',
    covers: ['infer', 'history', 'compaction'],
    sees: sentence,
    requests: 2,
    run: async ({ provider }) =>
      textOf(
        await infer(provider, {
          messages: [...long, ...messages],
          limits: {
            profile: { contextWindow: 2_000 },
            compaction: { threshold: 0.1, strategy: 'summary' },
          },
        }),
      ),
  },
]

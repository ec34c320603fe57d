// The rows of the AI SDK: its functions on a provider.
import { toAiTools, toLanguageModel } from '@modelport/ai-sdk'
import type { Provider } from '@modelport/core'
import type { Tool } from '@modelport/runtime'
import { generateText, jsonSchema, Output, stepCountIs, streamText } from 'ai'
import { type Door, question, sentence, weatherInRome, weatherSchema } from './door.js'

/** The cause of an error of the AI SDK is ours. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause ? error.cause : error
}

/** What `generateText` and `streamText` are asked with a tool. */
const withTool = (provider: Provider, weather: Tool) => ({
  model: toLanguageModel(provider),
  prompt: question,
  tools: toAiTools([weather]),
  stopWhen: stepCountIs(3),
  maxRetries: 0,
})

/** The rows. */
export const aiSdkDoors: readonly Door[] = [
  {
    name: 'generateText',
    covers: ['toLanguageModel'],
    sees: [sentence, 'stop'],
    requests: 1,
    run: async ({ provider }) => {
      const request = { model: toLanguageModel(provider), prompt: question, maxRetries: 0 }
      const { text, finishReason } = await generateText(request).catch(throwCause)
      return { value: [text, finishReason] }
    },
  },
  {
    name: 'generateText, with a tool',
    covers: ['toLanguageModel', 'toAiTools'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) => {
      return { value: (await generateText(withTool(provider, weather)).catch(throwCause)).text }
    },
  },
  {
    name: 'streamText, with a tool',
    covers: ['toLanguageModel', 'toAiTools'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather }) => {
      let text = ''
      for await (const part of streamText({
        ...withTool(provider, weather),
        onError: () => undefined,
      }).stream) {
        if (part.type === 'text-delta') text += part.text
        if (part.type === 'error') throwCause(part.error)
      }
      return { value: text }
    },
  },
  {
    name: 'generateText, with a schema',
    covers: ['toLanguageModel'],
    sees: weatherInRome,
    requests: 1,
    run: async ({ provider }) => {
      const output = Output.object({ schema: jsonSchema(weatherSchema as object) })
      const request = { model: toLanguageModel(provider), prompt: question, output, maxRetries: 0 }
      return { value: (await generateText(request).catch(throwCause)).output }
    },
  },
]

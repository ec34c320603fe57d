// The rows that need a provider and nothing else.
import type { ChatMessage, Reader } from '@modelport/core'
import { createRegistry, newBatchRunner, newProvider, testConnection } from '@modelport/factory'
import { endpointOf } from './apis.js'
import { type CellContext, type Door, question, sentence, weatherDefinition } from './door.js'

const messages: readonly ChatMessage[] = [{ role: 'user', content: question }]

/** Everything a reader gives. */
async function readAll<Item>(reader: Reader<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of reader) items.push(item)
  return items
}

/** The configuration of a cell's model, for the factory. */
const configOf = ({ api, connection }: CellContext) => ({
  ...api.config,
  ...endpointOf(api, connection),
})
const context = { environment: () => undefined }

/** The rows. */
export const providerDoors: readonly Door[] = [
  {
    name: 'complete',
    covers: ['Provider.complete'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => ({ value: await provider.complete(question) }),
  },
  {
    name: 'completeWithHistory',
    covers: ['Provider.completeWithHistory'],
    sees: sentence,
    requests: 1,
    run: async ({ provider }) => ({
      value: await provider.completeWithHistory([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello. What can I do?' },
        ...messages,
      ]),
    }),
  },
  {
    name: 'generate',
    covers: ['Provider.generate'],
    sees: [sentence, 'stop'],
    requests: 1,
    run: async ({ provider }) => {
      const { text, finishReason, usage } = await provider.generate(messages)
      return { value: [text, finishReason], usage }
    },
  },
  {
    name: 'generate, with a tool',
    covers: ['Provider.generate'],
    sees: [[['get_weather', { city: 'Rome' }]], sentence],
    requests: 2,
    run: async ({ provider }) => {
      const asked = await provider.generate(messages, { tools: [weatherDefinition] })
      const results = asked.toolCalls.map((call) => ({
        role: 'tool' as const,
        toolCallId: call.id,
        toolName: call.name,
        content: '28 degrees in Rome',
      }))
      const answer = await provider.generate([...messages, asked.message, ...results], {
        tools: [weatherDefinition],
      })
      return { value: [asked.toolCalls.map((call) => [call.name, call.arguments]), answer.text] }
    },
  },
  {
    name: 'stream',
    covers: ['Provider.stream'],
    sees: [sentence, 'stop'],
    requests: 1,
    run: async ({ provider }) => {
      const reader = await provider.stream(question)
      const texts = await readAll(reader)
      return { value: [texts.join(''), reader.finishReason()], usage: reader.usage() }
    },
  },
  {
    name: 'streamWithHistory',
    covers: ['Provider.streamWithHistory'],
    sees: [sentence, 3],
    requests: 1,
    run: async ({ provider }) => {
      const reader = await provider.streamWithHistory([
        { role: 'system', content: 'Be brief.' },
        ...messages,
      ])
      const texts = await readAll(reader)
      return { value: [texts.join(''), reader.messages().length], usage: reader.usage() }
    },
  },
  {
    name: 'streamWithTools',
    covers: ['Provider.streamWithTools'],
    sees: [sentence, ['get_weather']],
    requests: 2,
    run: async ({ provider }) => {
      const reader = await provider.streamWithTools(messages, [weatherDefinition])
      const called: string[] = []
      const open: string[] = []
      for await (const event of reader) {
        if (event.type === 'tool-call-complete') {
          called.push(event.toolCall.name)
          open.push(event.toolCall.id)
        }
        if (event.type === 'turn-end' && open.length)
          await reader.sendToolResults(
            open.splice(0).map((callId) => ({ callId, content: '28 degrees in Rome' })),
          )
      }
      return { value: [reader.fullText(), called], usage: reader.usage() }
    },
  },
  {
    name: 'newProvider',
    covers: ['newProvider'],
    sees: sentence,
    requests: 1,
    run: async (cell) => ({
      value: await (await newProvider(configOf(cell), context)).complete(question),
    }),
  },
  {
    name: 'createRegistry',
    covers: ['createRegistry'],
    sees: sentence,
    requests: 1,
    run: async (cell) => {
      const models = [{ name: 'main', ...configOf(cell) }]
      const registry = createRegistry({ models, roles: { chat: 'main' } }, context)
      return { value: await (await registry.chat()).complete(question) }
    },
  },
  {
    name: 'testConnection',
    covers: ['testConnection'],
    sees: 'string',
    requests: 1,
    run: async (cell) => ({
      value: typeof (await testConnection(configOf(cell), undefined, { context })).model,
    }),
  },
  {
    name: 'a batch',
    covers: [
      'newBatchRunner',
      'BatchRunner.createBatch',
      'BatchRunner.getBatch',
      'BatchRunner.batchResults',
    ],
    sees: ['ended', [sentence, sentence]],
    requests: 4,
    run: async (cell) => {
      const runner = await newBatchRunner(configOf(cell), context)
      const { id } = await runner.createBatch([
        { messages },
        { messages, options: { system: 'Be brief.' } },
      ])
      const { status } = await runner.getBatch(id)
      const results = await runner.batchResults(id)
      return {
        value: [status, results.map(({ generation, error }) => generation?.text ?? error?.message)],
      }
    },
  },
]

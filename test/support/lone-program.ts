// A program of its own, as an application is one: a conversation with a tool, or a failure that
// nobody catches. What it is told comes through its input, as a key does that is in no variable.
import { text } from 'node:stream/consumers'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

const { baseUrl, apiKey, fails } = JSON.parse(await text(process.stdin)) as {
  readonly baseUrl: string
  readonly apiKey: string
  readonly fails: boolean
}
const provider = createOpenAICompatible({ model: 'm', baseUrl, apiKey })

if (fails) await provider.complete('Hi', { retry: { attempts: 1 } })

const tools = [
  {
    name: 'get_weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
]
const reader = await provider.streamWithTools([{ role: 'user', content: 'Weather?' }], tools)
for await (const event of reader) {
  if (event.type === 'tool-call-complete')
    await reader.sendToolResults([
      { callId: event.toolCall.id, content: JSON.stringify(event.toolCall.arguments) },
    ])
}
console.log(
  JSON.stringify({
    text: reader.fullText(),
    messages: reader.messages().length,
    guarded: throws(() => (({}) as { readonly __proto__: unknown }).__proto__),
  }),
)

function throws(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch {
    return true
  }
}

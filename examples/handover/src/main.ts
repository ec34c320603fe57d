// Three vendors hold one conversation: the first asks for two tools, the second takes over while
// one is still running, the third continues.
import {
  type ChatMessage,
  fromJson,
  type Provider,
  type ToolCall,
  type ToolDefinition,
  toJson,
  toToolMessage,
} from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'
import { startOfflineModel } from './offline-model.ts'

const tools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]
const weather: Readonly<Record<string, string>> = { Rome: '28 °C', Oslo: '-4 °C' }
const run = (call: ToolCall): ChatMessage =>
  toToolMessage(
    { callId: call.id, content: weather[String(call.arguments['city'])] ?? 'unknown' },
    call.name,
  )

/** One turn of a conversation: what was said, and which calls are open. */
async function turn(
  provider: Provider,
  history: readonly ChatMessage[],
): Promise<{ messages: readonly ChatMessage[]; calls: ToolCall[] }> {
  const reader = await provider.streamWithTools(history, tools)
  const calls: ToolCall[] = []
  for await (const event of reader) {
    if (event.type === 'text-delta') process.stdout.write(event.text)
    if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    if (event.type === 'turn-end') break
  }
  console.log(
    calls.map(({ name, argumentsText }) => `\n  asks for ${name}(${argumentsText})`).join(''),
  )
  return { messages: reader.messages(), calls }
}

const server = await startOfflineModel()
const apiKey = 'no-key-needed'
const first = createOpenAI({
  apiKey,
  model: 'gpt-5.4',
  baseUrl: `${server.url}/v1`,
  api: 'responses',
})
const second = createAnthropic({ apiKey, model: 'claude-sonnet-4-6', baseUrl: server.url })
const third = createGoogle({ apiKey, model: 'gemini-3.1-pro', baseUrl: server.url })

process.stdout.write(`${first.name}: `)
const { messages, calls } = await turn(first, [
  { role: 'user', content: 'Is it warmer in Rome or in Oslo?' },
])
const [rome, oslo] = calls as [ToolCall, ToolCall]

// What is stored is plain JSON: one tool has answered, the other has not.
const stored = JSON.stringify(toJson([...messages, run(rome)]))
console.log(
  `stored: ${fromJson(JSON.parse(stored))
    .map(({ role }) => role)
    .join(', ')}`,
)

process.stdout.write(`${second.name}: `)
const answered = await turn(second, [...fromJson(JSON.parse(stored)), run(oslo)])

process.stdout.write(`${third.name}: `)
await turn(third, [...answered.messages, { role: 'user', content: 'So where do I go?' }])
await server.close()

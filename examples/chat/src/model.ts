// The model: any server of Chat Completions, or one that is played.
import type { Provider } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

/**
 * @param baseUrl of any server of Chat Completions, such as `http://127.0.0.1:8080/v1`; without it
 * the model is played, and chooses the tool by words such as “pay”
 */
export function createModel(
  baseUrl: string | undefined,
  model = 'default',
  apiKey?: string,
): Provider {
  if (baseUrl) return createOpenAICompatible({ baseUrl, model, ...(apiKey && { apiKey }) })
  return createMock({
    chunkSize: 4,
    delayMs: 40,
    defaultResponse: ({ messages }) => {
      const { role, content } = messages.at(-1) ?? { role: 'user', content: '' }
      if (role === 'tool') return 'That is done, as you see above.'
      const parts =
        typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
      if (parts.some(({ type }) => type === 'image')) return 'Thank you for the picture.'
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
      return plays.find(([word]) => word.test(text))?.[1] ?? chatter
    },
  })
}

const chatter =
  'Ask me for the weather, to pay a bill, to book a table, or to order a taxi, or send me a picture. ' +
  'While I say this, reload the page, open it in a second tab, press Stop, or kill the server: ' +
  'no word is lost, and none comes twice.'

const plays: readonly (readonly [RegExp, MockTurn])[] = [
  [/weather/i, { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }],
  [/pay/i, { text: 'One moment.', toolCalls: [{ name: 'pay', arguments: { euros: 12 } }] }],
  [/table/i, { toolCalls: [{ name: 'book_table', arguments: {} }] }],
  [/taxi/i, { toolCalls: [{ name: 'order_taxi', arguments: { to: 'the station' } }] }],
]

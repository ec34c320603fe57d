import type { Provider } from '@modelport/core'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

/**
 * A provider whose server asks for one tool in each of so many steps. The bodies have a fixed
 * number of chunks.
 */
export function asking(steps: number): Provider {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const asks = (index: number): string => {
    const call = { name: 'get_weather', arguments: `{"city":"City ${index}"}` }
    const first = chunk({
      tool_calls: [{ index: 0, id: `c${index}`, type: 'function', function: call }],
    })
    return `${first}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
  }
  const ends = `${chunk({ content: 'Done.' })}${chunk({}, 'stop')}data: [DONE]\n\n`
  const bodies = [...Array.from({ length: steps }, (_, index) => asks(index)), ends]
  const fetch = (): Promise<Response> =>
    Promise.resolve(
      new Response(bodies.shift(), { headers: { 'content-type': 'text/event-stream' } }),
    )
  return createOpenAICompatible({ model: 'm', apiKey: 'k', baseUrl: 'https://x.test/v1', fetch })
}

import {
  type Provider,
  type TokenUsage,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  textOf,
} from '@modelport/core'

/** The two tools of the demo; they answer at once and from nothing but their arguments. */
export const tools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the city' } },
      required: ['city'],
    },
  },
  {
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
]

/** Runs a tool; what is wrong with a call goes back to the model. */
export function runTool(call: ToolCall): ToolResult {
  const { city, a, b } = call.arguments
  if (call.error !== undefined) return { callId: call.id, content: call.error, isError: true }
  if (call.name === 'get_weather' && typeof city === 'string')
    return { callId: call.id, content: `18 °C and sunny in ${city}` }
  if (call.name === 'add' && typeof a === 'number' && typeof b === 'number')
    return { callId: call.id, content: String(a + b) }
  return {
    callId: call.id,
    content: `unknown tool or wrong arguments: ${call.name} ${call.argumentsText}`,
    isError: true,
  }
}

/** Streams a conversation with tools, giving out each piece as it comes. */
export async function converse(
  provider: Provider,
  prompt: string,
  write: (text: string) => void,
): Promise<TokenUsage> {
  const reader = await provider.streamWithTools([{ role: 'user', content: prompt }], tools)
  const calls: ToolCall[] = []
  for await (const event of reader) {
    if (event.type === 'text-delta') write(event.text)
    else if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    else if (event.type === 'turn-end' && calls.length > 0) {
      const results = calls.splice(0).map((call) => {
        const result = runTool(call)
        write(`\n  → ${call.name}(${call.argumentsText}) = ${textOf(result.content)}`)
        return result
      })
      write('\n')
      await reader.sendToolResults(results)
    }
  }
  write('\n')
  return reader.usage()
}

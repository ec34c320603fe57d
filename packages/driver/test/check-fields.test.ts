import type { ChatMessage, ToolDefinition } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { failure, play, type Step } from './scripted-driver.js'

const whole: readonly Step[] = [['text', 'Hi'], ['terminal']]
const question: ChatMessage = { role: 'user', content: 'Hi' }
const look = { name: 'look', description: 'Looks.' }
const call = { id: 'call_1', name: 'look', arguments: {}, argumentsText: '{}' }

const refusal = async (messages: readonly unknown[], tools: readonly unknown[] = []) => {
  const { provider, turns } = play([whole])
  const error = await failure(
    provider.generate(messages as readonly ChatMessage[], {
      tools: tools as readonly ToolDefinition[],
    }),
  )
  expect([error.code, turns]).toEqual(['invalid-request', []])
  return error.message
}

test.each([
  [{ defer_loading: true }, 'tool "look": unknown field "defer_loading"; write deferred: true'],
  [{ cache_control: { type: 'ephemeral' } }, 'unknown field "cache_control"; write cache'],
  [{ inputSchema: {} }, 'unknown field "inputSchema"; write parameters'],
  [{ descripton: 'x' }, 'unknown field "descripton"; did you mean "description"?'],
  [{ zone: 1 }, 'unknown field "zone"; known: name, description'],
  [{ callers: ['code_execution_20250825'] }, 'callers may have "model" and "code", not "code_'],
])('a tool with a field that nothing reads is refused: %j', async (fields, message) => {
  expect(await refusal([question], [{ ...look, ...fields }])).toContain(message)
})

test.each([
  [{ cache_control: {} }, 'messages[0].content[0]: unknown field "cache_control"; write cache'],
  [{ providerOptions: {} }, 'unknown field "providerOptions"; write vendor'],
  [{ fuond: {} }, 'unknown field "fuond"; did you mean "found"?'],
])('a part with a field that nothing reads is refused: %j', async (fields, message) => {
  const content = [{ type: 'text', text: 'Hi', ...fields }]
  expect(await refusal([{ role: 'user', content }])).toContain(message)
})

describe('fields of a message', () => {
  test.each([
    [{ cacheControl: {} }, 'messages[0]: the field "cacheControl" would be lost; write cache'],
    [{ providerOptions: { openai: {} } }, '"providerOptions" would be lost; write vendor'],
    [{ experimental_attachments: ['x'] }, 'would be lost; write parts of content'],
  ])('a field of another library that would be lost is refused: %j', async (fields, message) => {
    expect(await refusal([{ ...question, ...fields }])).toContain(message)
  })

  test('calls and ids in the form of the wire are refused', async () => {
    expect(await refusal([{ role: 'assistant', content: 'x', tool_calls: [{ id: 'a' }] }])).toMatch(
      /"tool_calls" would be lost; write toolCalls/,
    )
    const asked = { role: 'assistant', content: '', toolCalls: [call] }
    const result = { role: 'tool', toolCallId: 'call_1', content: 'x', is_error: true }
    expect(await refusal([question, asked, result])).toMatch(/messages\[2\]: .*write isError/)
  })

  test("any other field is the caller's: it stays in the transcript", async () => {
    const { provider } = play([whole])
    const mine = { ...question, id: 7, createdAt: 'now', tool_calls: null, annotations: [] }
    const reader = await provider.streamWithHistory([mine])
    for await (const _ of reader);
    expect(reader.messages()[0]).toEqual(mine)
  })
})

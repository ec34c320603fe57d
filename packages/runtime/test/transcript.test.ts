import { type ChatMessage, isLlmError, type ToolCall } from '@modelport/core'
import { Transcript } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'

const call = (id: string): ToolCall => ({ id, name: 'look', arguments: {}, argumentsText: '{}' })
const asks = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map(call),
})
const user: ChatMessage = { role: 'user', content: 'Go' }
const refusal = (act: () => unknown): string => {
  try {
    act()
    return 'accepted'
  } catch (error) {
    return isLlmError(error, 'invalid-request') ? error.message : `another error: ${String(error)}`
  }
}

describe('Transcript', () => {
  test('a result is there as soon as it is committed, in call order', () => {
    const transcript = new Transcript([user, asks('a', 'b', 'c')])
    transcript.commit(call('c'), { callId: 'c', content: '3' })
    expect(
      transcript.messages.map((message) => message.role === 'tool' && message.toolCallId),
    ).toEqual([false, false, 'c'])
    transcript.commit(call('a'), { callId: 'a', content: '1', isError: true })
    expect(transcript.messages.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'a', toolName: 'look', content: '1', isError: true },
      { role: 'tool', toolCallId: 'c', toolName: 'look', content: '3' },
    ])
    expect(transcript.openCalls().map(({ id }) => id)).toEqual(['b'])
  })

  test('Transcript cannot be sent or continued while a call is open', () => {
    const transcript = new Transcript([user, asks('a', 'b')])
    expect(refusal(() => transcript.sendable())).toMatch(/without a result: a, b;/)
    expect(refusal(() => transcript.append(user))).toMatch(/without a result: a, b;/)
    expect(refusal(() => transcript.append(asks('c')))).toMatch(/without a result/)
    expect(transcript.messages).toHaveLength(2)
    expect(transcript.cancelOpen('stopped').map(({ id }) => id)).toEqual(['a', 'b'])
    expect(transcript.sendable().slice(2)).toEqual(
      ['a', 'b'].map((id) => ({
        role: 'tool',
        toolCallId: id,
        toolName: 'look',
        content: 'stopped',
        isError: true,
      })),
    )
    expect(transcript.cancelOpen('stopped')).toEqual([])
    transcript.append(user)
    expect(transcript.sendable()).toHaveLength(5)
  })

  test('Transcript takes each result once, and none without a call', () => {
    const transcript = new Transcript([user, asks('a')])
    expect(refusal(() => transcript.commit(call('x'), { callId: 'x', content: '' }))).toMatch(
      /"x" is not open; open: a/,
    )
    expect(refusal(() => transcript.commit(call('a'), { callId: 'b', content: '' }))).toMatch(
      /names the call "b", not "a"/,
    )
    transcript.commit(call('a'), { callId: 'a', content: 'first' })
    expect(refusal(() => transcript.commit(call('a'), { callId: 'a', content: 'second' }))).toMatch(
      /has a result already; open: none/,
    )
    expect(
      refusal(() => transcript.append({ role: 'tool', toolCallId: 'a', content: 'third' })),
    ).toMatch(/has a result already/)
    expect(transcript.messages.at(-1)).toMatchObject({ content: 'first' })
    expect(refusal(() => new Transcript([{ role: 'tool', toolCallId: 'a', content: '' }]))).toMatch(
      /not open/,
    )
    expect(refusal(() => new Transcript([user, asks('a', 'a')]))).toMatch(/two calls .* "a"/)
  })

  test('Transcript reads back what was stored, at any point of a round, and the same id may come again', () => {
    const full: ChatMessage[] = [
      user,
      asks('a', 'b'),
      { role: 'tool', toolCallId: 'b', content: '2' },
      { role: 'tool', toolCallId: 'a', content: '1' },
      asks('a'),
    ]
    for (let length = 0; length <= full.length; length++) {
      const stored = JSON.stringify(new Transcript(full.slice(0, length)).messages)
      const again = new Transcript(JSON.parse(stored) as ChatMessage[])
      expect(JSON.stringify(again.messages)).toBe(stored)
      expect(again.openCalls().length).toBe([0, 0, 2, 1, 0, 1][length])
    }
    expect(refusal(() => new Transcript([user, asks('a'), user]))).toMatch(/without a result: a/)
  })

  test('Transcript hands out copies of its list', () => {
    const transcript = new Transcript([user])
    ;(transcript.messages as ChatMessage[]).push(user)
    expect(transcript.messages).toHaveLength(1)
  })
})

import {
  anthropicMessages,
  gemini,
  openaiChat,
  openaiResponses,
  type ScriptTurn,
  type WireFormat,
} from '@modelport/conformance'
import { expect, test } from 'vitest'

const turn: ScriptTurn = { text: ['Hi'], finish: 'stop', usage: {} }

/** The id of a reply to so many messages, in the words of the API. */
function idOf(format: WireFormat, path: string, count: number): unknown {
  const messages = Array.from({ length: count }, () => ({}))
  const body = { messages, input: messages, contents: messages }
  const { pieces } = format.respond(turn, { method: 'POST', path, headers: {}, body })
  const { id, responseId = id } = JSON.parse([...pieces].join('')) as Record<string, unknown>
  return responseId
}

test.each([
  [openaiChat, '/v1/chat/completions'],
  [openaiResponses, '/v1/responses'],
  [anthropicMessages, '/v1/messages'],
  [gemini, '/v1beta/models/m:generateContent'],
])(
  '$api gives the replies of a conversation ids of their own, as LangChain keeps one message of an id',
  (format, path) => {
    expect(idOf(format, path, 1)).toEqual(expect.any(String))
    expect(idOf(format, path, 1)).toBe(idOf(format, path, 1))
    expect(idOf(format, path, 3)).not.toBe(idOf(format, path, 1))
  },
)

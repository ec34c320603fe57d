import { assert, assertEqual } from '../assert.js'
import type { DecodedTurn } from '../expectation.js'
import { type Connection, type Lab, namesOf } from '../lab.js'
import type { WireConversation, WireConversationMessage } from '../wire-format.js'

type AssistantOnWire = Extract<WireConversationMessage, { role: 'assistant' }>

/**
 * Checks that the nth request carries the question, all turns before it and the plain results of
 * their calls.
 */
export function assertSent(
  lab: Lab,
  connection: Connection,
  index: number,
  turns: readonly DecodedTurn[],
): void {
  const { messages, tools } = lab.conversation(connection, index)
  const replies = messages.filter(({ role }) => role === 'assistant').length
  assertEqual(replies, index, `request ${index}: assistant messages`)
  assertEqual(
    messages[0],
    { role: 'user', text: 'What is the weather?' },
    `request ${index}: the question`,
  )
  assertEqual(namesOf(tools), ['get_weather', 'get_time', 'list_rooms'], `request ${index}: tools`)
  let position = 1
  for (const [number, turn] of turns.slice(0, index).entries()) {
    position = assertTurnSent(lab, messages, position, turn, `request ${index}, turn ${number}`)
  }
  assertEqual(messages.length, position, `request ${index}: messages in all`)
}

function assertTurnSent(
  lab: Lab,
  messages: WireConversation['messages'],
  start: number,
  turn: DecodedTurn,
  what: string,
): number {
  const assistant = messages[start]
  assert(assistant?.role === 'assistant', `${what}: message ${start} is not an assistant message`)
  assertEqual(assistant.text, turn.text, `${what}: text of the assistant message`)
  assertEqual(
    namesOf(assistant.toolCalls),
    namesOf(turn.toolCalls),
    `${what}: calls of the assistant message`,
  )
  for (const [index, call] of turn.toolCalls.entries()) {
    const sent = assistant.toolCalls[index] as AssistantOnWire['toolCalls'][number]
    // A server that parses the history has to be able to read a malformed call.
    const expectedArguments =
      call.error === undefined ? call.arguments : { INVALID_JSON: call.argumentsText }
    assertEqual(sent.arguments, expectedArguments, `${what}: arguments of call ${index}`)
    const expected = { text: `result ${index} of ${call.name}`, name: call.name }
    assertResultSent(lab, messages[start + 1 + index], sent, expected, `${what}: result ${index}`)
  }
  return start + 1 + turn.toolCalls.length
}

/** Checks that a message is the result of this call. */
export function assertResultSent(
  { format }: Pick<Lab, 'format'>,
  message: WireConversationMessage | undefined,
  call: { readonly id: string },
  expected: { readonly text: string; readonly name: string },
  what: string,
): void {
  assert(message?.role === 'tool', `${what}: is not a tool message`)
  assertEqual(message.text, expected.text, `${what}: text`)
  if (format.supports.toolCallIds)
    assertEqual(message.callId, call.id, `${what}: id of the call it answers`)
  if (message.name !== undefined)
    assertEqual(message.name, expected.name, `${what}: name of the tool`)
}

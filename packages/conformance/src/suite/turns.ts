import type { ToolResult, ToolStreamReader } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import { assertUsage } from '../expectation.js'
import {
  type Connection,
  callsOf,
  type Lab,
  readOut,
  succeeded,
  type ToResults,
  textOfEvents,
} from '../lab.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed, scriptTools } from '../scripts.js'
import { withoutHang } from '../virtual-clock.js'
import { open } from './reader.js'
import { assertResultSent } from './sent.js'

const parallel = scriptNamed('parallel calls')

/** Reads to the end of the turn; the calls it finished. */
export async function toTurnEnd(reader: ToolStreamReader): Promise<{ id: string; name: string }[]> {
  const events = []
  for (let read = await reader.next(); !read.done; read = await reader.next()) {
    events.push(read.value)
    if (read.value.type === 'turn-end') return callsOf(events)
  }
  throw new TypeError('the stream ended before the turn did')
}

const resultsOf: ToResults = (calls) =>
  calls.map(({ id }, index) => ({ callId: id, content: `result ${index}` }))

const driverTests: Tests = {
  'R9 fullText() and usage() are valid at any time and final after the end': async (lab) => {
    const reader = await open(lab.play(scriptNamed('three turns')))
    assertEqual(reader.fullText(), '', 'fullText() before the first read')
    assertEqual(reader.usage().inputTokens, 0, 'usage() before the first read')
    const seen: string[] = []
    for (let read = await reader.next(); !read.done; read = await reader.next()) {
      if (read.value.type === 'text-delta') seen.push(read.value.text)
      assert(
        reader.fullText().startsWith(seen.join('')),
        `fullText() is "${reader.fullText()}" after the pieces "${seen.join('')}"`,
      )
      if (read.value.type !== 'turn-end' || read.value.reason !== 'tool-calls') continue
      assert(reader.usage().turns.length > 0, 'usage() lacks the turn that ended')
      await reader.sendToolResults(resultsOf(lastCalls(reader)))
    }
    assertEqual(reader.fullText(), 'One. Two. Three.', 'fullText() after the end')
    assertEqual(reader.usage().turns.length, 3, 'usage().turns after the end')
    assertUsage(reader.usage(), { inputTokens: 63 }, lab.format, 'usage() after the end')
  },
  'R10 without a tool result the stream ends, with no further request': async (lab) => {
    const connection = lab.play(parallel)
    const reader = await open(connection)
    const { events } = await succeeded(readOut(reader))
    const last = events.slice(-2).map(({ type }) => type)
    assertEqual(last, ['turn-end', 'done'], 'last events')
    assertEqual(connection.requests.length, 1, 'requests')
    await assertMisuse(reader.sendToolResults([]), 'results after the end')
  },
  'R10 a turn with some tool results missing rejects until they are sent, then continues':
    partlyAnswered,
  'R10 unknown and repeated ids are refused, and nothing of that call is taken': refusedResults,
  'R10 sendToolResults without an open call is a TypeError and opens no request': async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    const reader = await open(connection)
    const result: ToolResult = { callId: 'call_1', content: 'x' }
    await assertMisuse(reader.sendToolResults([result]), 'a result without a call')
    await readOut(reader)
    await assertMisuse(reader.sendToolResults([result]), 'a result after the end')
    const closed = await open(lab.play(parallel))
    const calls = await toTurnEnd(closed)
    await closed.close()
    await assertMisuse(closed.sendToolResults(resultsOf(calls)), 'results after close()')
    assertEqual(connection.requests.length, 1, 'requests')
  },
  'R10 the next request waits for the next read': async (lab) => {
    const connection = lab.play(parallel)
    const reader = await open(connection)
    await reader.sendToolResults(resultsOf(await toTurnEnd(reader)))
    assertEqual(connection.requests.length, 1, 'requests before the read')
    await withoutHang(reader.next(), 'the next read')
    assertEqual(connection.requests.length, 2, 'requests after the read')
    await reader.close()
  },
}

const wireTests: Tests = {
  'R9 messages() is the conversation so far, plain JSON': conversationSoFar,
  "R10, D3 turn-end waits for the wire's end, so late usage is counted": async (lab) => {
    const connection = lab.play(scriptNamed('usage tail'))
    const reader = await open(connection)
    await toTurnEnd(reader)
    assert(connection.requests[0]?.closed, 'the body was not read to its end at turn-end')
    assertUsage(reader.usage(), { inputTokens: 1200 }, lab.format, 'usage() at turn-end')
    await reader.close()
  },
}

/** R9, R10: turns, results, what may be asked at any time. */
export function turnRules(rule: Rule): void {
  ruleAll(rule.driver, driverTests)
  ruleAll(rule.wire, wireTests)
  for (const [name, send] of Object.entries(ways)) {
    const declare = name === 'in one call, backwards' ? rule.wire : rule.driver
    declare(`R10, D12 results sent ${name} continue the conversation in call order`, (lab) =>
      answered(lab, send),
    )
  }
}

async function assertMisuse(promise: Promise<unknown>, what: string): Promise<void> {
  const error = await rejection(promise, what)
  assert(
    error instanceof TypeError,
    `${what}: rejected with ${String(error)}, not with a TypeError`,
  )
}

const lastCalls = (reader: ToolStreamReader): { id: string; name: string }[] => {
  const last = reader.messages().at(-1)
  return last?.role === 'assistant' ? [...(last.toolCalls ?? [])] : []
}

type Send = (reader: ToolStreamReader, results: readonly ToolResult[]) => Promise<void>

const ways: Readonly<Record<string, Send>> = {
  'in one call': (reader, results) => reader.sendToolResults(results),
  'in one call, backwards': (reader, results) => reader.sendToolResults([...results].reverse()),
  'one by one': async (reader, results) => {
    for (const result of results) await reader.sendToolResults([result])
  },
  'one by one, backwards, without waiting': async (reader, results) => {
    await Promise.all([...results].reverse().map((result) => reader.sendToolResults([result])))
  },
}

async function answered(lab: Lab, send: Send): Promise<void> {
  const connection = lab.play(parallel)
  const reader = await open(connection)
  const calls = await toTurnEnd(reader)
  assertEqual(calls.length, 3, 'calls')
  await send(reader, resultsOf(calls))
  const { failed, error, events } = await readOut(reader)
  assert(!failed, `the second turn failed: ${String(error)}`)
  assertEqual(textOfEvents(events), 'Three answers.', 'text of the second turn')
  assertResultsSent(lab, connection, calls)
}

/** Checks that the second request has the results of the calls, in call order. */
function assertResultsSent(
  lab: Lab,
  connection: Connection,
  calls: readonly { readonly name: string }[],
): void {
  const { messages } = lab.conversation(connection, 1)
  const assistant = messages[1]
  assert(assistant?.role === 'assistant', "the second message on the wire is not the assistant's")
  assertEqual(messages.length, 2 + calls.length, 'messages')
  for (const [index, call] of calls.entries()) {
    const sent = assistant.toolCalls[index]
    assert(sent, `call ${index} is not in the assistant message`)
    assertResultSent(
      lab,
      messages[2 + index],
      sent,
      { text: `result ${index}`, name: call.name },
      `result ${index}`,
    )
  }
}

async function partlyAnswered(lab: Lab): Promise<void> {
  const connection = lab.play(parallel)
  const reader = await open(connection)
  const calls = await toTurnEnd(reader)
  const [first, ...rest] = resultsOf(calls)
  await reader.sendToolResults([first as ToolResult])
  for (let read = 0; read < 2; read++) {
    const error = await rejection(reader.next(), 'a read with calls open')
    assertCode(error, 'invalid-request', 'the rejection')
    for (const { callId } of rest)
      assert(
        error.message.includes(callId),
        `the message does not name "${callId}": ${error.message}`,
      )
  }
  assertEqual(connection.requests.length, 1, 'requests while calls are open')
  await reader.sendToolResults(rest)
  const { events } = await succeeded(readOut(reader))
  assertEqual(textOfEvents(events), 'Three answers.', 'text of the second turn')
  assertResultsSent(lab, connection, calls)
}

async function refusedResults(lab: Lab): Promise<void> {
  const connection = lab.play(parallel)
  const reader = await open(connection)
  const calls = await toTurnEnd(reader)
  const good = resultsOf(calls)
  const first = good[0] as ToolResult
  const bad: readonly (readonly ToolResult[])[] = [
    [{ callId: 'call_unknown', content: 'x' }],
    [first, { callId: 'call_unknown', content: 'x' }],
    [first, first],
  ]
  for (const results of bad) {
    const error = await rejection(reader.sendToolResults(results), 'bad results')
    assertCode(error, 'invalid-request', 'the rejection')
  }
  await reader.sendToolResults(good)
  const error = await rejection(reader.sendToolResults([first]), 'a second result')
  assertCode(error, 'invalid-request', 'a second result')
  assert(!(await readOut(reader)).failed, 'the stream failed after the refusals')
  assertResultsSent(lab, connection, calls)
}

const rolesOf = (messages: readonly { readonly role: string }[]): string[] =>
  messages.map(({ role }) => role)

async function conversationSoFar(lab: Lab): Promise<void> {
  const script = scriptNamed('two turns')
  const reader = await open(lab.play(script))
  assertEqual(rolesOf(reader.messages()), ['user'], 'roles before the results')
  const calls = await toTurnEnd(reader)
  assertEqual(rolesOf(reader.messages()), ['user', 'assistant'], 'roles after the turn')
  await reader.sendToolResults(resultsOf(calls))
  assertEqual(rolesOf(reader.messages()), ['user', 'assistant', 'tool'], 'roles after the results')
  await readOut(reader)
  const messages = reader.messages()
  const roles = ['user', 'assistant', 'tool', 'assistant']
  assertEqual(rolesOf(messages), roles, 'roles after the end')
  assertEqual(JSON.parse(JSON.stringify(messages)), messages, 'the conversation as plain JSON')
  const again = lab.play({ name: 'stored', turns: script.turns.slice(1) })
  const stored = JSON.parse(JSON.stringify(messages)) as typeof messages
  await readOut(
    await again.provider.streamWithTools(
      [...stored, { role: 'user', content: 'And now?' }],
      scriptTools,
    ),
  )
  const sent = rolesOf(lab.conversation(again).messages)
  assertEqual(sent, [...roles, 'user'], 'roles of the stored conversation on the wire')
}

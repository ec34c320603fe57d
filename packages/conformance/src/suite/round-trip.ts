import type {
  AssistantMessage,
  ChatMessage,
  ErrorCode,
  FinishReason,
  Generation,
  ProviderErrorDetails,
} from '@modelport/core'
import { addCounts, isProvider, textOf, toToolMessage, zeroCounts } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import {
  assertDecodedTurn,
  assertUniqueIds,
  assertUsage,
  cannotSay,
  type DecodedTurn,
  decodedTurnsOf,
} from '../expectation.js'
import type { Harness } from '../harness.js'
import { type Lab, plainResults, question, stream, textOfEvents } from '../lab.js'
import type { Rule } from '../rule.js'
import type { Script } from '../script.js'
import { scripts, scriptTools, textScripts } from '../scripts.js'
import { assertSent } from './sent.js'

/** L1–L4: the caller gets exactly what the model said, and the next request sends it back. */
export function roundTripRules(rule: Rule, { format }: Harness): void {
  for (const script of scripts) {
    const skip = cannotSay(script.turns, format)
    rule.wire(`L1 round trip of a stream: ${script.name}`, (lab) => checkStream(lab, script), {
      skip,
    })
    rule.wire(
      `L2 round trip of whole replies: ${script.name}`,
      (lab) => checkWholeReplies(lab, script),
      {
        skip: cannotSay(script.turns, format, 'whole'),
      },
    )
  }
  for (const script of textScripts) {
    rule.wire(`L3 the text alone: ${script.name}`, (lab) => checkText(lab, script), {
      skip: cannotSay(script.turns, format),
    })
  }
  rule.wire('L4 a provider is what isProvider says, with its name and models', async (lab) => {
    const { provider } = lab.play(textScripts[0] as Script)
    assert(isProvider(provider), 'isProvider(provider) is false')
    assert(
      provider.name && provider.model && provider.cheapestModel,
      'name, model or cheapestModel is empty',
    )
    assert(provider.estimateTokens('a word or two') > 0, 'estimateTokens gives no positive number')
    return Promise.resolve()
  })
}

async function checkStream(lab: Lab, script: Script): Promise<void> {
  const connection = lab.play(script)
  const { events, failed, error, reader } = await stream(connection)
  assert(!failed && reader, `the stream failed: ${String(error)}`)

  const turns = decodedTurnsOf(events)
  assertEqual(turns.length, script.turns.length, 'turns')
  for (const [index, turn] of script.turns.entries())
    assertDecodedTurn(turns[index] as DecodedTurn, turn, lab.format, `turn ${index}`)
  assertUniqueIds(turns)

  const last = events.at(-1)
  assert(last?.type === 'done', `the last event is ${String(last?.type)}, not done`)
  assertEqual(last.reason, script.turns.at(-1)?.finish, 'reason of done')

  const sum = script.turns.map(({ usage }) => ({ ...zeroCounts, ...usage })).reduce(addCounts)
  assertUsage(last.usage, sum, lab.format, 'usage of done')
  assertUsage(reader.usage(), sum, lab.format, 'usage()')
  assertEqual(reader.usage().turns.length, turns.length, 'usage().turns')

  assertEqual(reader.fullText(), textOfEvents(events), 'fullText()')
  assertEqual(connection.requests.length, turns.length, 'requests: one a turn')
  for (const index of turns.keys()) assertSent(lab, connection, index, turns)
}

async function checkWholeReplies(lab: Lab, script: Script): Promise<void> {
  const connection = lab.play(script)
  const messages: ChatMessage[] = [...question]
  const turns: DecodedTurn[] = []
  for (const [index, turn] of script.turns.entries()) {
    const reply = await connection.provider.generate(messages, { tools: scriptTools })
    turns.push(toDecodedTurn(reply))
    assertDecodedTurn(turns[index] as DecodedTurn, turn, lab.format, `turn ${index}`)
    assertMessage(reply.message, reply)

    if (reply.finishReason !== 'tool-calls') continue
    messages.push(
      reply.message,
      ...plainResults(reply.toolCalls).map((result) => toToolMessage(result)),
    )
  }
  for (const index of turns.keys()) assertSent(lab, connection, index, turns)
}

const toDecodedTurn = (reply: Generation): DecodedTurn => ({
  ...reply,
  reasoning: reply.reasoning ?? '',
})

function assertMessage(message: AssistantMessage, reply: Generation): void {
  assertEqual(message.role, 'assistant', 'role of the message')
  assertEqual(message.content, reply.text, 'content of the message')
  assertEqual(message.toolCalls ?? [], reply.toolCalls, 'calls of the message')
  assertEqual(JSON.parse(JSON.stringify(message)), message, 'the message as plain JSON')
}

async function checkText(lab: Lab, script: Script): Promise<void> {
  const turn = script.turns[0]
  const expected = (turn?.text ?? []).join('')
  const { provider } = lab.play(script)
  const reader = await provider.stream('Hello?')
  let text = ''
  for await (const piece of reader) {
    assert(piece !== '', 'a piece of text is empty')
    text += piece
  }
  assertEqual(text, expected, 'text of stream()')
  assertEqual(reader.fullText(), expected, 'fullText()')
  assertEqual(reader.finishReason(), turn?.finish, 'finishReason()')

  const reply = reader.messages().at(-1)
  assertEqual(
    [reply?.role, textOf(reply?.content ?? '')],
    ['assistant', reader.fullText()],
    'the last of messages()',
  )
  assertUsage(reader.usage(), turn?.usage ?? {}, lab.format, 'usage()')

  const { rawFinishReason } = await provider.generate(question)
  assertEqual(
    reader.details().rawFinishReason,
    rawFinishReason,
    'rawFinishReason of details() and of generate()',
  )

  const finish = turn?.finish ?? 'stop'
  await assertText(() => provider.complete('Hello?'), expected, finish, 'complete()')
  await assertText(
    () => provider.completeWithHistory(question),
    expected,
    finish,
    'completeWithHistory()',
  )
}

/**
 * Finish reasons that make `complete` reject, with the code of its error: a text cannot show that
 * the reply is not whole.
 */
const rejectionCodes: Readonly<Partial<Record<FinishReason, ErrorCode>>> = {
  length: 'limit-exceeded',
  'content-filter': 'content-filter',
}

/** Calls what returns the text alone, and checks its text or its error. */
async function assertText(
  call: () => Promise<string>,
  expected: string,
  finish: FinishReason,
  what: string,
): Promise<void> {
  const code = rejectionCodes[finish]
  if (!code) {
    assertEqual(await call(), expected, what)
    return
  }
  const error = await rejection(call(), what)
  assertCode(error, code, what)
  const { partial } = error as Partial<ProviderErrorDetails>
  assertEqual(partial?.text, expected, `partial text of ${what}`)
  assertEqual(partial?.finishReason, finish, `finish reason of ${what}`)
}

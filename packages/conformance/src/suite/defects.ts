import {
  type ChatMessage,
  type ToolDefinition,
  type ToolResult,
  toToolMessage,
} from '@modelport/core'
import { assert, assertCode, assertEqual } from '../assert.js'
import { brokenRecords } from '../case-data.js'
import { assertUsage, type DecodedTurn, decodedTurnsOf } from '../expectation.js'
import type { Harness } from '../harness.js'
import {
  drain,
  type Lab,
  namesOf,
  question,
  readOut,
  resultTexts,
  stream,
  succeeded,
} from '../lab.js'
import { toBytes, toReply, withBody } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import type { ScriptTurn } from '../script.js'
import { scriptNamed, scriptTools } from '../scripts.js'
import { brokenPiece } from '../wire-text.js'
import { open, throughSecondDelta } from './reader.js'
import { toTurnEnd } from './turns.js'

const citiesOf = (turn: DecodedTurn | undefined): unknown =>
  turn?.toolCalls.map((call) => call.arguments['city'])

const wireTests: Tests = {
  'D1 the replayed assistant turn has its calls': async (lab) => {
    const connection = lab.play(scriptNamed('text and calls'))
    await stream(connection)
    const assistant = lab.conversation(connection, 1).messages[1]
    assert(assistant?.role === 'assistant', "the second message on the wire is not the assistant's")
    const values = assistant.toolCalls.map((call) => call.arguments)
    assertEqual(values, [{ city: 'Rome' }, { city: 'Bari' }], 'calls on the wire')
  },
  'D2 a turn replays its own text, not that of the turns before': async (lab) => {
    const connection = lab.play(scriptNamed('three turns'))
    await stream(connection)
    const texts = lab
      .conversation(connection, 2)
      .messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : []))
    assertEqual(texts, ['One. ', 'Two. '], 'texts of the assistant messages in the third request')
  },
  'D3 usage after the finish reason is counted': async (lab) => {
    const { turns } = scriptNamed('usage tail')
    const { events } = await stream(lab.play(scriptNamed('usage tail')))
    const last = events.at(-1)
    assert(last?.type === 'done', `the last event is ${String(last?.type)}, not done`)
    assertUsage(last.usage, turns[0]?.usage ?? {}, lab.format, 'usage')
    if (lab.format.supports.counts !== false)
      assertEqual(last.usage.reported, true, 'usage.reported')
  },
  'D4 parallel calls come in wire order, every time': async (lab) => {
    const cities = ['Z', 'B', 'Y', 'A', 'X', 'C', 'W', 'D', 'V', 'E', 'U', 'F']
    const toolCalls = cities.map((city, index) => ({
      id: `call_${(index * 7) % 12}`,
      name: 'get_weather',
      arguments: { city },
    }))
    const turn: ScriptTurn = { toolCalls, finish: 'tool-calls', usage: {} }
    for (let time = 0; time < 3; time++) {
      const connection = lab.play({
        name: 'many calls',
        turns: [turn, { text: ['ok'], finish: 'stop', usage: {} }],
      })
      const [decoded] = decodedTurnsOf((await stream(connection)).events)
      assertEqual(citiesOf(decoded), cities, 'calls')
      const results = cities.map((_, index) => `result ${index} of get_weather`)
      assertEqual(resultTexts(lab.conversation(connection, 1)), results, 'results on the wire')
    }
  },
  'D5 every part of a chunk is delivered': async (lab) => {
    const { turns } = scriptNamed('text and calls')
    const connection = lab.connect((request, index) => {
      const response = lab.respond(turns, request, index)
      return withBody(response, [toBytes(response)])
    })
    const [turn] = decodedTurnsOf((await stream(connection)).events)
    assertEqual(turn?.text, 'Let me look.', 'text')
    assertEqual(citiesOf(turn), ['Rome', 'Bari'], 'calls')
  },
  'D6 setTools reaches the next request': checkSetTools,
  'D6 a result names its tool where the API wants the name': async (lab) => {
    const connection = lab.play(scriptNamed('parallel calls'))
    await stream(connection)
    const names = lab
      .conversation(connection, 1)
      .messages.flatMap((message) =>
        message.role === 'tool' && message.name !== undefined ? [message.name] : [],
      )
    if (names.length)
      assertEqual(names, ['get_weather', 'get_weather', 'get_time'], 'names of the results')
  },
  'D7 an error result keeps its mark': checkErrorResults,
  'D7 a system message inside the history reaches the wire': async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    const history: ChatMessage[] = [
      ...question,
      { role: 'assistant', content: 'Wait.' },
      { role: 'system', content: 'Summary so far: 42.' },
      { role: 'user', content: 'Continue.' },
    ]
    await stream(connection, { system: 'Be brief.' }, history)
    await connection.provider.generate(history, { system: 'Be brief.' })
    for (const index of [0, 1]) {
      const sent = JSON.stringify(lab.conversation(connection, index))
      for (const text of ['Be brief.', 'Summary so far: 42.'])
        assert(sent.includes(text), `request ${index} lacks "${text}": ${sent}`)
    }
  },
  'D8 temperature 0 is sent': async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    await stream(connection, { temperature: 0 })
    await connection.provider.complete('Hello?', { temperature: 0 })
    for (const index of [0, 1])
      assertEqual(
        lab.conversation(connection, index).temperature,
        0,
        `temperature of request ${index}`,
      )
  },
  'D9 the finish reason is reported': async (lab) => {
    for (const [name, reason] of Object.entries({ text: 'stop', length: 'length' })) {
      const { provider } = lab.play(scriptNamed(name))
      const reader = await provider.stream('Hello?')
      assertEqual(reader.finishReason(), undefined, 'finishReason() before the end')
      await drain(reader)
      assertEqual(reader.finishReason(), reason, 'finishReason()')
      assertEqual(
        (await provider.generate(question)).finishReason,
        reason,
        'finishReason of a whole reply',
      )
    }
  },
  'D9 a finish reason that is not known is other, never stop': async (lab) => {
    const { provider } = lab.play({
      name: 'other',
      turns: [{ text: ['Hm.'], finish: 'other', usage: {} }],
    })
    const reader = await provider.stream('Hello?')
    await drain(reader)
    assertEqual(reader.finishReason(), 'other', 'finishReason()')
    assertEqual(
      (await provider.generate(question)).finishReason,
      'other',
      'finishReason of a whole reply',
    )
  },
  'D10 the end is signalled once, a failure only by a rejection': async (lab) => {
    for (const name of ['text', 'empty text', 'two turns']) {
      const script = scriptNamed(name)
      const types = (await stream(lab.play(script))).events.map(({ type }) => type)
      assertEqual(types.filter((type) => type === 'done').length, 1, 'done events')
      assertEqual(types.at(-1), 'done', 'the last event')
      assertEqual(
        types.filter((type) => type === 'turn-end').length,
        script.turns.length,
        'turn-end events',
      )
    }
    const { turns } = scriptNamed('text')
    const connection = lab.connect((request) => {
      const response = lab.respond(turns, request)
      return toReply({ ...response, pieces: throughSecondDelta(response) })
    })
    const cut = await stream(connection)
    assert(
      cut.failed,
      'the connection closed in the middle of the stream: expected a rejection with truncated, found a clean end',
    )
    assert(
      !cut.events.some(({ type }) => type === 'done' || type === 'turn-end'),
      'a failed stream has an end event',
    )
    const allowed = [
      'text-delta',
      'reasoning-delta',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-complete',
    ]
    for (const { type } of cut.events)
      assert(allowed.includes(type), `an event "${type}" in a failed stream`)
  },
  'D12 a conversation continues over several turns': async (lab) => {
    const connection = lab.play(scriptNamed('three turns'))
    const { reader } = await succeeded(stream(connection))
    assertEqual(reader?.fullText(), 'One. Two. Three.', 'fullText()')
    assertEqual(connection.requests.length, 3, 'requests')
  },
  'D13 every method makes its request the same way': checkEveryMethod,
}

/** D1–D13: defects that other implementations have, each by its number. */
export function defectRules(rule: Rule, { format }: Harness): void {
  ruleAll(rule.wire, wireTests)
  const { supports } = format
  rule.wire(
    'D11 malformed arguments are reported, not repaired or wrapped',
    checkMalformedArguments,
    {
      skip: supports.argumentsText ? undefined : `${format.api} sends arguments as an object`,
    },
  )
  rule.wire(
    'D11 a record that is not JSON rejects protocol, and is not skipped',
    checkBrokenRecords,
    {
      skip:
        supports.jsonRecords === false ? `the records of ${format.api} are not JSON` : undefined,
    },
  )
}

async function checkSetTools(lab: Lab): Promise<void> {
  const added: ToolDefinition = {
    name: 'new_tool',
    description: 'New',
    parameters: {
      type: 'object',
      properties: {
        deep: {
          type: 'object',
          properties: { list: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
        },
      },
    },
  }
  const connection = lab.play(scriptNamed('three turns'))
  const reader = await open(connection)
  const finishTurn = async (): Promise<void> => {
    const calls = await toTurnEnd(reader)
    await reader.sendToolResults(calls.map(({ id }) => ({ callId: id, content: 'ok' })))
  }

  await finishTurn()
  reader.setTools([...scriptTools, added])
  await finishTurn()
  reader.setTools([])
  await succeeded(readOut(reader))

  const names = [0, 1, 2].map((index) => namesOf(lab.conversation(connection, index).tools))
  const first = namesOf(scriptTools)
  assertEqual(names[0], first, 'tools of the first request')
  assertEqual(names[1], [...first, 'new_tool'], 'tools of the second request')
  assertEqual(names[2], [], 'tools of the third request')

  const parameters = JSON.stringify(lab.conversation(connection, 1).tools.at(-1)?.parameters)
  for (const word of ['deep', 'list', '"a"', '"b"'])
    assert(parameters.includes(word), `the schema on the wire lacks ${word}: ${parameters}`)
}

const cityResult = (callId: string, isError = true): ToolResult => ({
  callId,
  content: 'no such city',
  isError,
})

async function checkErrorResults(lab: Lab): Promise<void> {
  const texts: unknown[] = []
  for (const isError of [false, true]) {
    const connection = lab.play(scriptNamed('one call'))
    await stream(connection, {}, undefined, (calls) =>
      calls.map(({ id }) => cityResult(id, isError)),
    )
    const message = lab.conversation(connection, 1).messages.at(-1)
    assert(message?.role === 'tool', 'the last message on the wire is not the result')
    assert(message.text.includes('no such city'), `the result has lost its text: ${message.text}`)
    if (lab.format.supports.toolResultErrors)
      assertEqual(message.isError ?? false, isError, 'isError on the wire')
    texts.push([message.text, message.isError ?? false])
  }
  assert(
    JSON.stringify(texts[0]) !== JSON.stringify(texts[1]),
    'the request does not say that the tool failed',
  )

  // The same result, given in the history and not by the reader.
  const connection = lab.play(scriptNamed('one call'))
  const response = await connection.provider.generate(question, { tools: scriptTools })
  const results = response.toolCalls.map(({ id }) => toToolMessage(cityResult(id)))
  await connection.provider.generate([...question, response.message, ...results], {
    tools: scriptTools,
  })
  const message = lab.conversation(connection, 1).messages.at(-1)
  assert(message?.role === 'tool', 'the last message of the history is not the result')
  assertEqual([message.text, message.isError ?? false], texts[1], 'an error result in the history')
}

async function checkMalformedArguments(lab: Lab): Promise<void> {
  for (const argumentsText of [
    '{"city": "Os',
    '{city: "Oslo"}',
    '[]',
    '"Oslo"',
    'null',
    '{"a":1}{"b":2}',
    '{"__proto__":{"admin":true}}',
  ]) {
    const turn: ScriptTurn = {
      toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: {}, argumentsText }],
      finish: 'tool-calls',
      usage: {},
    }
    const connection = lab.connect((request) => toReply(lab.respond([turn], request)))
    const [decoded] = decodedTurnsOf((await stream(connection, {}, undefined, () => [])).events)
    const [call] = decoded?.toolCalls ?? []
    assertEqual([call?.argumentsText, call?.arguments], [argumentsText, {}], 'arguments')
    assert(call?.error, `the call with ${argumentsText} has no error`)
  }
}

async function checkBrokenRecords(lab: Lab): Promise<void> {
  const { turns } = scriptNamed('text')
  for (const text of brokenRecords) {
    const connection = lab.connect((request) => {
      const response = lab.respond(turns, request)
      const middle = Math.ceil(response.pieces.length / 2)
      return toReply({
        ...response,
        pieces: [
          ...response.pieces.slice(0, middle),
          brokenPiece(response, text),
          ...response.pieces.slice(middle),
        ],
      })
    })
    const { failed, error } = await stream(connection)
    assert(failed, `a stream with the record ${text} ended as if it were whole`)
    assertCode(error, 'protocol', `the record ${text}`)
  }
}

async function checkEveryMethod(lab: Lab): Promise<void> {
  const connection = lab.play(scriptNamed('text'))
  const { provider } = connection
  const options = { system: 'Be brief.', temperature: 0.25, maxTokens: 99 }
  const prompt = 'What is the weather?'

  await provider.complete(prompt, options)
  await provider.completeWithHistory(question, options)
  await provider.generate(question, options)
  await drain(await provider.stream(prompt, options))
  await drain(await provider.streamWithHistory(question, options))
  await readOut(await provider.streamWithTools(question, [], options))

  const conversations = connection.requests.map((_, index) => lab.conversation(connection, index))
  assertEqual(
    conversations.map((one) => Number(one.stream)).join(''),
    '000111',
    'one request a call; 1 for a stream',
  )
  const first = conversations[0]
  for (const one of conversations)
    assertEqual({ ...one, stream: first?.stream }, first, 'the conversation of every method')
  assertEqual(
    [first?.system, first?.temperature, first?.maxTokens],
    ['Be brief.', 0.25, 99],
    'options on the wire',
  )
}

import type { CallOptions, ChatMessage, ErrorCode, JsonObject, ToolCall } from '@modelport/core'
import { defaultMaxTokens, toImagePart } from '@modelport/core'
import { assert, assertCode, assertEqual, canonical, rejection } from '../assert.js'
import { type Connection, type Lab, question, resultTexts, stream, succeeded } from '../lab.js'
import type { Rule } from '../rule.js'
import { scriptNamed, scriptTools } from '../scripts.js'
import type { WireConversation, WireRequest } from '../wire-format.js'

/** Q1–Q4: what is sent. Every other test checks its requests against the API's rules too. */
export function requestRules(rule: Rule): void {
  rule.wire('Q1 every kind of history makes a request that the API accepts', checkHistories)
  rule.wire(
    'Q1 ids of another vendor fit this API, and calls and results stay together',
    checkForeignIds,
  )
  rule.wire(
    'L1 a call that the program changed goes back with its new arguments',
    checkChangedCalls,
  )
  rule.wire('Q1 half of a surrogate pair is sent as U+FFFD', async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    await stream(connection, { system: 'Half \ude00.' }, [user('Half \ud83d, whole 👩.')])
    const body = wireText(connection.requests[0])
    for (const text of ['Half \ufffd.', 'Half \ufffd, whole 👩.'])
      assert(body.includes(text), `the body lacks "${text}": ${body}`)
  })
  rule.wire(
    'Q2 what is not set is not on the wire, but for maxTokens where it is needed',
    checkUnset,
  )
  rule.wire(
    "Q2 defaults: 'reference' sends 4096 tokens, and temperature 0.7 or none",
    checkReference,
  )
  rule.wire(
    "Q2 options reach the wire: system, maxTokens, temperature; a call's own win over the defaults",
    async (lab) => {
      const connection = lab.play(scriptNamed('text'), {
        defaults: { system: 'Default.', maxTokens: 110, temperature: 0.1 },
      })
      await stream(connection)
      await stream(connection, { maxTokens: 22, temperature: 0.2 })
      const optionsOf = (index: number): unknown[] => {
        const { system, maxTokens, temperature } = lab.conversation(connection, index)
        return [system, maxTokens, temperature]
      }
      assertEqual(
        optionsOf(0),
        ['Default.', 110, 0.1],
        'system, maxTokens and temperature of the defaults',
      )
      assertEqual(
        optionsOf(1),
        ['Default.', 22, 0.2],
        'system, maxTokens and temperature of the call',
      )
    },
  )
  rule.wire(
    'Q2 an option changes the request or is refused as unsupported, never dropped',
    checkEveryOption,
  )
  rule.wire(
    'Q2 a part that is not text is sent or refused as unsupported, never dropped',
    checkMediaPart,
  )
  rule.wire("Q2 the caller's own headers are sent", async (lab) => {
    const connection = lab.play(scriptNamed('text'), { headers: { 'x-own-header': 'own' } })
    await connection.provider.complete('Hello?')
    assertEqual(connection.requests[0]?.headers['x-own-header'], 'own', 'x-own-header')
  })
  rule.wire('Q3 bad input is refused before anything is sent', checkBadInput)
  rule.wire('Q4 a tool schema reaches the wire whole', checkSchemas)
}

async function checkMediaPart(lab: Lab): Promise<void> {
  const image = toImagePart(
    new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 1, 2, 3, 4]),
    'image/png',
  )
  const connection = lab.play(scriptNamed('text'))
  const message: ChatMessage = {
    role: 'user',
    content: [{ type: 'text', text: 'What is this?' }, image],
  }
  if (await isRefused(connection, {}, [message])) return

  const body = wireText(connection.requests[0])
  assert(
    image.source.type === 'base64' && body.includes(image.source.data),
    `the image is not on the wire: ${body}`,
  )
}

async function checkUnset(lab: Lab): Promise<void> {
  const connection = lab.play(scriptNamed('text'))
  await stream(connection)
  const sent = lab.conversation(connection)
  assertEqual([sent.system, sent.temperature], ['', undefined], 'system and temperature')
  // An API may require a number, and a server of one's own may never stop by itself.
  const { maxTokens = defaultMaxTokens } = sent
  assert(maxTokens >= defaultMaxTokens, `a call without maxTokens asks for ${maxTokens}`)
  const body = wireText(connection.requests[0])
  for (const word of ['null', 'undefined', 'NaN'])
    assert(!body.includes(`:${word}`), `the body has ${word}: ${body}`)
}

async function checkReference(lab: Lab): Promise<void> {
  const connection = lab.play(scriptNamed('text'), { defaults: 'reference' })
  await stream(connection)
  const { maxTokens, temperature } = lab.conversation(connection)
  assertEqual(maxTokens, defaultMaxTokens, 'maxTokens')
  assert(temperature === undefined || temperature === 0.7, `temperature is ${temperature}`)
}

async function checkSchemas(lab: Lab): Promise<void> {
  const tags = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  await checkSchema(lab, { tags }, '"tags"', '"a"', '"b"', '"required"')
  const properties = { level: { type: 'integer', description: 'how deep' } }
  const deep = { type: 'object', properties, required: ['level'] }
  await checkSchema(lab, { deep }, '"level"', 'how deep', '["level"]')

  const list = { type: 'array', items: { type: 'string' } }
  await checkSchema(lab, { field: { type: 'string', pattern: '^zq' } }, '^zq')
  await checkSchema(lab, { field: { type: 'integer', minimum: 1234 } }, '1234')
  await checkSchema(lab, { field: { type: 'integer', multipleOf: 4321 } }, '4321')
  await checkSchema(lab, { field: { ...list, maxItems: 777 } }, '777')
  await checkSchema(lab, { field: { type: 'string', minLength: 555 } }, '555')
  await checkSchema(lab, { field: { type: 'string', const: 'zqconst' } }, 'zqconst')
  await checkSchema(lab, { field: { type: 'string', default: 'zqdefault' } }, 'zqdefault')
}

/** The body of a request as text, whether it is JSON or not. */
const wireText = (request: WireRequest | undefined): string =>
  typeof request?.body === 'string' ? request.body : JSON.stringify(request?.body)

/** Each word of a schema is on the wire, unless the request is refused. */
async function checkSchema(
  lab: Lab,
  properties: JsonObject,
  ...words: readonly string[]
): Promise<void> {
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  const connection = lab.play(scriptNamed('text'))
  const tools = [{ name: 'some_tool', description: 'Some', parameters }]
  if (await isRefused(connection, { tools })) return

  const sent = JSON.stringify(lab.conversation(connection).tools[0]?.parameters)
  for (const word of words)
    assert(sent.includes(word), `the schema on the wire lacks ${word}: ${sent}`)
}

/** Makes a call. True if it is refused as unsupported, before anything is sent. */
async function isRefused(
  { provider, requests }: Connection,
  options: CallOptions,
  messages: readonly ChatMessage[] = question,
): Promise<boolean> {
  const before = requests.length
  try {
    await provider.generate(messages, options)
    return false
  } catch (error) {
    assertCode(error, 'unsupported', JSON.stringify(options))
  }
  assertEqual(
    requests.length,
    before,
    `requests of a call with ${JSON.stringify(options)}, which was refused`,
  )
  return true
}

const closedSchema = {
  type: 'object',
  properties: { zq: { type: 'string' } },
  required: ['zq'],
  additionalProperties: false,
}

/** Options besides those that every API has, without those in a vendor's own form. */
const furtherOptions: readonly CallOptions[] = [
  { topP: 0.875 },
  { topK: 17 },
  { stop: ['zqstop'] },
  { seed: 4242 },
  { toolChoice: { name: 'get_time' } },
  { parallelToolCalls: false },
  { responseFormat: { type: 'json' } },
  { responseFormat: { type: 'json-schema', schema: closedSchema } },
  { reasoning: 'low' },
  { topLogprobs: 3 },
]

async function checkEveryOption(lab: Lab): Promise<void> {
  await checkOptions(lab.play(scriptNamed('text')), furtherOptions)
  // No API has this field, so the request is not checked against its rules.
  const unchecked = Object.assign(lab.play(scriptNamed('text')), { unchecked: true })
  await checkOptions(unchecked, [{ vendor: { modelport_probe: 'probe-value' } }])
}

async function checkOptions(
  connection: Connection,
  changes: readonly CallOptions[],
): Promise<void> {
  const base: CallOptions = { tools: scriptTools }
  await connection.provider.generate(question, base)
  const plain = canonical(connection.requests[0]?.body)
  for (const option of changes) {
    if (await isRefused(connection, { ...base, ...option })) continue
    assert(
      canonical(connection.requests.at(-1)?.body) !== plain,
      `the option ${JSON.stringify(option)} did not change the request; send it, or throw LlmError('unsupported', …)`,
    )
  }
}

const call = (id: string, city: string): ToolCall => ({
  id,
  name: 'get_weather',
  arguments: { city },
  argumentsText: JSON.stringify({ city }),
})
const assistant = (content: string, ...toolCalls: readonly ToolCall[]): ChatMessage => ({
  role: 'assistant',
  content,
  ...(toolCalls.length && { toolCalls }),
})
const result = (toolCallId: string, content: string): ChatMessage => ({
  role: 'tool',
  toolCallId,
  content,
})
const user = (content: string): ChatMessage => ({ role: 'user', content })

/** A program redacts a call, or a person approves it with other arguments. */
async function checkChangedCalls(lab: Lab): Promise<void> {
  const script = scriptNamed('one call')
  const connection = lab.play(script)
  const { message } = await connection.provider.generate(question, { tools: scriptTools })
  const [original] = message.toolCalls ?? []
  assert(original, 'the reply has no call')
  const changed = { city: '[redacted]' }
  const texts = [JSON.stringify(changed), original.argumentsText]
  for (const argumentsText of texts) {
    const reply = { ...message, toolCalls: [{ ...original, arguments: changed, argumentsText }] }
    await connection.provider.generate([...question, reply, result(original.id, 'Cold.')], {
      tools: scriptTools,
    })
    const sent = lab.conversation(connection, connection.requests.length - 1)
    const calls = sent.messages.flatMap((one) => (one.role === 'assistant' ? one.toolCalls : []))
    assertEqual(
      calls.map((one) => one.arguments),
      [changed],
      'arguments of a call that the program changed',
    )
  }
}

async function checkHistories(lab: Lab): Promise<void> {
  const broken: ToolCall = {
    id: 'call_1',
    name: 'get_weather',
    arguments: {},
    argumentsText: '{"city": "Os',
    error: 'not valid JSON',
  }
  const withEmptyReply = [user('Hi.'), assistant(''), user('Well?')]
  const withMixedResults = [
    user('Hi.'),
    assistant('Look:', call('call_1', 'Oslo'), call('call_2', 'Rome')),
    result('call_2', 'two'),
    result('call_1', 'one'),
  ]
  const withMalformedCall: readonly ChatMessage[] = [
    user('Hi.'),
    assistant('', broken),
    { role: 'tool', toolCallId: 'call_1', content: 'bad arguments', isError: true },
  ]
  const fromElsewhere: readonly ChatMessage[] = [
    user('Hi.'),
    {
      ...assistant('From elsewhere.'),
      reasoning: 'Hidden.',
      origin: { provider: 'another', model: 'other', state: { signature: 'x' } },
    } as ChatMessage,
    user('Continue.'),
  ]
  const all: readonly (readonly ChatMessage[])[] = [
    [user('One.'), user('Two.')],
    withEmptyReply,
    [user('Hi.'), assistant('A.'), assistant('B.'), user('Well?')],
    [user('Hi.'), assistant('', call('call_1', 'Oslo')), result('call_1', ''), user('Well?')],
    withMixedResults,
    withMalformedCall,
    [
      { role: 'system', content: 'First.' },
      user('Hi.'),
      { role: 'system', content: 'Later.' },
      user('Continue.'),
    ],
    fromElsewhere,
    [user('Lone \ud83d surrogate, NUL \u0000 and 👩‍🚀.')],
  ]
  const connection: Connection = lab.play(scriptNamed('text'))
  for (const [index, messages] of all.entries()) {
    const { failed, error } = await stream(connection, {}, messages)
    assert(!failed, `history ${index} failed: ${String(error)}`)
  }

  const conversationOf = (history: readonly ChatMessage[]): WireConversation =>
    lab.conversation(connection, all.indexOf(history))
  const empty = conversationOf(withEmptyReply).messages
  assert(
    empty.every(({ role }) => role === 'user'),
    `a reply that says and calls nothing is sent: ${canonical(empty)}`,
  )
  const malformed = conversationOf(withMalformedCall).messages.flatMap((one) =>
    one.role === 'assistant' ? one.toolCalls : [],
  )
  assertEqual(
    malformed.map((one) => one.arguments),
    [{ INVALID_JSON: broken.argumentsText }],
    'arguments of a malformed call (send argumentsOf(call), or its argumentsText)',
  )
  assertEqual(
    resultTexts(conversationOf(withMixedResults)),
    ['one', 'two'],
    'results in call order',
  )
  assert(
    !wireText(connection.requests[all.indexOf(fromElsewhere)]).includes('signature'),
    "another provider's state is on the wire",
  )
}

async function checkForeignIds(lab: Lab): Promise<void> {
  const long = `toolu_${'x'.repeat(90)}`
  const ids = [
    `${long}1`,
    `${long}2`,
    'call:with/odd+characters=',
    'call_with_odd_characters_',
    'łódź',
    'ok_1',
  ]
  const messages = [
    user('Hi.'),
    assistant('', ...ids.map((id, index) => call(id, `city ${index}`))),
    ...ids.map((id, index) => result(id, `result ${index}`)),
  ]
  const connection = lab.play(scriptNamed('text'))
  await succeeded(stream(connection, {}, messages))

  const [, reply, ...toolMessages] = lab.conversation(connection).messages
  assert(
    reply?.role === 'assistant' && reply.toolCalls.length === ids.length,
    `not all ${ids.length} calls are on the wire`,
  )
  const texts = toolMessages.map((message) => message.role === 'tool' && message.text)
  const results = ids.map((_, index) => `result ${index}`)
  assertEqual(texts, results, 'results')
  if (!lab.format.supports.toolCallIds) return

  const callIds = reply.toolCalls.map(({ id }) => id)
  const resultIds = toolMessages.map((message) => message.role === 'tool' && message.callId)
  assertEqual(new Set(callIds).size, ids.length, 'different ids stay different')
  assertEqual(resultIds, callIds, 'ids of the results')
  assertEqual(reply.toolCalls[5]?.id, 'ok_1', 'an id that fits stays as it is')
}

async function checkBadInput(lab: Lab): Promise<void> {
  const connection = lab.play(scriptNamed('text'))
  const { provider } = connection
  const endless: Record<string, unknown> = {}
  endless['self'] = endless
  const calls = [call('call_1', 'Oslo'), call('call_2', 'Rome')]
  const attempts: readonly (readonly [ErrorCode, () => Promise<unknown>])[] = [
    ['config', () => provider.complete('Hi.', { temperature: 3 })],
    ['config', () => provider.complete('Hi.', { maxTokens: 0 })],
    ['config', () => provider.stream('Hi.', { topP: -1 })],
    ['config', () => provider.complete('Hi.', { temperature: Number.NaN })],
    ['config', () => provider.streamWithTools(question, [...scriptTools, ...scriptTools])],
    ['config', () => provider.streamWithTools(question, [{ name: 'bad name', description: '' }])],
    [
      'invalid-request',
      () =>
        provider.streamWithTools(question, [
          { name: 'endless', description: '', parameters: endless },
        ]),
    ],
    ['invalid-request', () => provider.generate(question, { vendor: endless })],
    ['invalid-request', () => provider.generate([])],
    ['invalid-request', () => provider.generate([user('Hi.'), result('call_1', 'x')])],
    [
      'invalid-request',
      () => provider.generate([user('Hi.'), assistant('', call('call_1', 'Oslo')), user('Well?')]),
    ],
    [
      'invalid-request',
      () => provider.generate([user('Hi.'), assistant('', ...calls), result('call_1', 'x')]),
    ],
  ]
  for (const [index, [code, attempt]] of attempts.entries()) {
    const error = await rejection(attempt(), `input ${index}`)
    assertCode(error, code, `input ${index}`)
  }
  assertEqual([connection.requests.length, lab.clock.pending], [0, 0], 'requests, timers left')
}

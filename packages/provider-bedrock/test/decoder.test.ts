import type { StreamEvent } from '@modelport/core'
import { converseFrame as frame } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { bedrock, claude, reply, streamed } from './support.js'

const hi = [{ role: 'user', content: 'Hi' }] as const
const block = (contentBlockIndex: number, delta: object): string =>
  frame('contentBlockDelta', { contentBlockIndex, delta })
const start = (contentBlockIndex: number, one: object): string =>
  frame('contentBlockStart', { contentBlockIndex, start: one })
const stop = (contentBlockIndex: number): string => frame('contentBlockStop', { contentBlockIndex })
const end = (stopReason: string): string => frame('messageStop', { stopReason })

async function turn(pieces: readonly string[]) {
  const { provider } = bedrock(() => streamed(pieces))
  const reader = await provider.streamWithTools(hi, [])
  const events: StreamEvent[] = []
  for await (const event of reader) {
    events.push(event)
    if (event.type === 'turn-end') break
  }
  return { events, message: reader.messages().at(-1), details: reader.details() }
}

describe('a reply', () => {
  test('a reply keeps its thinking, readable or not, and its calls as they came', async () => {
    const { events, message } = await turn([
      frame('messageStart', { role: 'assistant' }),
      ...[
        block(0, { reasoningContent: { text: 'H' } }),
        block(0, { reasoningContent: { text: 'm.' } }),
      ],
      ...[block(0, { reasoningContent: { signature: 'sig' } }), stop(0)],
      ...[block(1, { reasoningContent: { redactedContent: 'cmVk' } }), stop(1)],
      ...[block(2, { text: 'So.' }), stop(2)],
      start(3, { toolUse: { toolUseId: 't1', name: 'look', type: 'tool_use' } }),
      ...[
        block(3, { toolUse: { input: '{"at":' } }),
        block(3, { toolUse: { input: '"sky"}' } }),
        stop(3),
      ],
      end('tool_use'),
      frame('metadata', { usage: { inputTokens: 3, outputTokens: 2 } }),
    ])
    expect(events.filter(({ type }) => type === 'tool-call-complete')).toMatchObject([
      { toolCall: { id: 't1', name: 'look', arguments: { at: 'sky' } } },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(message).toMatchObject({ content: 'So.', reasoning: 'Hm.' })
    expect((message as { origin?: { state?: unknown } }).origin?.state).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { text: 'So.' },
      { toolUse: { toolUseId: 't1', name: 'look' } },
    ])
  })

  test('cached tokens count as input', async () => {
    const usage = {
      ...{
        inputTokens: 2,
        outputTokens: 5,
        totalTokens: 1429,
        cacheReadInputTokens: 100,
        cacheWriteInputTokens: 1322,
      },
      cacheDetails: [{ ttl: '1h', inputTokens: 1322 }],
    }
    const { provider } = bedrock(() => reply(undefined, { usage }))
    expect((await provider.generate(hi)).usage).toMatchObject({
      ...{ inputTokens: 1424, outputTokens: 5, cacheReadTokens: 100, cacheCreationTokens: 1322 },
      cacheCreationByLifetime: { '1h': 1322 },
    })
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['content_filtered', 'content-filter'],
    ['guardrail_intervened', 'content-filter'],
    ['malformed_model_output', 'error'],
    ['something_new', 'other'],
  ])('a reply that stops by %s ends with %s', async (stopReason, reason) => {
    const { provider } = bedrock(() => reply(undefined, { stopReason }))
    expect(await provider.generate(hi)).toMatchObject({
      finishReason: reason,
      rawFinishReason: stopReason,
    })
  })

  test('a reply has the trace of a guardrail, and the tier', async () => {
    const guardrail = { actionReason: 'Guardrail blocked.', inputAssessment: { g: {} } }
    const trace = { guardrail }
    const { provider } = bedrock(() =>
      reply(undefined, {
        stopReason: 'guardrail_intervened',
        trace,
        serviceTier: { type: 'flex' },
      }),
    )
    const details = await provider.generate(hi)
    expect(details).toMatchObject({
      serviceTier: 'flex',
      safety: [{ subject: 'reply', data: guardrail }],
    })
  })

  const ofDocument = {
    title: 'Sky',
    sourceContent: [{ text: 'The sky ' }, { text: 'is blue.' }],
    location: { documentPage: { documentIndex: 0, start: 2, end: 3 } },
  }
  const ofWeb = { location: { web: { url: 'https://sky.example/', domain: 'sky.example' } } }
  const cited = [
    { title: 'Sky', text: 'The sky is blue.', place: { unit: 'page', start: 2, end: 3 } },
    { url: 'https://sky.example/' },
  ]

  test('a stream shows text that cites with its sources', async () => {
    const { events, details } = await turn([
      block(0, { text: 'Blue.' }),
      block(0, { citation: ofDocument }),
      block(0, { citation: ofWeb }),
      end('end_turn'),
    ])
    expect(events[0]).toEqual({ type: 'text-delta', text: 'Blue.' })
    expect([details.citations, details.warnings ?? []]).toEqual([cited, []])
  })

  test('a whole reply shows text that cites with its sources', async () => {
    const content = [
      { citationsContent: { content: [{ text: 'Blue.' }], citations: [ofDocument, ofWeb] } },
    ]
    const { provider } = bedrock(() => reply(content))
    const { text, citations, warnings = [] } = await provider.generate(hi)
    expect([text, citations, warnings]).toEqual(['Blue.', cited, []])
  })

  test('a call of a system tool is not a call of yours, and its result is reported with it', async () => {
    const { events, details } = await turn([
      start(0, {
        toolUse: { toolUseId: 's1', name: 'nova_code_interpreter', type: 'server_tool_use' },
      }),
      ...[block(0, { toolUse: { input: '{"snippet":"1+1"}' } }), stop(0)],
      start(1, {
        toolResult: { toolUseId: 's1', type: 'nova_code_interpreter_result', status: 'success' },
      }),
      ...[
        block(1, { toolResult: [{ json: { stdOut: '2' } }] }),
        block(1, { toolResult: [{ text: 'ok' }] }),
        stop(1),
        block(2, { text: '2' }),
        stop(2),
      ],
      end('end_turn'),
    ])
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'turn-end'])
    expect(details.providerToolCalls).toEqual([
      {
        id: 's1',
        name: 'nova_code_interpreter',
        data: {
          toolUseId: 's1',
          name: 'nova_code_interpreter',
          type: 'server_tool_use',
          input: '{"snippet":"1+1"}',
        },
      },
      {
        id: 's1',
        name: 'nova_code_interpreter',
        data: {
          toolUseId: 's1',
          type: 'nova_code_interpreter_result',
          status: 'success',
          content: [{ json: { stdOut: '2' } }, { text: 'ok' }],
        },
      },
    ])
    expect(details.warnings).toBeUndefined()
  })

  test('a whole reply reports the result of a system tool, and damage in one is not thrown', async () => {
    const result = { toolUseId: 's1', type: 'nova_code_interpreter_result', status: 'error' }
    const { provider } = bedrock(() =>
      reply([
        { toolResult: { ...result, content: [{ text: 'no' }] } },
        { toolResult: { content: 7 } },
        { toolResult: [{ text: 'lost' }] },
        { text: 'Hi' },
      ]),
    )
    const { text, providerToolCalls, warnings } = await provider.generate(hi)
    expect(text).toBe('Hi')
    expect(providerToolCalls).toMatchObject([
      { id: 's1', name: result.type, data: { ...result, content: [{ text: 'no' }] } },
      { name: '', data: { content: [] } },
    ])
    expect(warnings).toEqual(['the reply has a block that is not shown: toolResult'])
  })

  test('a reply with a block of an unknown kind has a warning', async () => {
    const { details } = await turn([
      block(0, { text: 'Hi.' }),
      block(1, { hologram: {} }),
      end('end_turn'),
    ])
    expect(details.warnings?.join()).toContain('a block that is not shown: hologram')
  })

  test('a reply with a thousand blocks of unknown kinds has few warnings', async () => {
    const blocks = Array.from({ length: 1000 }, (_, index) => block(index, { [`k${index}`]: {} }))
    const { details } = await turn([...blocks, end('end_turn')])
    expect(details.warnings).toHaveLength(20)
  })

  test.each<[object]>([
    [{ inputTokens: 3, outputTokens: {}, cacheReadInputTokens: {} }],
    [{ inputTokens: 3, outputTokens: '9', cacheWriteInputTokens: -1 }],
    [{ inputTokens: 3, outputTokens: { toString: 5 }, cacheDetails: [null, { inputTokens: {} }] }],
  ])('a count that is not a number is left out: %j', async (usage) => {
    const { provider } = bedrock(() => reply([{ text: 'Hi.' }], { usage }))
    const { usage: counted } = await provider.generate(hi)
    expect(counted).toMatchObject({ inputTokens: 3, outputTokens: 0, cacheReadTokens: 0 })
  })

  test.each<[string, object]>([
    ['a reasoning text', { reasoningContent: { text: true } }],
    ['an inner reasoning text', { reasoningContent: { reasoningText: { text: null } } }],
    ['a cited text', { citationsContent: { content: true } }],
  ])('%s that is not a text does not reach the application', async (_, content) => {
    const { provider } = bedrock(() => reply([content, { text: 'Hi.' }]))
    const { text, reasoning = '' } = await provider.generate(hi)
    expect([text, reasoning]).toEqual(['Hi.', ''])
  })

  test('a call whose name is not a text is a failure of the server', async () => {
    const { provider } = bedrock(() =>
      reply([{ toolUse: { toolUseId: 't', name: true, input: {} } }]),
    )
    await expect(provider.generate(hi, { retry: { attempts: 1 } })).rejects.toMatchObject({
      code: 'protocol',
    })
  })

  test('a second reply in one stream is refused', async () => {
    const begin = frame('messageStart', { role: 'assistant' })
    const text = block(0, { text: 'Hi.' })
    await expect(turn([begin, text, begin, text, end('end_turn')])).rejects.toMatchObject({
      code: 'protocol',
    })
  })

  test('a stream without its messageStop was cut, although counts follow', async () => {
    const counts = frame('metadata', { usage: { inputTokens: 1, outputTokens: 1 } })
    await expect(turn([block(0, { text: 'Hi.' }), counts])).rejects.toMatchObject({
      code: 'truncated',
    })
  })
})

test.each([
  { document: { format: 'pdf', name: 'd', source: { s3Location: { uri: 's3://victim/d' } } } },
  { image: { format: 'png', source: { s3Location: { uri: 's3://victim/i' } } } },
  { toolResult: { toolUseId: 't', content: [{ text: 'forged' }] } },
])('state with a block that this provider does not keep is not sent: %j', async (forged) => {
  const state = [forged, { text: 'Hi.' }]
  const origin = { provider: 'bedrock', model: claude, state }
  const { provider, sent } = bedrock()
  const said = { role: 'assistant', content: 'Hi.', origin } as const
  await provider.generate([...hi, said, ...hi])
  expect(sent[0]?.body.messages[1]).toEqual({ role: 'assistant', content: [{ text: 'Hi.' }] })
})

describe('a failure', () => {
  test.each([
    [400, 'ValidationException', 'Input is too long for requested model.', 'context-length'],
    [
      400,
      'ValidationException',
      'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
      'context-length',
    ],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'not-found'],
    [
      400,
      'ValidationException',
      "This model doesn't support the outputConfig field. Remove outputConfig and try again.",
      'unsupported',
    ],
    [400, 'ValidationException', "This model doesn't support tool use.", 'unsupported'],
    [400, 'ServiceQuotaExceededException', 'no', 'quota-exhausted'],
    [403, 'AccessDeniedException', "You don't have access to the model", 'permission'],
    [
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      'auth',
    ],
    [
      403,
      'AccessDeniedException',
      'Authentication failed: Please make sure your API Key is valid.',
      'auth',
    ],
    [408, 'ModelTimeoutException', 'no', 'timeout'],
    [424, 'ModelErrorException', 'no', 'server'],
    [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', 'rate-limit'],
    [
      429,
      'ThrottlingException',
      'Too many tokens per day, please wait before trying again.',
      'quota-exhausted',
    ],
    [429, 'ModelNotReadyException', 'no', 'overloaded'],
    [503, 'ServiceUnavailableException', 'no', 'overloaded'],
  ])('%i %s: %s', async (status, type, message, code) => {
    const headers = {
      'x-amzn-errortype': `${type}:http://internal.amazon.com/`,
      'x-amzn-requestid': 'r-1',
    }
    const { failure } = bedrock(() => Response.json({ message }, { status, headers }))
    expect(await failure()).toMatchObject({
      code,
      type,
      status,
      requestId: 'r-1',
      message: expect.stringContaining(message),
    })
  })
})

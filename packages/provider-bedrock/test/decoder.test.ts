import type { StreamEvent } from '@modelport/core'
import { converseFrame as frame } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { bedrock, reply, streamed } from './support.js'

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

  test('a reply shows text that cites, and says that the sources are not shown', async () => {
    const { events, details } = await turn([
      block(0, { text: 'Blue.' }),
      block(0, { citation: { title: 'Sky' } }),
      end('end_turn'),
    ])
    expect([events[0], details.warnings?.length]).toEqual([
      { type: 'text-delta', text: 'Blue.' },
      1,
    ])
    const { provider } = bedrock(() =>
      reply([{ citationsContent: { content: [{ text: 'Blue.' }], citations: [] } }]),
    )
    expect(await provider.complete('Hi')).toBe('Blue.')
  })

  test('a call of a system tool is not a call of yours', async () => {
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
        stop(1),
        block(2, { text: '2' }),
        stop(2),
      ],
      end('end_turn'),
    ])
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'turn-end'])
    expect(details.warnings?.length).toBe(2)
  })

  test('a reply with a block of an unknown kind has a warning', async () => {
    const { details } = await turn([
      block(0, { text: 'Hi.' }),
      block(1, { hologram: {} }),
      end('end_turn'),
    ])
    expect(details.warnings?.join()).toContain('a block that is not shown: hologram')
  })
})

describe('a failure', () => {
  test.each([
    [400, 'ValidationException', 'Input is too long for requested model.', 'context-length'],
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

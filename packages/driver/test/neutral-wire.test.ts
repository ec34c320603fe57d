import { isLlmError, LlmError } from '@modelport/core'
import {
  createNeutralDecoder,
  createProvider,
  type Driver,
  type NeutralRecord,
  type Turn,
  toNeutralError,
  toNeutralResponse,
} from '@modelport/driver'
import { describe, expect, test } from 'vitest'

/** A provider whose answer is this list; an error in it is thrown. */
function play(records: readonly (NeutralRecord | Error)[]) {
  const state = { asked: 0, cancelled: 0 }
  const driver: Driver<Turn> = {
    name: 'neutral',
    framing: 'ndjson',
    request: (turn) => turn,
    send: (_, io) => {
      let next = 0
      const source = {
        next: async () => {
          state.asked++
          const record = records[next++]
          if (record instanceof Error) throw record
          return record
        },
        cancel: () => {
          state.cancelled++
        },
      }
      return Promise.resolve(toNeutralResponse(source, io.stream))
    },
    decoder: createNeutralDecoder,
    error: (failure) => toNeutralError('neutral', failure),
  }
  return { state, provider: createProvider(driver, { model: 'm', cheapestModel: 'm', hosts: [] }) }
}

const answer: readonly NeutralRecord[] = [
  { type: 'reasoning', text: 'hm' },
  { type: 'text', text: 'Hé 🚀\n' },
  { type: 'logprobs', tokens: [{ token: 'Hé', logprob: -0.5 }] },
  { type: 'call', index: 0, name: 'add', arguments: '{"a":', more: true },
  { type: 'call', index: 0, arguments: '1}' },
  { type: 'call', index: 1, id: 'mine', name: 'get_time', arguments: '{}' },
  { type: 'warning', text: 'careful' },
  { type: 'end', finish: 'stop', raw: 'eog', usage: { inputTokens: 3, outputTokens: 4 } },
]

describe('neutral wire', () => {
  test('a whole reply has every record', async () => {
    const result = await play(answer).provider.generate([{ role: 'user', content: 'x' }])
    expect(result).toMatchObject({
      text: 'Hé 🚀\n',
      reasoning: 'hm',
      finishReason: 'tool-calls',
      rawFinishReason: 'eog',
      warnings: ['careful'],
      logprobs: [{ token: 'Hé', logprob: -0.5 }],
      toolCalls: [
        { id: 'call_1', name: 'add', arguments: { a: 1 } },
        { id: 'mine', name: 'get_time', arguments: {} },
      ],
      usage: { inputTokens: 3, outputTokens: 4, reported: true },
    })
  })

  test('a stream has the same, a piece a record, and a call is whole when it says so', async () => {
    const reader = await play(answer).provider.streamWithTools([{ role: 'user', content: 'x' }], [])
    const types: string[] = []
    for await (const event of reader) types.push(event.type)
    expect(types).toEqual([
      'reasoning-delta',
      'text-delta',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-delta',
      'tool-call-complete',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-complete',
      'turn-end',
      'done',
    ])
  })

  test('a reply without its end is cut, streamed or whole', async () => {
    const { provider } = play(answer.slice(0, 2))
    await expect(provider.complete('x', { retry: { attempts: 1 } })).rejects.toMatchObject({
      code: 'truncated',
    })
    const reader = await provider.stream('x')
    await reader.next()
    await expect(reader.next()).rejects.toMatchObject({ code: 'truncated' })
  })

  test('an error of the source is the failure of the reply, with its code, and no request follows', async () => {
    const { provider, state } = play([
      answer[1]!,
      new LlmError('context-length', 'too long'),
      answer[7]!,
    ])
    const reader = await provider.stream('x')
    expect((await reader.next()).value).toBe('Hé 🚀\n')
    const error: unknown = await reader.next().catch((thrown: unknown) => thrown)
    expect(isLlmError(error, 'context-length')).toBe(true)
    expect(error).toMatchObject({
      message: 'neutral: context-length: too long',
      partial: { text: 'Hé 🚀\n' },
    })
    expect(state.asked).toBe(2)
  })

  test('a failure that is not known has the code unknown, and is not tried again', async () => {
    const { provider, state } = play([new Error('boom')])
    await expect(provider.complete('x')).rejects.toMatchObject({
      code: 'unknown',
      message: 'neutral: unknown: boom',
    })
    expect(state.asked).toBe(1)
  })

  test('closing cancels the source; nothing is made ahead of the reader', async () => {
    const { provider, state } = play(answer)
    const reader = await provider.streamWithTools([{ role: 'user', content: 'x' }], [])
    await reader.next()
    expect(state).toEqual({ asked: 1, cancelled: 0 })
    await reader.close()
    expect(state).toEqual({ asked: 1, cancelled: 1 })
  })
})

import type {
  ChatMessage,
  Provider,
  ProviderError,
  StreamEvent,
  ToolStreamReader,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { play, type Step } from './scripted-driver.js'

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const answer = (...steps: readonly Step[]) =>
  play([[...steps, ['finish', 'stop']]]).provider.generate(question)
const zero = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
}
const image = {
  type: 'image' as const,
  source: { type: 'url' as const, url: 'https://x.example/a.png' },
}

async function rest(reader: ToolStreamReader): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of reader) events.push(event)
  return events
}

const streamed = async (provider: Provider): Promise<StreamEvent[]> =>
  rest(await provider.streamWithTools(question, []))

describe('the reply of a turn', () => {
  test('the reply of a turn has text and reasoning apart', async () => {
    const found = await answer(['reasoning', 'h'], ['reasoning', 'm'], ['text', 'a'], ['text', 'b'])
    expect(found).toEqual({
      text: 'ab',
      reasoning: 'hm',
      toolCalls: [],
      finishReason: 'stop',
      message: {
        role: 'assistant',
        content: 'ab',
        reasoning: 'hm',
        origin: { provider: 'p', model: 'm' },
      },
      usage: { ...zero, toolDefinitionTokens: 0, turns: [zero], reported: false },
    })
  })

  test('the reply of a turn has no events for empty deltas', async () => {
    const { provider } = play([
      [
        ['text', ''],
        ['reasoning', ''],
        ['text', 'x'],
        ['finish', 'stop'],
      ],
    ])
    const events = await rest(await provider.streamWithTools(question, []))
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'turn-end', 'done'])
  })

  test('the reply of a turn shows a refusal as text if there is no other, and keeps it apart in any case', async () => {
    expect(await answer(['refusal', 'I can'], ['refusal', 'not'])).toMatchObject({
      text: 'I cannot',
      message: { content: 'I cannot', refusal: 'I cannot' },
    })
    expect(await answer(['text', 'Well'], ['refusal', 'no'])).toMatchObject({
      text: 'Well',
      message: { content: 'Well', refusal: 'no' },
    })
    expect((await answer(['text', 'Well'])).message).not.toHaveProperty('refusal')
  })

  test('the reply of a turn has parts after its text, or alone without one', async () => {
    expect((await answer(['part', image], ['text', 'a'])).message.content).toEqual([
      { type: 'text', text: 'a' },
      image,
    ])
    expect((await answer(['part', image])).message.content).toEqual([image])
  })

  test("the reply of a turn has citations, the vendor's own calls, probabilities and warnings, and no list where there is nothing", async () => {
    const lists = {
      citations: [{ url: 'u' }, { url: 'v' }],
      providerToolCalls: [{ id: 's', name: 'search', data: 1 }],
      logprobs: [
        { token: 'a', logprob: -1 },
        { token: 'b', logprob: -2 },
      ],
      warnings: ['w'],
    }
    const found = await answer(
      ['citation', { url: 'u' }],
      ['citation', { url: 'v' }],
      ['providerToolCall', { id: 's', name: 'search', data: 1 }],
      ['logprobs', [{ token: 'a', logprob: -1 }]],
      ['logprobs', [{ token: 'b', logprob: -2 }]],
      ['warning', 'w'],
      ['text', 'x'],
    )
    expect(found).toMatchObject(lists)
    expect(Object.keys(await answer(['text', 'x'])).sort()).toEqual([
      'finishReason',
      'message',
      'text',
      'toolCalls',
      'usage',
    ])
  })

  test('the reply of a turn names the model as the server does, and keeps the state of its driver', async () => {
    expect(await answer(['model', 'm-2'], ['model', ''])).toMatchObject({
      message: { origin: { provider: 'p', model: 'm-2' } },
    })
    expect((await answer(['state', [1]], ['state', [2]])).message.origin).toEqual({
      provider: 'p',
      model: 'm',
      state: [2],
    })
    expect(Object.keys((await answer(['text', 'x'])).message.origin ?? {})).toEqual([
      'provider',
      'model',
    ])
    expect((await answer(['state', null])).message.origin).toEqual({
      provider: 'p',
      model: 'm',
      state: null,
    })
  })

  test('the reply of a turn keeps a raw reason if a later one has none', async () => {
    const { provider } = play([
      [
        ['text', 'x'],
        ['finish', 'other', 'odd'],
        ['finish', 'length'],
      ],
    ])
    expect(await provider.generate(question)).toMatchObject({
      finishReason: 'length',
      rawFinishReason: 'odd',
    })
  })
})

describe('the finish reason of a turn', () => {
  const call: Step = ['toolCall', 0, { id: 'a', name: 'f', text: '{}' }]
  test.each<[string, readonly Step[]]>([
    ['unknown', [['text', 'x'], ['terminal']]],
    [
      'stop',
      [
        ['text', 'x'],
        ['finish', 'stop'],
      ],
    ],
    ['tool-calls', [call, ['finish', 'stop']]],
    ['tool-calls', [call, ['terminal']]],
    ['tool-calls', [call, ['finish', 'tool-calls']]],
    ['length', [call, ['finish', 'length']]],
    ['content-filter', [call, ['finish', 'content-filter']]],
  ])('%s: %j', async (reason, steps) => {
    expect((await play([steps]).provider.generate(question)).finishReason).toBe(reason)
  })
})

test.each([
  ['limit-exceeded', 'length', /^p: the reply was cut off at its limit of tokens; raise maxTokens/],
  ['content-filter', 'content-filter', /^p: the reply was refused or filtered/],
  ['server', 'error', /^p: the reply was given up by the server/],
] as const)(
  'complete rejects with %s what ended as %s, and generate returns it',
  async (...row) => {
    const [code, finish, message] = row
    const { provider } = play([
      [
        ['text', 'I can'],
        ['finish', finish],
      ],
    ])
    for (const call of [provider.complete('Hi'), provider.completeWithHistory(question)])
      await expect(call).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
        partial: { text: 'I can', finishReason: finish },
      })
    expect(await provider.generate(question)).toMatchObject({ text: 'I can', finishReason: finish })
  },
)

describe('counts', () => {
  const counted = async (...steps: Step[]) => (await answer(['text', 'x'], ...steps)).usage

  test('counts are replaced by later ones, and not changed by a value that is not a count', async () => {
    expect(
      await counted(
        ['usage', { inputTokens: 5, outputTokens: 1 }],
        ['usage', { outputTokens: 3, inputTokens: -1, reasoningTokens: null as never }],
      ),
    ).toMatchObject({
      inputTokens: 5,
      outputTokens: 3,
      reasoningTokens: 0,
      reported: true,
    })
    expect(await counted(['usage', { inputTokens: '5' as never }])).toMatchObject({
      inputTokens: 0,
      reported: false,
    })
    expect(await counted(['usage', { inputTokens: -1 }])).toMatchObject({
      inputTokens: 0,
      reported: false,
    })
    expect(await counted(['usage', {}])).toMatchObject({ reported: false })
    expect(await counted(['usage', { inputTokens: 0 }])).toMatchObject({
      inputTokens: 0,
      reported: true,
    })
  })

  test.each([
    ['costParts', { upstream_inference_cost: 0.4 }],
    ['inputByModality', { audio: 2 }],
    ['outputByModality', { image: 3 }],
    ['cacheCreationByLifetime', { '1h': 4 }],
    ['predictionTokens', { accepted: 7, rejected: 2 }],
    ['providerToolCounts', { web_search_requests: 1 }],
  ])('counts by name arrive without what is not a count: %s', async (name, named) => {
    const mixed = { ...named, text: 'many', none: null, less: -1 }
    expect(await counted(['usage', { [name]: mixed }])).toMatchObject({
      [name]: named,
      reported: true,
    })
    expect((await counted(['usage', { [name]: mixed }]))[name as 'costParts']).toEqual(named)
    expect(await counted(['usage', { [name]: 5 }])).toMatchObject({ reported: false })
  })

  test('counts of other models arrive, and a count of theirs that is not one is 0', async () => {
    const small = {
      model: 'small',
      inputTokens: 5,
      outputTokens: 2,
      cacheReadTokens: 1,
      cacheCreationTokens: 0,
    }
    const mixed = { ...small, cacheReadTokens: '1', cacheCreationTokens: Number.NaN }
    const otherModels = [small, mixed, { ...small, model: 7 }, null] as never
    expect((await counted(['usage', { otherModels }])).otherModels).toEqual([
      small,
      { ...small, cacheReadTokens: 0 },
    ])
    expect(await counted(['usage', { otherModels: [7] as never }])).toMatchObject({
      reported: false,
    })
  })

  test('a field that counts do not have is left out', async () => {
    const usage = { inputTokens: 1, total: 2, constructor: 3 }
    const { turns } = await counted(['usage', usage])
    expect(Object.keys(turns[0] ?? {})).not.toContain('total')
    expect(turns).toMatchObject([{ inputTokens: 1 }])
  })

  test('counts never have a part that is larger than its whole', async () => {
    expect(await counted(['usage', { inputTokens: 2, cacheReadTokens: 7 }])).toMatchObject({
      inputTokens: 7,
      cacheReadTokens: 7,
    })
    expect(await counted(['usage', { inputTokens: 2, cacheCreationTokens: 7 }])).toMatchObject({
      inputTokens: 7,
      cacheCreationTokens: 7,
    })
    expect(
      await counted(['usage', { inputTokens: 10, cacheReadTokens: 7, cacheCreationTokens: 7 }]),
    ).toMatchObject({
      inputTokens: 10,
      cacheReadTokens: 7,
      cacheCreationTokens: 3,
    })
    expect(await counted(['usage', { outputTokens: 2, reasoningTokens: 5 }])).toMatchObject({
      outputTokens: 2,
      reasoningTokens: 2,
    })
    expect(await counted(['usage', { outputTokens: 6, reasoningTokens: 5 }])).toMatchObject({
      outputTokens: 6,
      reasoningTokens: 5,
    })
  })
})

describe('the partial reply of a turn that failed', () => {
  test('the partial reply of a turn that failed has everything that had arrived, and marks calls that are not whole', async () => {
    const { provider } = play([
      [
        ['reasoning', 'hm'],
        ['text', 'ab'],
        ['toolCall', 0, { id: 'a', name: 'f', text: '{"x":1}' }],
        ['usage', { inputTokens: 3 }],
        ['finish', 'length'],
        ['fail', { body: { no: 1 } }],
      ],
    ])
    await expect(provider.generate(question)).rejects.toMatchObject({
      attempts: 1,
      host: 'api.example:443',
      partial: {
        text: 'ab',
        reasoning: 'hm',
        toolCalls: [
          {
            id: 'a',
            name: 'f',
            arguments: {},
            argumentsText: '{"x":1}',
            error: 'the reply ended before the call did',
          },
        ],
        usage: { inputTokens: 3, reported: true, turns: [{ inputTokens: 3 }] },
        finishReason: 'length',
        bytes: expect.any(Number) as number,
      },
    })
  })

  test('the partial reply of a turn that failed has nothing that did not arrive', async () => {
    const { provider } = play([[['text', 'ab']]])
    const error: unknown = await streamed(provider).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'truncated',
      message: 'p: truncated: the connection ended before the reply did (14 bytes read)',
    })
    expect((error as ProviderError).partial).toEqual({
      text: 'ab',
      reasoning: '',
      toolCalls: [],
      usage: { ...zero, toolDefinitionTokens: 0, turns: [], reported: false },
      bytes: 14,
    })
  })

  test.each<[string, number, Step]>([
    ['text', 1, ['text', 'x']],
    ['reasoning', 1, ['reasoning', 'x']],
    ['a part', 1, ['part', image]],
    ['a call', 1, ['toolCall', 0, { id: 'a', name: 'f' }]],
    ["a model's name", 3, ['model', 'x']],
    ['counts', 3, ['usage', { inputTokens: 1 }]],
    ['an empty text', 3, ['text', '']],
    ['a refusal that was not shown', 3, ['refusal', 'x']],
  ])('a turn that is cut after %s makes %i attempts', async (_, attempts, step) => {
    const { provider, clock, ios } = play([[step]])
    const failing = streamed(provider).catch((error: unknown) => error)
    for (let turn = 0; turn < 6; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      clock.advance(10_000)
    }
    expect(await failing).toMatchObject({ code: 'truncated', attempts })
    expect(ios).toHaveLength(attempts)
  })
})

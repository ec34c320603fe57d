import { describe, expect, test } from 'vitest'
import {
  chatProvider,
  chunk,
  done,
  failure,
  generate,
  json,
  once,
  sse,
  stream,
  whole,
} from './support.js'

const stop = { finish_reason: 'stop' }
const call = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text: unknown,
): object => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), arguments: text },
})

describe('the end of a stream', () => {
  test.each([
    ['a reason without [DONE]', [chunk({ content: 'Hi' }), chunk({}, stop)], 'stop'],
    ['a reason with the text', [chunk({ content: 'Hi' }, stop), done], 'stop'],
    [
      'a reason of "" before the real one',
      [chunk({ content: 'Hi' }, { finish_reason: '' }), chunk({}, stop)],
      'stop',
    ],
    [
      'a reason of "null" before the real one',
      [chunk({ content: 'Hi' }, { finish_reason: 'null' }), chunk({}, stop)],
      'stop',
    ],
  ])('a stream may end with %s', async (_, events, reason) => {
    expect(await stream(...events)).toMatchObject({ text: 'Hi', reason })
  })

  test('the end of a stream is cut without a reason and [DONE], and the error has what had come', async () => {
    const error = await failure(
      stream(chunk({ content: 'Hi' }), chunk({ content: ' there' }, { finish_reason: 'null' })),
    )
    expect(error).toMatchObject({ code: 'truncated', partial: { text: 'Hi there' } })
  })

  test('[DONE] without a finish reason is not the end of a reply: gateways write it after a cut', async () => {
    const called = chunk({ tool_calls: [call(0, 'call_1', 'look', '{}')] })
    for (const events of [[chunk({ content: 'Hi' })], [called], [chunk({ content: 'Hi' }), called]])
      expect(await failure(stream(...events, done))).toMatchObject({ code: 'truncated' })
  })

  test('[DONE] without a finish reason ends a reply with token counts where the server is known for it', async () => {
    const counts = { prompt_tokens: 1, completion_tokens: 1 }
    const read = async (...events: readonly (object | string)[]): Promise<string> => {
      const provider = chatProvider(() => sse(...events), { finishReasonOptional: true })
      const reader = await provider.stream('Hi', { retry: { attempts: 1 } })
      for await (const _ of reader);
      return reader.fullText()
    }
    const last = { ...chunk({}), usage: counts }
    expect(await read(chunk({ content: 'Hi' }), last, done)).toBe('Hi')
    expect(await failure(read(chunk({ content: 'Hi' }), done))).toMatchObject({ code: 'truncated' })
    expect(await failure(read(chunk({ content: 'Hi' }), last))).toMatchObject({ code: 'truncated' })
  })

  test('[DONE] alone is not a reply', async () => {
    expect(await failure(stream(done))).toMatchObject({ code: 'truncated' })
    // As llama.cpp before September 2025, for a prompt that is too long.
    expect(
      await failure(
        stream(
          'error: {"code":400,"message":"the request exceeds the available context size"}',
          done,
        ),
      ),
    ).toMatchObject({ code: 'truncated' })
  })

  test.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content-filter'],
    ['error', 'error'],
    ['insufficient_system_resource', 'error'],
    ['banana', 'other'],
    ['model_context_window_exceeded', 'length'],
    ['content_filter: RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'error'],
    ['stop: for now', 'stop'],
    ['constructor', 'other'],
  ])('%s means %s', async (raw, reason) => {
    expect((await stream(chunk({ content: 'Hi' }, { finish_reason: raw }), done)).reason).toBe(
      reason,
    )
    expect(await generate(whole({ content: 'Hi' }, { finish_reason: raw }))).toMatchObject({
      finishReason: reason,
      rawFinishReason: raw,
    })
  })

  test('the end of a stream is tool-calls instead of stop if there are calls, but stays length', async () => {
    const pieces = chunk({ tool_calls: [call(0, 'a', 'f', '{}')] })
    expect((await stream(pieces, chunk({}, stop))).reason).toBe('tool-calls')
    expect((await stream(pieces, chunk({}, { finish_reason: 'function_call' }))).reason).toBe(
      'tool-calls',
    )
    expect((await stream(pieces, chunk({}, { finish_reason: 'length' }))).reason).toBe('length')
  })

  test('the end of a stream of a whole reply needs no reason', async () => {
    expect(await generate(whole({ content: 'Hi' }, { finish_reason: null }))).toMatchObject({
      text: 'Hi',
      finishReason: 'unknown',
    })
  })
})

describe('content', () => {
  test('content is read from parts: text, thinking and images', async () => {
    const content = [
      {
        type: 'thinking',
        thinking: [
          { type: 'text', text: 'Hm' },
          { type: 'text', text: 'm' },
        ],
        closed: true,
      },
      { type: 'text', text: 'A ' },
      'cat',
      { type: 'reference', reference_ids: [1] },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    expect(await generate(whole({ content }))).toMatchObject({
      text: 'A cat',
      reasoning: 'Hmm',
      message: {
        content: [
          { type: 'text', text: 'A cat' },
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
        ],
      },
    })
    expect(
      await stream(chunk({ content: content.slice(0, 1) }), chunk({ content: 'A cat' }, stop)),
    ).toMatchObject({
      text: 'A cat',
      reasoning: 'Hmm',
    })
  })

  test('content is the refusal if there is no text', async () => {
    expect(await generate(whole({ content: null, refusal: 'No.' }))).toMatchObject({
      text: 'No.',
      message: { refusal: 'No.' },
    })
    expect((await stream(chunk({ refusal: 'N' }), chunk({ refusal: 'o.' }, stop))).text).toBe('No.')
  })

  test('content is that of the first choice only', async () => {
    const two = {
      object: 'chat.completion',
      choices: [
        { index: 1, message: { content: 'B' }, finish_reason: 'length' },
        { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
      ],
    }
    expect(await generate(two)).toMatchObject({ text: 'A', finishReason: 'stop' })
    const other = { choices: [{ index: 1, delta: { content: 'B' }, finish_reason: 'stop' }] }
    expect(
      await stream(other, chunk({ content: 'A' }), other, chunk({}, { finish_reason: 'length' })),
    ).toMatchObject({
      text: 'A',
      reason: 'length',
    })
  })

  test('content is kept next to calls in one delta', async () => {
    const round = await stream(
      chunk(
        { content: 'Look: ', tool_calls: [call(0, 'a', 'f', '{"x":1}')] },
        { finish_reason: 'tool_calls' },
      ),
      done,
    )
    expect(round).toMatchObject({
      text: 'Look: ',
      calls: [['a', 'f', '{"x":1}']],
      reason: 'tool-calls',
    })
  })

  test('content is filled up from a whole message for what did not come in deltas', async () => {
    const message = {
      content: 'Hello',
      reasoning_content: 'Hm',
      tool_calls: [call(undefined, 'a', 'f', '{}')],
    }
    expect(await stream({ choices: [{ message, finish_reason: 'tool_calls' }] })).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm',
      calls: [['a', 'f', '{}']],
    })
    expect(
      await stream(
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({ content: '' }, { message, finish_reason: 'stop' }),
      ),
    ).toMatchObject({ text: 'Hello', reasoning: 'Hm', calls: [['a', 'f', '{}']] })
    const grows = ['H', 'Hello'].map((content, index) =>
      chunk({ content: ['H', 'ello'][index] }, { message: { content } }),
    )
    expect((await stream(...grows, chunk({}, stop))).text).toBe('Hello')
  })

  test('content is read from a JSON body in response to a stream request', async () => {
    const reader = await chatProvider(() =>
      json(whole({ content: 'Hi' }, { finish_reason: null })),
    ).stream('Hello', once)
    const pieces: string[] = []
    for await (const text of reader) pieces.push(text)
    expect(pieces).toEqual(['Hi'])
  })

  test('content is skipped if nothing has the type it should have', async () => {
    for (const odd of [5, 'x', true, [], {}, [null], [[]], { a: 1 }]) {
      const message = Object.fromEntries(
        [
          'refusal',
          'audio',
          'images',
          'reasoning',
          'reasoning_details',
          'reasoning_steps',
          'tool_calls',
          'function_call',
          'executed_tools',
          'annotations',
        ].map((name) => [name, odd]),
      )
      const body = {
        choices: [
          { index: 0, delta: { ...message, reasoning: 5 }, logprobs: odd, finish_reason: 'stop' },
        ],
        usage: odd,
        x_groq: odd,
        citations: odd,
        search_results: odd,
        base_resp: odd,
        model: odd,
      }
      expect((await stream(body)).reason, JSON.stringify(odd)).toBe('stop')
    }
    expect(await failure(stream(chunk({ content: 'Hi' }), 'data: 5'))).toMatchObject({
      code: 'protocol',
    })
    expect(
      await failure(stream(chunk({ content: 'Hi' }), 'data: {unparsable}', done)),
    ).toMatchObject({
      code: 'protocol',
    })
    expect(await failure(generate({ choices: [] }))).toMatchObject({ code: 'protocol' })
  })
})

describe('reasoning', () => {
  test.each(['reasoning_content', 'reasoning', 'reasoning_text'])(
    'reasoning is read from %s',
    async (field) => {
      expect(
        await stream(chunk({ [field]: 'Hm' }), chunk({ [field]: 'm', content: 'Yes' }, stop)),
      ).toMatchObject({
        text: 'Yes',
        reasoning: 'Hmm',
      })
      expect(await generate(whole({ content: 'Yes', [field]: 'Hmm' }))).toMatchObject({
        text: 'Yes',
        reasoning: 'Hmm',
        message: { origin: { state: { field } } },
      })
    },
  )

  test('reasoning is read from the steps of a search, and from the whole message at the end', async () => {
    const steps = [
      { thought: 'Look. ', type: 'web_search', web_search: { search_keywords: ['x'] } },
      { thought: 'Read.', type: 'fetch_url_content' },
    ]
    const message = { role: 'assistant', content: 'A', reasoning_steps: steps }
    const answer = await stream(
      ...steps.map((step) => ({
        ...chunk({ role: 'assistant', content: '', reasoning_steps: [step] }),
        object: 'chat.reasoning',
      })),
      { ...chunk({}, { message: { ...message, content: '' } }), object: 'chat.reasoning.done' },
      chunk({ content: 'A' }),
      { ...chunk({}, { message, finish_reason: 'stop' }), object: 'chat.completion.done' },
    )
    expect(answer).toMatchObject({ text: 'A', reasoning: 'Look. Read.', reason: 'stop' })
    expect(answer.message).not.toHaveProperty('origin.state')
    expect(await generate(whole(message))).toMatchObject({ text: 'A', reasoning: 'Look. Read.' })
  })

  test('reasoning counts once if it comes in two fields', async () => {
    const twice = {
      reasoning: 'Hmm',
      reasoning_content: 'Hmm',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hmm', index: 0 }],
    }
    expect((await stream(chunk(twice), chunk({}, stop))).reasoning).toBe('Hmm')
    expect(await generate(whole(twice))).toMatchObject({ reasoning: 'Hmm' })
  })

  test('reasoning keeps its details, joined by text, with signatures and encrypted parts', async () => {
    const details = [
      { type: 'reasoning.text', text: 'One', signature: '', index: 0 },
      { type: 'reasoning.text', text: ' two', index: 0 },
      { type: 'reasoning.text', signature: 'sig', index: 0, format: 'f' },
      { type: 'reasoning.text', text: 'Three', index: 0 },
      { type: 'reasoning.summary', summary: 'S', index: 1 },
      { type: 'reasoning.encrypted', data: 'x', id: 'e', index: 2 },
      { type: 'reasoning.encrypted', data: 'y', index: 2 },
    ]
    const { reasoning, message } = await stream(
      ...details.map((detail) => chunk({ reasoning_details: [detail] })),
      chunk({ content: 'A' }, stop),
    )
    expect(reasoning).toBe('One twoThreeS')
    expect(message).toMatchObject({
      origin: {
        state: {
          details: [
            { type: 'reasoning.text', text: 'One two', signature: 'sig', index: 0, format: 'f' },
            { type: 'reasoning.text', text: 'Three', index: 0 },
            { type: 'reasoning.summary', summary: 'S', index: 1 },
            { type: 'reasoning.encrypted', data: 'x', id: 'e', index: 2 },
            { type: 'reasoning.encrypted', data: 'y', index: 2 },
          ],
        },
      },
    })
  })
})

describe('tool calls', () => {
  const finish = chunk({}, { finish_reason: 'tool_calls' })
  const streamed = async (...pieces: readonly object[]) =>
    (await stream(...pieces.map((piece) => chunk({ tool_calls: [piece] })), finish)).calls

  test('tool calls come in the order of their index, also interleaved', async () => {
    const calls = await streamed(
      call(1, 'b', 'g', ''),
      call(0, 'a', 'f', '{"x"'),
      call(1, undefined, undefined, '{}'),
      call(0, undefined, undefined, ':1}'),
    )
    expect(calls).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{}'],
    ])
  })

  test('tool calls without an index are separated by their ids, or else by their names', async () => {
    expect(
      await streamed(
        call(undefined, 'a', 'f', '{}'),
        call(undefined, 'b', 'g', '{'),
        call(undefined, 'b', undefined, '}'),
      ),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ])
    expect(
      await streamed(
        call(undefined, undefined, 'f', '{'),
        call(undefined, undefined, undefined, '}'),
        call(undefined, '', 'g', '{}'),
      ),
    ).toEqual([
      ['call_1', 'f', '{}'],
      ['call_2', 'g', '{}'],
    ])
  })

  test('tool calls that all have the same index are separated in the same way', async () => {
    expect(
      await streamed(
        call(0, 'a', 'f', '{'),
        call(0, 'a', undefined, '}'),
        call(0, 'b', 'g', '{'),
        call(0, undefined, undefined, '}'),
      ),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ])
    expect(await streamed(call(0, '', 'f', '{}'), call(0, '', 'g', '{}'))).toEqual([
      ['call_1', 'f', '{}'],
      ['call_2', 'g', '{}'],
    ])
  })

  test('tool calls are joined if the index is wrong at the start of a call', async () => {
    expect(
      await streamed(
        call(0, 'a', 'f', '{}'),
        call(0, 'b', 'f', ''),
        call(1, undefined, undefined, '{"x"'),
        call(1, undefined, undefined, ':1}'),
      ),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'f', '{"x":1}'],
    ])
  })

  test('tool calls are joined with id and name repeated, a new id in each delta, null arguments, or an empty delta at the end', async () => {
    expect(
      await streamed(
        call(0, 'a', 'f', null),
        call(0, 'a', 'f', '{'),
        call(0, 'a', '', '}'),
        call(0, '', '', ''),
      ),
    ).toEqual([['a', 'f', '{}']])
    expect(await streamed(call(0, 'a', 'f', '{'), call(0, 'b', undefined, '}'))).toEqual([
      ['a', 'f', '{}'],
    ])
    expect(await streamed(call(0, 'a', 'f', '{}'), call(7, undefined, undefined, ''))).toEqual([
      ['a', 'f', '{}'],
    ])
  })

  test('tool calls are read if the name comes after the id', async () => {
    expect(await streamed(call(0, 'a', undefined, ''), call(0, undefined, 'f', '{}'))).toEqual([
      ['a', 'f', '{}'],
    ])
  })

  test('tool calls of a custom tool have the text as their input, and an error in a reply that was cut', async () => {
    const begin = { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT ' } }
    const events = [
      chunk({ tool_calls: [begin] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: '1' } }] }),
    ]
    const completed = async (reason: string): Promise<unknown> => {
      const found = await stream(...events, chunk({}, { finish_reason: reason }), done)
      return found.events.flatMap((event) =>
        event.type === 'tool-call-complete' ? [event.toolCall] : [],
      )
    }
    const whole = {
      id: 'a',
      name: 'sql',
      arguments: { input: 'SELECT 1' },
      argumentsText: 'SELECT 1',
    }
    expect(await completed('tool_calls')).toEqual([whole])
    expect(await completed('length')).toMatchObject([
      { arguments: {}, error: expect.any(String) as string },
    ])
  })

  test('tool calls of a custom tool go back as such', async () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }
    const bodies: { messages: unknown[] }[] = []
    const provider = chatProvider((body: { messages: unknown[] }) => {
      bodies.push(body)
      return json(whole({ content: null, tool_calls: [custom, call(1, 'b', 'f', '{}')] }))
    })
    const question = [{ role: 'user' as const, content: 'How many?' }]
    const { message } = await provider.generate(question, once)
    const results = ['a', 'b'].map((toolCallId) => ({
      role: 'tool' as const,
      toolCallId,
      content: '1',
    }))
    await provider.generate([...question, message, ...results], once)
    expect(bodies[1]?.messages[1]).toMatchObject({
      tool_calls: [custom, { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } }],
    })
  })

  test('tool calls are read with arguments as an object, as free text, and in the form before tool_calls', async () => {
    const answer = await generate(
      whole({
        tool_calls: [
          call(0, 'a', 'f', { x: 1 }),
          { id: 'b', type: 'custom', custom: { name: 'g', input: 'free' } },
        ],
      }),
    )
    expect(answer.toolCalls).toMatchObject([
      { arguments: { x: 1 }, argumentsText: '{"x":1}' },
      { name: 'g', argumentsText: 'free', arguments: { input: 'free' } },
    ])
    expect(
      await generate(
        whole(
          { function_call: { name: 'f', arguments: '{"x":1}' } },
          { finish_reason: 'function_call' },
        ),
      ),
    ).toMatchObject({ toolCalls: [{ name: 'f', arguments: { x: 1 } }], finishReason: 'tool-calls' })
    expect(
      (
        await stream(
          chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
          chunk({ function_call: { arguments: ':1}' } }),
          finish,
        )
      ).calls,
    ).toMatchObject([[expect.any(String), 'f', '{"x":1}']])
    expect(
      (await generate(whole({ content: 'Hi', function_call: { name: '', arguments: '' } })))
        .toolCalls,
    ).toEqual([])
  })

  test('tool calls of a whole message are separate, whatever their index says', async () => {
    const { toolCalls } = await generate(
      whole({
        tool_calls: [call(0, 'a', 'f', '{}'), call(0, 'b', 'f', '{}'), call(0, '', 'g', '{}')],
      }),
    )
    expect(toolCalls.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'f'],
      ['b', 'f'],
      ['call_3', 'g'],
    ])
  })

  test('tool calls without a name reject protocol', async () => {
    expect(await failure(streamed(call(0, 'a', undefined, '{}')))).toMatchObject({
      code: 'protocol',
    })
  })
})

describe('usage', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
  const counts = { inputTokens: 10, outputTokens: 4, reported: true }

  test.each([
    ['after the reason', [chunk({ content: 'Hi' }, stop), { choices: [], usage }, done]],
    ['with the reason', [chunk({ content: 'Hi' }), { ...chunk({}, stop), usage }, done]],
    [
      'cumulative in every chunk',
      [
        { ...chunk({ content: 'H' }), usage: { ...usage, completion_tokens: 1 } },
        { ...chunk({ content: 'i' }, stop), usage },
        done,
      ],
    ],
    [
      'repeated',
      [
        { ...chunk({ content: 'Hi' }, stop), usage },
        { choices: [], usage },
        { choices: [], usage },
      ],
    ],
    [
      'null until the end',
      [
        { ...chunk({ content: 'Hi' }), usage: null },
        { ...chunk({}, stop), usage: null },
        { choices: [], usage },
      ],
    ],
    ['in x_groq', [chunk({ content: 'Hi' }), { ...chunk({}, stop), x_groq: { id: 'r', usage } }]],
    ['in the choice', [chunk({ content: 'Hi' }), chunk({}, { ...stop, usage })]],
  ])('usage is read if it comes %s', async (_, events) => {
    expect((await stream(...events)).usage).toMatchObject(counts)
  })

  test('usage is not reported if the server sends none', async () => {
    expect((await stream(chunk({ content: 'Hi' }, stop))).usage).toMatchObject({
      inputTokens: 0,
      reported: false,
    })
    expect((await stream({ ...chunk({ content: 'Hi' }, stop), usage: {} })).usage.reported).toBe(
      false,
    )
  })

  test.each([
    [{ prompt_tokens_details: { cached_tokens: 6 } }, { cacheReadTokens: 6 }],
    [{ prompt_tokens_details: null, cached_tokens: 6 }, { cacheReadTokens: 6 }],
    [{ prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }, { cacheReadTokens: 6 }],
    [{ num_cached_tokens: 6 }, { cacheReadTokens: 6 }],
    [{ cache_creation_input_tokens: 3 }, { cacheCreationTokens: 3 }],
    [
      { prompt_tokens_details: { cache_write_tokens: 3, cached_tokens: 6 } },
      { cacheCreationTokens: 3, cacheReadTokens: 6 },
    ],
    [
      { completion_tokens_details: { reasoning_tokens: 3 } },
      { outputTokens: 4, reasoningTokens: 3 },
    ],
    [{ reasoning_tokens: 3 }, { outputTokens: 4, reasoningTokens: 3 }],
    // Next to the output, as the total shows.
    [
      { completion_tokens_details: { reasoning_tokens: 30 }, total_tokens: 44 },
      { outputTokens: 34, reasoningTokens: 30 },
    ],
  ])('usage has the counts of %j', async (extra, wanted) => {
    expect(
      (await generate(whole({ content: 'Hi' }, {}, { usage: { ...usage, ...extra } }))).usage,
    ).toMatchObject({
      inputTokens: 10,
      ...wanted,
    })
  })
})

describe('next to the text', () => {
  test('the model is named as the server names it', async () => {
    expect(
      (await generate({ ...whole({ content: 'Hi' }), model: 'model-0613' })).message.origin?.model,
    ).toBe('model-0613')
  })

  test('log probabilities are reported with their alternatives', async () => {
    const content = [
      {
        token: 'Hi',
        logprob: -0.5,
        bytes: [72],
        top_logprobs: [
          { token: 'Hi', logprob: -0.5 },
          { token: 'Ho', logprob: -1 },
        ],
      },
      { token: '!', logprob: 0, top_logprobs: [] },
    ]
    const wanted = [
      {
        token: 'Hi',
        logprob: -0.5,
        top: [
          { token: 'Hi', logprob: -0.5 },
          { token: 'Ho', logprob: -1 },
        ],
      },
      { token: '!', logprob: 0 },
    ]
    expect((await generate(whole({ content: 'Hi!' }, { logprobs: { content } }))).logprobs).toEqual(
      wanted,
    )
  })

  test('citations are read from annotations, addresses and results, and a repeated list once', async () => {
    const annotations = [
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.test', title: 'A', content: 'said' },
      },
      { type: 'url_citation', url: 'https://b.test' },
      { type: 'file', file: {} },
    ]
    expect((await generate(whole({ content: 'Hi', annotations }))).citations).toEqual([
      { url: 'https://a.test', title: 'A', text: 'said' },
      { url: 'https://b.test' },
    ])
    expect(
      (await generate({ ...whole({ content: 'Hi' }), citations: ['https://a.test'] })).citations,
    ).toEqual([{ url: 'https://a.test' }])
    const results = [{ title: 'A', url: 'https://a.test', snippet: 'said', date: null }]
    expect(
      (
        await generate({
          ...whole({ content: 'Hi' }),
          citations: ['https://a.test'],
          search_results: results,
        })
      ).citations,
    ).toEqual([{ url: 'https://a.test', title: 'A', text: 'said' }])
    const web_search = [
      { title: 'A', link: 'https://a.test', content: 'said', media: 'a', icon: 'https://a.test/i' },
    ]
    expect(
      (await generate({ ...whole({ content: 'Hi' }), usage: { prompt_tokens: 1 }, web_search }))
        .citations,
    ).toEqual([{ url: 'https://a.test', title: 'A', text: 'said' }])
  })

  test('tools that the server ran are reported', async () => {
    const executed_tools = [{ index: 0, type: 'search', arguments: '{}', output: 'found' }]
    expect((await generate(whole({ content: 'Hi', executed_tools }))).providerToolCalls).toEqual([
      { name: 'search', data: executed_tools[0] },
    ])
  })
})

test('text after arguments that came as a whole object makes the call one with an error', async () => {
  const pieces = [
    chunk({ tool_calls: [call(0, 'a', 'pay', { a: 1 })] }),
    chunk({ tool_calls: [call(0, undefined, undefined, '{"amount":5}')] }),
  ]
  const reader = await chatProvider(() =>
    sse(...pieces, chunk({}, { finish_reason: 'tool_calls' })),
  ).streamWithTools([{ role: 'user', content: 'Pay' }], [], once)
  for await (const _ of reader);
  expect(reader.messages().at(-1)).toMatchObject({
    toolCalls: [
      {
        name: 'pay',
        arguments: {},
        argumentsText: '{"a":1}{"amount":5}',
        error: expect.any(String) as string,
      },
    ],
  })
})

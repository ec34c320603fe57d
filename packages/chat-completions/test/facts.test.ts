import { addUsage, type Generation } from '@modelport/core'
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

const usage = (counts: object, more: object = {}): object =>
  whole({ content: 'Hi' }, {}, { usage: counts, ...more })
const question = [{ role: 'user', content: 'Hi' }] as const

describe('a stream whose events repeat the message so far', () => {
  const event = (text: string, reason: string | null = null): object => ({
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        delta: { content: text },
        message: { role: 'assistant', content: text },
        finish_reason: reason,
      },
    ],
  })

  test('a stream whose events repeat the message so far is cut if it ends without a finish reason and without [DONE]', async () => {
    const reader = await chatProvider(() => sse(event('Hel'), event('Hello'))).streamWithTools(
      question,
      [],
      once,
    )
    const error = await failure(
      (async () => {
        for await (const _ of reader);
      })(),
    )
    expect(error).toMatchObject({ code: 'truncated', partial: { text: 'HelHello' } })
  })

  test('a stream whose events repeat the message so far ends by its finish reason, and not by [DONE]', async () => {
    expect((await stream(event('Hello', 'stop'))).reason).toBe('stop')
    expect(await failure(stream(event('Hello'), done))).toMatchObject({ code: 'truncated' })
  })

  test('a stream whose events repeat the message so far is not the same as a JSON body in response to a stream request, which is whole', async () => {
    const body = { object: 'chat.completion', choices: [{ message: { content: 'Hello' } }] }
    const reader = await chatProvider(() => json(body)).stream('Hi', once)
    for await (const _ of reader);
    expect(reader.fullText()).toBe('Hello')
  })
})

describe('counts', () => {
  const counts = { prompt_tokens: 10, completion_tokens: 20 }

  test.each([
    ['a number', { cost: 0.25 }, 0.25],
    ['an object', { cost: { input_tokens_cost: 0.1, total_cost: 0.5 } }, 0.5],
    ['ticks of 10⁻¹⁰ dollars', { cost_in_usd_ticks: 2_500_000_000 }, 0.25],
  ])('usage takes the cost from %s', async (_, fields, cost) => {
    expect((await generate(usage({ ...counts, ...fields }))).usage.cost).toBe(cost)
  })

  test.each([
    { prompt_token_count: 10, candidates_token_count: 20 },
    { prompt_eval_count: 10, eval_count: 20 },
  ])('counts are read by the names of other APIs too: %o', async (named) => {
    expect((await generate(usage(named))).usage).toMatchObject({
      inputTokens: 10,
      outputTokens: 20,
      reported: true,
    })
  })

  test('usage counts the tokens of a predicted reply that were used, and those that were not', async () => {
    const completion_tokens_details = {
      accepted_prediction_tokens: 7,
      rejected_prediction_tokens: 2,
    }
    const used = (await generate(usage({ ...counts, completion_tokens_details }))).usage
    expect(used.predictionTokens).toEqual({ accepted: 7, rejected: 2 })
    expect(addUsage(used, used).predictionTokens).toEqual({ accepted: 14, rejected: 4 })
  })

  test.each([
    ['stop_reason', 'END', 'END'],
    ['matched_stop', 'END', 'END'],
    ['stop_reason', 128_009, undefined],
  ])(
    'the text that ended the reply is reported from %s, and the number of a token is not: %s',
    async (field, value, text) => {
      expect((await generate(whole({ content: 'Hi' }, { [field]: value }))).stopText).toBe(text)
    },
  )

  test('usage counts reasoning inside the output unless the total says otherwise', async () => {
    const reasoning = { completion_tokens_details: { reasoning_tokens: 25 } }
    const outputOf = async (more: object) =>
      (await generate(usage({ ...counts, ...reasoning, ...more }))).usage
    expect(await outputOf({ total_tokens: 55 })).toMatchObject({
      outputTokens: 45,
      reasoningTokens: 25,
    })
    expect(await outputOf({ total_tokens: 30 })).toMatchObject({
      outputTokens: 20,
      reasoningTokens: 20,
    })
    expect(await outputOf({})).toMatchObject({ outputTokens: 20, reasoningTokens: 20 })
  })

  test('usage counts reasoning next to the output behind the Vercel gateway, whose total leaves it out', async () => {
    const gateway = { cost: '0.000352', routing: { finalProvider: 'google' } }
    const body = whole(
      { content: 'Hi', provider_metadata: { gateway } },
      {},
      {
        usage: {
          prompt_tokens: 10,
          completion_tokens: 2,
          total_tokens: 12,
          completion_tokens_details: { reasoning_tokens: 25 },
        },
      },
    )
    const generation = await generate(body)
    expect(generation.usage).toMatchObject({ outputTokens: 27, reasoningTokens: 25 })
    expect(generation.upstream).toBe('google')
  })

  test('usage adds audio that the dialect counts next to the prompt', async () => {
    const heard = {
      prompt_tokens: 9,
      completion_tokens: 1,
      prompt_tokens_details: { audio_tokens: 375 },
    }
    const inputOf = async (more: object): Promise<Generation['usage']> =>
      (
        await chatProvider(() => json(usage({ ...heard, ...more })), {
          countedSeparately: ['audio'],
        }).generate(question, once)
      ).usage
    expect(await inputOf({ total_tokens: 385 })).toMatchObject({
      inputTokens: 384,
      inputByModality: { audio: 375 },
    })
    expect((await inputOf({})).inputTokens).toBe(384)
    expect((await inputOf({ total_tokens: 10 })).inputTokens).toBe(9)
  })

  test('usage reports tokens of the total that no part accounts for, with a warning', async () => {
    const generation = await generate(usage({ ...counts, total_tokens: 37 }))
    expect(generation.usage.unattributedTokens).toBe(7)
    expect(generation.warnings).toEqual([expect.stringContaining('7 tokens')])
  })

  test('usage drops unattributed tokens that a later chunk accounts for', async () => {
    const { usage: total } = await stream(
      chunk({ content: 'Hi' }, { finish_reason: 'stop' }),
      { choices: [], usage: { ...counts, total_tokens: 37 } },
      { choices: [], usage: { ...counts, completion_tokens: 27, total_tokens: 37 } },
      done,
    )
    expect(total.unattributedTokens).toBe(0)
  })

  test('usage names what other models of a compound system used', async () => {
    const models = [{ model: 'small', usage: { prompt_tokens: 5, completion_tokens: 2 } }]
    expect(
      (await generate(usage(counts, { usage_breakdown: { models } }))).usage.otherModels,
    ).toEqual([
      {
        model: 'small',
        inputTokens: 5,
        outputTokens: 2,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      },
    ])
  })
})

describe('details', () => {
  test('the details of a reply have the id, the tier, the upstream vendor and the times', async () => {
    const body = usage(
      { prompt_tokens: 1, completion_tokens: 1, queue_time: 0.5, tokens_per_second: 59 },
      {
        id: 'chatcmpl-1',
        service_tier: 'flex',
        provider: 'Novita',
        timings: { prompt_ms: 8.5, note: 'x' },
      },
    )
    expect(await generate(body)).toMatchObject({
      responseId: 'chatcmpl-1',
      serviceTier: 'flex',
      upstream: 'Novita',
      timings: { queue_time: 0.5, tokens_per_second: 59, prompt_ms: 8.5 },
    })
  })

  test('a reply merges filter results of a stream, keeping what was filtered', async () => {
    const result = (filtered: boolean): object => ({ hate: { filtered, severity: 'safe' } })
    const reader = await chatProvider(() =>
      sse(
        {
          choices: [],
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: result(false) }],
        },
        chunk({ content: 'a' }, { content_filter_results: result(true) }),
        chunk({ content: 'b' }, { content_filter_results: result(false), finish_reason: 'stop' }),
        done,
      ),
    ).stream('Hi', once)
    for await (const _ of reader);
    expect(reader.details().safety).toEqual([
      { subject: 'prompt', data: result(false) },
      { subject: 'reply', data: result(true) },
    ])
  })

  test('a reply reports moderation of prompt and reply', async () => {
    const moderation = { input: { flagged: true }, output: { flagged: false } }
    expect((await generate(usage({}, { moderation }))).safety).toEqual([
      { subject: 'prompt', data: { flagged: true } },
      { subject: 'reply', data: { flagged: false } },
    ])
  })

  test('a reply places a citation in the text', async () => {
    const url_citation = { url: 'https://a.test', title: 'A', start_index: 2, end_index: 9 }
    const { citations } = await generate(
      whole({ content: 'Hi', annotations: [{ type: 'url_citation', url_citation }] }),
    )
    expect(citations).toEqual([{ url: 'https://a.test', title: 'A', start: 2, end: 9 }])
  })

  test('the opaque fields of a message are sent back with it', async () => {
    const extra_content = { google: { thought_signature: 'sig' } }
    const bodies: { messages: unknown[] }[] = []
    const provider = chatProvider((body: { messages: unknown[] }) => {
      bodies.push(body)
      return json(whole({ content: 'Hi', extra_content }))
    })
    const { message } = await provider.generate(question, once)
    await provider.generate([...question, message, ...question], once)
    expect(bodies[1]?.messages[1]).toMatchObject({ content: 'Hi', extra_content })
  })

  test('a prompt that is too long is known by the code of Perplexity', async () => {
    const body = { error: { type: 'too_many_prompt_tokens', message: 'no', code: 400 } }
    expect(await failure(chatProvider(() => json(body, 400)).complete('Hi', once))).toMatchObject({
      code: 'context-length',
    })
  })
})

describe('a call that begins with an empty object', () => {
  test('a call that begins with an empty object has the arguments that follow as text', async () => {
    const begun = { index: 0, id: 'call_1', function: { name: 'add', arguments: {} } }
    const { calls } = await stream(
      chunk({ tool_calls: [begun] }),
      chunk(
        { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
        { finish_reason: 'tool_calls' },
      ),
      done,
    )
    expect(calls).toEqual([['call_1', 'add', '{"a":1}']])
  })

  test('a call that begins with an empty object has no arguments if nothing follows', async () => {
    const { calls } = await stream(
      chunk(
        { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'add', arguments: {} } }] },
        { finish_reason: 'tool_calls' },
      ),
      done,
    )
    expect(calls.map(([id, name]) => [id, name])).toEqual([['call_1', 'add']])
  })
})

describe('ids of tool calls', () => {
  test('ids of tool calls of other providers keep up to 64 characters', async () => {
    const id = 'x'.repeat(64)
    let sent: { messages: { tool_calls?: { id: string }[] }[] } | undefined
    const provider = chatProvider((body: typeof sent) => {
      sent = body
      return json(whole({ content: 'Hi' }))
    })
    const call = { id, name: 'add', arguments: {}, argumentsText: '{}' }
    await provider.generate(
      [
        ...question,
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: id, content: '1' },
      ],
      once,
    )
    expect(sent?.messages[1]?.tool_calls?.[0]?.id).toBe(id)
  })
})

describe('what routers report', () => {
  test('what routers report is in the details: how the upstream vendor names the end, the id for look-ups, the report, the fingerprint', async () => {
    const routing = { finalProvider: 'google', attempts: [{ provider: 'vertex', success: false }] }
    const body = whole(
      { content: 'Hi', provider_metadata: { gateway: { routing, generationId: 'gen_1' } } },
      { native_finish_reason: 'STOP' },
      { system_fingerprint: 'fp_1' },
    )
    expect(await generate(body)).toMatchObject({
      upstream: 'google',
      fingerprint: 'fp_1',
      router: { finishReason: 'STOP', generationId: 'gen_1', report: routing },
    })
    const reader = await chatProvider(() =>
      sse(
        chunk({ content: 'Hi' }, {}),
        {
          ...chunk({}, { finish_reason: 'stop', native_finish_reason: 'end' }),
          system_fingerprint: 'fp_2',
        },
        done,
      ),
    ).stream('Hi', once)
    for await (const _ of reader);
    expect(reader.details()).toMatchObject({ fingerprint: 'fp_2', router: { finishReason: 'end' } })
  })

  test.each([
    [
      'OpenRouter',
      {
        cost: 0.5,
        cost_details: { upstream_inference_cost: 0.4, upstream_inference_prompt_cost: null },
      },
      { upstream_inference_cost: 0.4 },
    ],
    [
      'Perplexity',
      { cost: { input_tokens_cost: 0.1, request_cost: 0.4, total_cost: 0.5 } },
      { input_tokens_cost: 0.1, request_cost: 0.4 },
    ],
    ['the Vercel gateway', { cost: 0.5, market_cost: 0.6 }, { market_cost: 0.6 }],
  ])('usage splits the cost of %s', async (_, more, costParts) => {
    const { usage: counted } = await generate(
      usage({ prompt_tokens: 1, completion_tokens: 1, ...more }),
    )
    expect(counted).toMatchObject({ cost: 0.5, costParts })
  })

  test('what routers report has the date of a source', async () => {
    const body = usage(
      {},
      { search_results: [{ url: 'https://a.example', title: 'A', date: '2026-01-02' }] },
    )
    expect((await generate(body)).citations).toEqual([
      { url: 'https://a.example', title: 'A', date: '2026-01-02' },
    ])
  })
})

describe('audio of a reply', () => {
  const spoken = {
    vendor: { modalities: ['text', 'audio'], audio: { format: 'pcm16', voice: 'alloy' } },
  }
  const part = {
    type: 'audio',
    source: { type: 'base64', data: 'AQIDBAU=', mediaType: 'audio/pcm; rate=24000' },
  }

  test('audio of a reply is a part of the message, whole or in pieces of any length, and its words are the text', async () => {
    const body = whole({ content: null, audio: { id: 'a1', data: 'AQIDBAU=', transcript: 'Hi' } })
    expect((await generate(body, spoken)).message.content).toEqual([
      { type: 'text', text: 'Hi' },
      part,
    ])
    const reader = await chatProvider(() =>
      sse(
        chunk({ audio: { id: 'a1', transcript: 'Hi' } }),
        chunk({ audio: { data: 'AQ==' } }),
        chunk({ audio: { data: 'AgMEBQ==' } }),
        chunk({}, { finish_reason: 'stop' }),
        done,
      ),
    ).stream('Hi', once, spoken)
    for await (const _ of reader);
    expect(reader.messages().at(-1)?.content).toEqual([{ type: 'text', text: 'Hi' }, part])
  })

  test('audio of a reply goes back as its words', async () => {
    const sent: unknown[] = []
    const provider = chatProvider((body) => {
      sent.push(body.messages)
      return json(whole({ content: null, audio: { data: 'AQIDBAU=', transcript: 'Hi' } }))
    })
    const { message } = await provider.generate(question, once, spoken)
    await provider.generate([...question, message, ...question], once, spoken)
    expect(sent[1]).toMatchObject([{}, { role: 'assistant', content: 'Hi' }, {}])
  })

  test('audio of a reply of a format that nobody asked for is left out with a warning', async () => {
    const body = whole({ content: null, audio: { data: 'AQID', transcript: 'Hi' } })
    expect((await generate(body)).warnings?.join()).toContain('vendor.audio.format')
  })
})

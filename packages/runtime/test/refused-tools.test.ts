import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  attachDescription,
  type Capabilities,
  type ChatMessage,
  ProviderError,
} from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import { runPresets } from '../../compat/src/presets.js'
import { toWireEvents } from '../../compat/src/protolink-events.js'
import { callAction, createMemoryJournal, infer, inferStream } from '../src/index.js'
import { action, calls, ended, run, weather, weatherAction } from './weather-run.js'

const { lllm, openparallax, protolink, xaibo } = runPresets

const known = (supported: boolean | 'by-model') => ({ supported, source: 'test' })
const withoutTools: Capabilities = {
  tools: known(false),
  parallelTools: known(false),
  images: known(false),
  schema: known(true),
  logprobs: known(false),
  reasoning: known(false),
  embeddings: known(false),
}
const answer = action({ type: 'final', content: 'It is 18 degrees.' })

/** A server that refuses tools with a text, and else gives these replies. */
async function refusingServer(status: number, body: string, replies: readonly string[]) {
  const bodies: Record<string, unknown>[] = []
  const rest = [...replies]
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      const sent = JSON.parse(text) as Record<string, unknown>
      bodies.push(sent)
      if (sent['tools'])
        return response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      const chunk = {
        choices: [{ index: 0, delta: { content: rest.shift() }, finish_reason: 'stop' }],
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    provider: createOpenAICompatible({ baseUrl: `http://127.0.0.1:${port}/v1`, model: 'm' }),
    bodies,
    server,
  }
}

describe('a server that refuses tools', () => {
  test.each([
    [
      400,
      '{"error":{"message":"gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}',
    ],
    [
      404,
      '{"error":{"message":"No endpoints found that support tool use. To learn more, visit: https://x","code":404}}',
    ],
    [
      500,
      '{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}',
    ],
  ])(
    'a server that refuses tools is asked for JSON actions, at once and for the rest of the run (status %d)',
    async (status, body) => {
      const { provider, bodies, server } = await refusingServer(status, body, [
        weatherAction('Rome'),
        answer,
      ])
      const events: string[] = []
      const result = await infer(provider, {
        query: 'Is it warm in Rome?',
        tools: [weather()],
        observe: { onEvent: (event) => void events.push(event.type) },
      })
      server.close()
      expect(ended(result, 'final').text).toBe('It is 18 degrees.')
      expect(bodies.map((sent) => 'tools' in sent)).toEqual([true, false, false])
      expect(events.filter((type) => type === 'mode-changed')).toHaveLength(1)
      expect(result.details.warnings?.[0]).toMatch(
        /^the server refused tools, so the run asks for actions as JSON: /,
      )
    },
  )

  const refusal = new ProviderError('unsupported', 'm does not support tools', {
    provider: 'mock',
    reason: 'tools',
  })
  const refusing = (...replies: readonly string[]) => {
    const rest = [...replies]
    return createMock({
      defaultResponse: ({ tools }) => (tools.length ? { error: refusal } : (rest.shift() ?? '')),
    })
  }

  test('a server that refuses tools is shown earlier calls as JSON, one message each, with their results', async () => {
    const { result } = await run([calls('Paris', 'Rome'), 'Mild.'])
    const provider = refusing(weatherAction('Oslo'), answer)
    const tools = [weather()]
    const more = await infer(provider, { messages: result.transcript, query: 'And Oslo?', tools })
    const [system, ...sent] = provider.requests.at(-1)?.messages ?? []
    expect(system?.role).toBe('system')
    expect(sent.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'What is the weather?'],
      ['assistant', weatherAction('Paris')],
      ['user', '{"type":"tool_result","tool":"get_weather","result":"18 degrees in Paris"}'],
      ['assistant', weatherAction('Rome')],
      ['user', '{"type":"tool_result","tool":"get_weather","result":"18 degrees in Rome"}'],
      ['assistant', 'Mild.'],
      ['user', 'And Oslo?'],
      ['assistant', weatherAction('Oslo')],
      ['user', '{"type":"tool_result","tool":"get_weather","result":"18 degrees in Oslo"}'],
    ])
    // The transcript keeps what was said.
    expect(more.transcript.slice(0, result.transcript.length)).toEqual(result.transcript)
  })

  test('a server that refuses tools ends the run if the application demands native calls', async () => {
    const provider = refusing(answer)
    const result = await infer(provider, { query: 'Warm?', tools: [weather()], mode: 'native' })
    expect(ended(result, 'failed').error.message).toMatch(/m does not support tools$/)
    expect(provider.requests).toHaveLength(1)
  })

  test('a server that refuses tools is asked for JSON by callAction too', async () => {
    const messages: readonly ChatMessage[] = [{ role: 'user', content: 'Warm in Rome?' }]
    const decided = await callAction(refusing(weatherAction('Rome')), {
      messages,
      tools: [weather().definition],
    })
    expect(decided).toMatchObject({
      native: false,
      metadata: { mode: 'json' },
      action: { tool: 'get_weather' },
    })
  })

  test('a server that refuses tools is reported by an event that Protolink does not know', async () => {
    const events: unknown[] = []
    const onEvent = (event: Parameters<typeof toWireEvents>[0]): void => {
      if (event.type === 'mode-changed') events.push(event.mode, event.reason, toWireEvents(event))
    }
    await infer(refusing(answer), { query: 'Warm?', tools: [weather()], observe: { onEvent } })
    expect(events).toEqual(['json', 'mock: unsupported: m does not support tools', []])
  })

  test('a server that refuses tools is asked as the stored run was, whatever the mode is called on resume', async () => {
    const journal = createMemoryJournal()
    const durable = { journal, runId: 'run_1' }
    const request = { query: 'Warm?', tools: [weather()] }
    const waits = { ...request, authorize: () => ({ effect: 'require-approval' as const }) }
    ended(await infer(refusing(weatherAction('Rome')), { ...waits, durable }), 'suspended')
    const stored = journal.load('run_1')
    const { pending } = stored!.resume
    const provider = createMock({ responses: [answer] })
    const decisions = [{ type: 'deny' as const, id: pending[0]!.id, reason: 'no' }]
    const result = await infer(provider, {
      ...waits,
      query: undefined,
      messages: stored!.messages,
      durable: { ...durable, resume: stored!.resume, decisions },
      mode: 'native',
    })
    expect(ended(result, 'final').text).toBe('It is 18 degrees.')
    expect(provider.requests[0]?.tools).toEqual([])
  })
})

describe('a run without tools, agents and schema', () => {
  test('a run without tools, agents and schema is plain text at a model without tools', async () => {
    const provider = attachDescription(createMock({ responses: ['Hello!'] }), {
      capabilities: withoutTools,
    })
    const result = await infer(provider, {
      query: 'Hello',
      limits: { profile: { supportsTools: false } },
    })
    expect(ended(result, 'final').text).toBe('Hello!')
    expect(provider.requests[0]?.options).toEqual(
      expect.not.objectContaining({ system: expect.anything() as unknown }),
    )
    expect(provider.requests[0]?.options.responseFormat).toBeUndefined()
  })

  test('a run without tools, agents and schema is JSON if the application says so, and with the preset of Protolink where nothing is known', async () => {
    const unknown = { ...withoutTools, tools: known('by-model') }
    const provider = attachDescription(createMock({ responses: [answer] }), {
      capabilities: unknown,
    })
    for (const how of [{ mode: 'json' }, { limits: { preset: protolink } }] as const) {
      expect(await infer(provider, { query: 'Hello', ...how })).toMatchObject({
        text: 'It is 18 degrees.',
      })
      expect(provider.requests.at(-1)?.options.system).toContain('exactly one JSON object')
    }
  })
})

describe('prose in JSON mode', () => {
  test('prose in JSON mode is corrected once, and is the final reply when it comes again', async () => {
    const { result, of } = await run(['It is warm.', 'It really is warm.'], { mode: 'json' })
    expect(ended(result, 'final').content).toBe('It really is warm.')
    expect(of('reply-rejected')).toHaveLength(1)
    expect(of('text-delta').map(({ text }) => text)).toEqual(['It really is warm.'])
    expect(result.details.warnings?.at(-1)).toContain('prose')
  })

  test.each(Object.entries({ protolink, openparallax, xaibo, lllm }))(
    'prose in JSON mode is corrected up to the limit with the preset %s',
    async (_name, preset) => {
      const { result, of } = await run(['It is warm.'], { mode: 'json', limits: { preset } })
      expect(result.status).toBe('limit')
      expect(of('reply-rejected')).toHaveLength(preset.limits?.maxParseFailures ?? 3)
    },
  )

  test.each(['[1, 2]', '{"type": "final"}', '{"type": "tool_call", "tool": "x"'])(
    'prose in JSON mode does not mean %j, which is corrected like before',
    async (reply) => {
      const { result } = await run([reply], { mode: 'json' })
      expect(result).toMatchObject({ status: 'limit', limit: 'parse-failures' })
    },
  )
})

describe('text deltas in JSON mode', () => {
  const deltasOf = async (
    replies: readonly string[],
    chunk?: number,
  ): Promise<readonly string[]> => {
    const responses = replies.map((text) => (chunk ? { text: pieces(text, chunk) } : text))
    const reader = inferStream(createMock({ responses: responses as never }), {
      query: 'Q',
      tools: [weather()],
      mode: 'json',
    })
    const deltas: string[] = []
    for await (const event of reader) if (event.type === 'text-delta') deltas.push(event.text)
    expect((await reader.result()).text).toBe(deltas.join(''))
    return deltas
  }
  const pieces = (text: string, size: number): readonly string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    )

  test.each<[string, string]>([
    [
      'escapes and a surrogate pair',
      JSON.stringify({ type: 'final', content: 'Say "hi"\n\ud83d\ude00 \\ end' }),
    ],
    ['an escaped surrogate pair', '{"type":"final","content":"a \\ud83d\\ude00 b"}'],
    ['the content before the type', '{"content":"It is warm.","type":"final"}'],
    ['a code fence', '```json\n{"type":"final","content":"It is warm."}\n```'],
    ['a thought', '{"thought":"\\"type\\":\\"final\\"","type":"final","content":"It is warm."}'],
    ['a repaired action', '{"answer":"It is warm."}'],
    ['prose around the object', 'Here: {"type":"final","content":"It is warm."}'],
    [
      'a reasoning block',
      '<think>{"type":"final","content":"no"}</think>{"type":"final","content":"yes"}',
    ],
  ])('text deltas in JSON mode are the text of the final action: %s', async (_name, reply) => {
    for (const size of [1, 3, 1000]) await deltasOf([weatherAction('Rome'), reply], size)
  })

  test('text deltas in JSON mode arrive while the action is written', async () => {
    const deltas = await deltasOf(['{"type":"final","content":"It is warm in Rome."}'], 4)
    expect(deltas.length).toBeGreaterThan(3)
  })
})

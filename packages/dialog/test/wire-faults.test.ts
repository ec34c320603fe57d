import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  choice,
  createDialogCaller,
  custom,
  Dialog,
  definePrompt,
  toolCallsOf,
} from '../src/index.js'
import { failureOf, recordingTool } from './call-tools.js'
import { strictProblems } from './strict-vendors.js'

const usage = { inputTokens: 5, outputTokens: 2 }
const says = (text: string) => ({ text: [text], finish: 'stop', usage }) as const
const calls = (value: string) =>
  ({
    toolCalls: [{ id: `call_${value}`, name: 'look', arguments: { value } }],
    finish: 'tool-calls',
    usage,
  }) as const

const stream = (body: string): Promise<Response> =>
  Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))

/** What becomes of one request. */
const faults = {
  'a connection that is reset': () =>
    Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      }),
    ),
  'status 503': () =>
    Promise.resolve(new Response('{"error":{"message":"busy"}}', { status: 503 })),
  'status 429': () =>
    Promise.resolve(new Response('{"error":{"message":"slow down"}}', { status: 429 })),
  'a stream that ends in the middle of a reply': () =>
    stream('data: {"choices":[{"index":0,"delta":{"content":"ye"}}]}\n\n'),
  'a stream that ends in the middle of a tool call': () =>
    stream(
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_z","type":"function","function":{"name":"look","arguments":"{\\"val"}}]}}]}\n\n',
    ),
  'an error inside a response of status 200': () =>
    stream('data: {"error":{"message":"overloaded","type":"server_error","code":503}}\n\n'),
} as const

/** The state that the failing requests are made in, by their numbers. */
const states = [
  ['calling, of the first request', [0]],
  ['calling, after a tool round', [1]],
  ['calling, after a refused reply', [2]],
  ['recall, when the recalled request fails too', [0, 1]],
  ['recall, after a tool round', [1, 2, 3]],
  ['recall, after a refused reply', [2, 3]],
] as const

describe.each(Object.keys(faults) as (keyof typeof faults)[])('%s', (fault) => {
  test.each(states)(
    'a fault of the wire does not end the call in the state %s while recalls are left',
    async (_, failing) => {
      const { caller, look, requests } = await connect(fault, failing, failing.length)
      const { value, dialog, trace } = await caller.call(start(look.tool))
      expect([value, look.calls.length, requests()]).toEqual(['yes', 1, 3 + failing.length])
      expect(trace.entries.filter(({ type }) => type === 'recall')).toHaveLength(failing.length)
      expect(dialog.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
      ])
      expect(await strictProblems(dialog.messages)).toEqual([])
    },
  )

  test.each(states)(
    'a fault of the wire ends the call in the state %s when no recall is left, with everything that was said',
    async (_, failing) => {
      const { caller, look, requests } = await connect(fault, failing, failing.length - 1)
      const error = await failureOf(caller.call(start(look.tool)))
      expect(error).toMatchObject({ state: 'calling', retryable: true })
      expect(requests()).toBe(failing[0] + failing.length)
      expect(error.dialog.messages.filter(({ role }) => role === 'tool')).toHaveLength(
        failing[0] ? 1 : 0,
      )
      expect(await strictProblems(error.dialog.messages)).toEqual([])
    },
  )

  test('a fault of the wire is a tool result that the model reads if a tool made the request, in the state interrupt', async () => {
    const { caller } = await connect(fault, [], 0)
    const { tool, calls } = recordingTool('look', () => bodyOf(faults[fault]()))
    const { value, trace, dialog } = await caller.call(start(tool))
    expect([value, calls.length]).toEqual(['yes', 1])
    expect(toolCallsOf(trace)).toMatchObject([{ success: false, errorMessage: expect.any(String) }])
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(await strictProblems(dialog.messages)).toEqual([])
  })

  test('a fault of the wire refuses the reply like any other problem if a parser made the request, in the state exception', async () => {
    const { caller, look } = await connect(fault, [], 0)
    let checks = 0
    const parse = custom(async (reply) => {
      if (checks++ === 0) await bodyOf(faults[fault]())
      return reply
    })
    const prompt = definePrompt({ path: 'p', text: 'Well?', parse, tools: [look.tool] })
    const { value, trace } = await caller.call(Dialog.seed().send(prompt))
    expect(value).toBe('yes')
    expect(trace.entries.filter(({ type }) => type === 'parse-error')).toHaveLength(1)
  })
})

/** The whole body of a response, as code that makes its own requests reads it. */
async function bodyOf(asked: Promise<Response>): Promise<string> {
  const response = await asked
  const body = await response.text()
  if (!response.ok || !body.includes('[DONE]'))
    throw new Error(`status ${response.status}: ${body}`)
  return body
}

const start = (tool: ReturnType<typeof recordingTool>['tool']): Dialog<'yes' | 'no'> =>
  Dialog.seed().send(
    definePrompt({ path: 'p', text: 'Well?', parse: choice(['yes', 'no']), tools: [tool] }),
  )

/**
 * An agent whose server calls a tool, gives a reply that is refused and one that is not, and fails
 * at some requests.
 */
async function connect(fault: keyof typeof faults, failing: readonly number[], maxRecalls: number) {
  const plan = [calls('a'), says('hm'), says('yes')]
  let seen = 0
  let answered = 0
  const server = await startWireServer({
    formats: [openaiChat],
    reply: () => plan[answered++] ?? says('no'),
  })
  onTestFinished(() => server.close())
  const fetch: typeof globalThis.fetch = (input, init) =>
    failing.includes(seen++) ? faults[fault]() : globalThis.fetch(input, init)
  const provider = createOpenAICompatible({
    model: 'm',
    baseUrl: `${server.url}/v1`,
    fetch,
    defaults: { retry: { attempts: 1 } },
  })
  const look = recordingTool('look', ({ value }) => value)
  const caller = createDialogCaller({
    name: 'tester',
    provider,
    mode: 'native',
    limits: { maxRecalls },
    recallDelayMs: () => 0,
  })
  return { caller, look, requests: () => seen }
}

import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, expect, onTestFinished, test } from 'vitest'
import { choice, createDialogCaller, definePrompt, Dialog } from '../src/index.js'
import { failureOf, recordingTool } from './call-tools.js'
import { strictProblems } from './strict-vendors.js'

const usage = { inputTokens: 5, outputTokens: 2 }
const says = (text: string) => ({ text: [text], finish: 'stop', usage }) as const
const calls = (value: string) =>
  ({ toolCalls: [{ id: `call_${value}`, name: 'look', arguments: { value } }], finish: 'tool-calls', usage }) as const

/** What becomes of one request. */
const faults = {
  'a connection that is reset': () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })),
  'status 503': () => Promise.resolve(new Response('{"error":{"message":"busy"}}', { status: 503 })),
  'status 429': () => Promise.resolve(new Response('{"error":{"message":"slow down"}}', { status: 429 })),
  'a stream that ends in the middle of a reply': () =>
    Promise.resolve(
      new Response('data: {"choices":[{"index":0,"delta":{"content":"ye"}}]}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      }),
    ),
} as const

/** The state that the failing request is made in, by its number. */
const states = [
  ['calling, of the first request', 0],
  ['calling, after a tool round', 1],
  ['calling, after a refused reply', 2],
] as const

describe.each(Object.keys(faults) as (keyof typeof faults)[])('%s', (fault) => {
  test.each(states)('in the state %s is survived by a recall', async (_, failing) => {
    const { caller, look, requests } = await connect(fault, failing, 1)
    const { value, dialog, trace } = await caller.call(start(look.tool))
    expect([value, look.calls.length, requests()]).toEqual(['yes', 1, 4])
    expect(trace.entries.filter(({ type }) => type === 'recall')).toHaveLength(1)
    expect(dialog.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(await strictProblems(dialog.messages)).toEqual([])
  })

  test.each(states)('in the state %s ends the call without one, with everything that was said', async (_, failing) => {
    const { caller, look } = await connect(fault, failing, 0)
    const error = await failureOf(caller.call(start(look.tool)))
    expect(error).toMatchObject({ state: 'calling', retryable: true })
    expect(error.dialog.messages.filter(({ role }) => role === 'tool')).toHaveLength(failing ? 1 : 0)
    expect(await strictProblems(error.dialog.messages)).toEqual([])
  })
})

const start = (tool: ReturnType<typeof recordingTool>['tool']): Dialog<'yes' | 'no'> =>
  Dialog.seed().send(definePrompt({ path: 'p', text: 'Well?', parse: choice(['yes', 'no']), tools: [tool] }))

/** An agent whose server calls a tool, gives a reply that is refused and one that is not, and fails at one request. */
async function connect(fault: keyof typeof faults, failing: number, maxRecalls: number) {
  const plan = [calls('a'), says('hm'), says('yes')]
  let seen = 0
  let answered = 0
  const server = await startWireServer({
    formats: [openaiChat],
    reply: () => plan[answered++] ?? says('no'),
  })
  onTestFinished(() => server.close())
  const fetch: typeof globalThis.fetch = (input, init) => {
    return seen++ === failing ? faults[fault]() : globalThis.fetch(input, init)
  }
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

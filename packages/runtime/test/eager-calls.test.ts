import type { Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  type RunEvent,
  type Tool,
} from '../src/index.js'
import { ended } from './weather-run.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const record = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const block = (index: number, content_block: object, delta: object) =>
  record('content_block_start', { index, content_block }) +
  record('content_block_delta', { index, delta }) +
  record('content_block_stop', { index })
const callOf = (index: number, city: string) =>
  block(
    index,
    { type: 'tool_use', id: `c${index}`, name: 'look', input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify({ city }) },
  )
const textOf = (text: string) => block(0, { type: 'text', text: '' }, { type: 'text_delta', text })
const start = record('message_start', {
  message: {
    id: 'm',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
})
const endOf = (stop_reason: string) =>
  record('message_delta', { delta: { stop_reason }, usage: { output_tokens: 5 } }) +
  record('message_stop', {})

/** A server that streams a reply with a pause between its pieces, then "Done." */
function slowServer(log: string[], pieces: readonly string[], isCut = false): Provider {
  let requests = 0
  return createAnthropic({
    apiKey: 'key-0123456789',
    model: 'm',
    defaults: { retry: { attempts: 1 } },
    fetch: async () => {
      requests++
      const isFirst = requests === 1
      const sent = isFirst ? [start, ...pieces] : [start, textOf('Done.'), endOf('end_turn')]
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const piece of sent) {
            controller.enqueue(new TextEncoder().encode(piece))
            await pause(40)
          }
          if (isFirst) log.push('reply is whole')
          if (isFirst && isCut) controller.error(new Error('reset'))
          else controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
}
const end = [endOf('tool_use')]

const lookTool = (log: string[], more: object = {}, execute?: Tool['execute']): Tool =>
  defineTool({
    name: 'look',
    description: 'Looks',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    readOnly: true,
    eager: true,
    execute: (args, context) => {
      const { city } = args as { city: string }
      log.push(`look ${city}`)
      return execute ? execute(args, context) : `${city} is warm`
    },
    ...more,
  })

async function runWith(
  pieces: readonly string[],
  tool: (log: string[]) => Tool,
  more: Partial<InferRequest> = {},
  isCut = false,
) {
  const log: string[] = []
  const events: RunEvent[] = []
  const result = await infer(slowServer(log, pieces, isCut), {
    query: 'Look',
    tools: [tool(log)],
    observe: { onEvent: (event) => events.push(event) },
    ...more,
  })
  return {
    log,
    events,
    result,
    results: result.transcript.flatMap((one) => (one.role === 'tool' ? [one.content] : [])),
  }
}

describe('an eager tool', () => {
  test('an eager tool starts when its call is complete, and its events and results come with the reply, in call order', async () => {
    const slowFirst = (log: string[]) =>
      lookTool(log, {}, async (args) => {
        const { city } = args as { city: string }
        await pause(city === 'Rome' ? 150 : 1)
        return `${city} is warm`
      })
    const { log, events, result, results } = await runWith(
      [callOf(0, 'Rome'), callOf(1, 'Oslo'), ...end],
      slowFirst,
    )
    expect(ended(result, 'final').text).toBe('Done.')
    expect(log).toEqual(
      ['look Rome', 'look Oslo', 'reply is whole'].toSorted(
        (a, b) => log.indexOf(a) - log.indexOf(b),
      ),
    )
    expect(log.indexOf('look Rome')).toBeLessThan(log.indexOf('reply is whole'))
    expect(results).toEqual(['Rome is warm', 'Oslo is warm'])
    const types = events.map(({ type }) => type)
    expect(types.indexOf('tool-start')).toBeGreaterThan(types.indexOf('model-call-end'))
    expect(result.metrics.executedActions).toBe(2)
  })

  test('a tool that is not eager starts when the reply is whole', async () => {
    const { log } = await runWith([callOf(0, 'Rome'), ...end], (log) =>
      lookTool(log, { eager: false }),
    )
    expect(log).toEqual(['reply is whole', 'look Rome'])
  })

  test('under a journal it starts when the reply is whole', async () => {
    const durable = { journal: createMemoryJournal(), runId: 'r' }
    const { log } = await runWith([callOf(0, 'Rome'), ...end], lookTool, { durable })
    expect(log).toEqual(['reply is whole', 'look Rome'])
  })

  test('a reply that is cut off aborts it, and its result is dropped', async () => {
    let reason: unknown
    const waiting = (log: string[]) =>
      lookTool(log, {}, async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        reason = signal.reason
        return 'late'
      })
    const { log, result, events } = await runWith(
      [callOf(0, 'Rome'), callOf(1, 'Oslo')],
      waiting,
      {},
      true,
    )
    ended(result, 'failed')
    expect(log[0]).toBe('look Rome')
    await pause(5)
    expect(String(reason)).toContain('the reply was not used')
    expect(events.some(({ type }) => type === 'tool-start')).toBe(false)
    expect(JSON.stringify(result.transcript)).not.toContain('late')
  })

  test('a cancelled run aborts it', async () => {
    const controller = new AbortController()
    let isAborted = false
    const cancelling = (log: string[]) =>
      lookTool(log, {}, async (_, { signal }) => {
        signal.addEventListener('abort', () => {
          isAborted = true
        })
        controller.abort(new Error('enough'))
        await pause(1)
        return 'x'
      })
    const { result } = await runWith([callOf(0, 'Rome'), callOf(1, 'Oslo'), ...end], cancelling, {
      signal: controller.signal,
    })
    ended(result, 'cancelled')
    expect(isAborted).toBe(true)
  })

  test('it waits for the policy, which is asked once, and a call that is denied never starts', async () => {
    const asked: string[] = []
    const authorize: InferRequest['authorize'] = async (action) => {
      const { city } = (action as unknown as { args: { city: string } }).args
      asked.push(city)
      await pause(1)
      return city === 'Rome' ? { effect: 'deny', reason: 'not Rome' } : { effect: 'allow' }
    }
    const { log, results, events } = await runWith(
      [callOf(0, 'Rome'), callOf(1, 'Oslo'), callOf(2, 'Bonn'), ...end],
      lookTool,
      {
        authorize,
      },
    )
    expect(asked).toEqual(['Rome', 'Oslo', 'Bonn'])
    expect(log.indexOf('look Oslo')).toBe(0)
    expect(log).not.toContain('look Rome')
    expect(results).toEqual(['Not allowed: not Rome', 'Oslo is warm', 'Bonn is warm'])
    expect(events.flatMap((one) => (one.type === 'policy-decision' ? [one.effect] : []))).toEqual([
      'deny',
      'allow',
      'allow',
    ])
  })

  test('a call with arguments that a policy changes starts when the reply is whole, with those', async () => {
    const authorize: InferRequest['authorize'] = () => ({
      effect: 'allow',
      arguments: { city: 'Bonn' },
    })
    const { log } = await runWith([callOf(0, 'Rome'), ...end], lookTool, { authorize })
    expect(log).toEqual(['reply is whole', 'look Bonn'])
  })

  test('a call that needs approval waits for it', async () => {
    const { log, result } = await runWith([callOf(0, 'Rome'), ...end], lookTool, {
      authorize: () => ({ effect: 'require-approval' }),
    })
    ended(result, 'suspended')
    expect(log).toEqual(['reply is whole'])
  })

  test('a call that is made twice, has wrong arguments or no room in the budget is not started early', async () => {
    const broken = callOf(2, 'x').replaceAll('city', 'town')
    const { log, result, results } = await runWith(
      [callOf(0, 'Rome'), callOf(1, 'Rome'), broken, ...end],
      lookTool,
    )
    ended(result, 'final')
    expect(log.filter((one) => one === 'look Rome')).toHaveLength(1)
    expect(results[2]).toContain('are not valid')
    const poor = await runWith([callOf(0, 'Rome'), callOf(1, 'Oslo'), ...end], lookTool, {
      limits: { budget: { maxToolCalls: 1 } },
    })
    ended(poor.result, 'budget')
    const enough = { limits: { budget: { maxToolCalls: 2 } } }
    ended(
      (await runWith([callOf(0, 'Rome'), callOf(1, 'Oslo'), ...end], lookTool, enough)).result,
      'final',
    )
    expect(poor.log.filter((one) => one.startsWith('look'))).toEqual(['look Rome'])
  })

  test('one that fails has failed, as any tool', async () => {
    const failing = (log: string[]) =>
      lookTool(log, {}, () => {
        throw new Error('fog')
      })
    const { log, events } = await runWith([callOf(0, 'Rome'), ...end], failing)
    expect(log).toEqual(['look Rome', 'reply is whole'])
    expect(events.find(({ type }) => type === 'tool-error')).toMatchObject({
      message: 'fog',
      phase: 'execution',
    })
  })

  test('a tool that changes things cannot be eager', () => {
    const make = () =>
      defineTool({ name: 'pay', description: 'Pays', eager: true, execute: () => 1 })
    expect(make).toThrow('tool "pay": eager needs readOnly: true and not exclusive')
  })

  test('a mock that does not stream gives the same transcript', async () => {
    const log: string[] = []
    const responses = [{ toolCalls: [{ name: 'look', arguments: { city: 'Rome' } }] }, 'Done.']
    const [eager, plain] = await Promise.all(
      [lookTool(log), lookTool(log, { eager: false })].map((tool) =>
        infer(createMock({ responses }), { query: 'Look', tools: [tool] }),
      ),
    )
    expect(eager?.text).toBe(plain?.text)
    expect(log).toEqual(['look Rome', 'look Rome'])
  })
})

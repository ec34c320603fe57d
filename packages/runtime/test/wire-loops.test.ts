import { textOf } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { runPresets } from '../../compat/src/presets.js'
import {
  defineTool,
  type InferRequest,
  infer,
  inferStream,
  type RunEvent,
  type RunResult,
  type Tool,
} from '../src/index.js'
import { asksFor, connect, says, vendors } from './wire-vendors.js'

const { lllm } = runPresets

const readFile = (execute: (args: { path?: unknown }) => unknown = () => 'hello world'): Tool =>
  defineTool({
    name: 'read_file',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    execute,
  })
const groups = {
  type: 'object',
  properties: { groups: { type: 'array', items: { type: 'string' } } },
  required: ['groups'],
}
const read = (path: string) => asksFor(['read_file', { path }])
const watch = () => {
  const events: RunEvent[] = []
  return {
    events,
    onEvent: (event: RunEvent) => void events.push(event),
    of: (type: RunEvent['type']) => events.filter((event) => event.type === type),
  }
}
const ask = (request: Partial<InferRequest>): InferRequest => ({
  mode: 'native',
  query: 'Please.',
  tools: [readFile()],
  ...request,
})
const ended = <Status extends RunResult['status']>(
  result: RunResult,
  status: Status,
): Extract<RunResult, { status: Status }> => {
  expect(
    result.status === 'failed' && status !== 'failed' ? result.error : undefined,
  ).toBeUndefined()
  expect(result).toMatchObject({ status })
  return result as Extract<RunResult, { status: Status }>
}

describe.each(vendors)('the loop on $name', (vendor) => {
  test('a run without tools ends with the reply', async () => {
    const { provider, violations } = await connect(vendor, says('Hello, ', 'world!'))
    const { onEvent, of } = watch()
    const result = ended(await infer(provider, ask({ observe: { onEvent } })), 'final')
    expect(result.text).toBe('Hello, world!')
    expect(result.usage).toMatchObject({ inputTokens: 50, outputTokens: 10 })
    expect(of('text-delta').map((event) => 'text' in event && event.text)).toEqual([
      'Hello, ',
      'world!',
    ])
    expect([...of('model-error'), ...violations]).toEqual([])
  })

  test('a tool of the first step may bring the tools of the next', async () => {
    const { provider, sent, violations } = await connect(
      vendor,
      asksFor(['load_tools', { groups: ['filesystem'] }]),
      read('a'),
      says('Done loading tools.'),
    )
    let loaded: readonly string[] = []
    const load = defineTool({
      name: 'load_tools',
      description: 'Loads',
      parameters: groups,
      execute: (args) => `Tools loaded: ${String((loaded = args['groups'] as string[]))}`,
    })
    const result = ended(
      await infer(provider, ask({ tools: () => [load, ...(loaded.length ? [readFile()] : [])] })),
      'final',
    )
    expect(result.text).toBe('Done loading tools.')
    expect(loaded).toEqual(['filesystem'])
    expect(sent.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['load_tools'],
      ['load_tools', 'read_file'],
      ['load_tools', 'read_file'],
    ])
    expect(sent[0]?.tools[0]?.parameters).toMatchObject(groups)
    expect(violations).toEqual([])
  })

  test('a run with a call has its result, the reply, the usage of both turns, and the text of each turn', async () => {
    const first = { ...read('tmp:test.txt'), text: ['Reading it.'] }
    const { provider, sent, violations } = await connect(vendor, first, says('File contents read.'))
    const { onEvent, of } = watch()
    const result = ended(await infer(provider, ask({ observe: { onEvent } })), 'final')
    expect(of('tool-start')).toMatchObject([{ tool: 'read_file', args: { path: 'tmp:test.txt' } }])
    expect(of('tool-result')).toMatchObject([{ tool: 'read_file', result: 'hello world' }])
    const [start, finish] = [of('tool-start')[0], of('tool-result')[0]] as { actionId?: string }[]
    expect(start?.actionId).toBe(finish?.actionId)
    expect(result.text).toBe('File contents read.')
    expect(result.usage).toMatchObject({ inputTokens: 90, outputTokens: 18 })
    expect(result.transcript.map(({ role, content }) => [role, textOf(content)])).toEqual([
      ['user', 'Please.'],
      ['assistant', 'Reading it.'],
      ['tool', 'hello world'],
      ['assistant', 'File contents read.'],
    ])
    const [, second] = sent
    expect(
      second?.messages.map(({ role, text }) => [
        role,
        text.includes('hello world') ? 'hello world' : text,
      ]),
    ).toEqual([
      ['user', 'Please.'],
      ['assistant', 'Reading it.'],
      ['tool', 'hello world'],
    ])
    expect(violations).toEqual([])
  })

  test('several calls of one round run together, and each result goes to its call', async () => {
    const { provider, sent, violations } = await connect(
      vendor,
      asksFor(
        ['read_file', { path: 'a' }],
        ['read_file', { path: 'b' }],
        ['read_file', { path: 'c' }],
      ),
      says('ok'),
    )
    let running = 0
    let most = 0
    const tool = readFile(async ({ path }) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, path === 'a' ? 20 : 1))
      running--
      return `text of ${String(path)}`
    })
    ended(await infer(provider, ask({ tools: [tool] })), 'final')
    expect(most).toBe(3)
    const results =
      sent[1]?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])) ?? []
    expect(results.map((text) => /text of [abc]/.exec(text)?.[0])).toEqual([
      'text of a',
      'text of b',
      'text of c',
    ])
    expect(violations).toEqual([])
  })

  test('endless calls stop at the limit of steps', async () => {
    let path = 0
    const { provider, sent } = await connect(vendor, () => read(`file ${path++}`))
    const { onEvent, of } = watch()
    const result = ended(
      await infer(
        provider,
        ask({
          observe: { onEvent },
          limits: { maxSteps: 3 },
          tools: [readFile(({ path: name }) => `text of ${String(name)}`)],
        }),
      ),
      'limit',
    )
    expect(result.limit).toBe('steps')
    expect(result.message).toContain('Maximum inference steps (3) exceeded')
    expect(of('tool-start')).toHaveLength(3)
    expect(sent).toHaveLength(3)
    // What it has can be sent again, here and everywhere.
    const { provider: next, violations } = await connect(vendor, says('Fine.'))
    expect(
      ended(
        await infer(next, { mode: 'native', messages: result.transcript, query: 'Continue.' }),
        'final',
      ).text,
    ).toBe('Fine.')
    expect(violations).toEqual([])
  })

  test('a run that is cancelled while a tool runs ends at once with a result for the call, and can be continued', async () => {
    const { provider } = await connect(
      vendor,
      asksFor(['read_file', { path: 'a' }], ['read_file', { path: 'b' }]),
      says('never'),
    )
    const controller = new AbortController()
    const tool = readFile(({ path }) =>
      path === 'a'
        ? 'kept'
        : new Promise(() => setTimeout(() => controller.abort(new Error('enough')), 5)),
    )
    const result = ended(
      await infer(provider, ask({ tools: [tool], signal: controller.signal })),
      'cancelled',
    )
    expect(result.reason).toMatchObject({ message: 'enough' })
    expect(result.transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(result.transcript[2]).toMatchObject({ content: 'kept' })
    expect(result.transcript[3]).toMatchObject({ isError: true })
    const { provider: next, violations } = await connect(vendor, says('Fine.'))
    ended(
      await infer(next, { mode: 'native', messages: result.transcript, query: 'Continue.' }),
      'final',
    )
    expect(violations).toEqual([])
  })

  test('a failing server is one event and a typed outcome', async () => {
    const { server } = await connect(vendor, says('x'))
    await server.close()
    const { onEvent, events } = watch()
    const result = ended(
      await infer(
        vendor.create({ defaults: { retry: { attempts: 1 } } }, server.url),
        ask({ observe: { onEvent } }),
      ),
      'failed',
    )
    expect(result.error.code).toBe('network')
    expect(events.filter(({ type }) => type === 'model-error')).toMatchObject([
      { code: 'network', recoverable: false },
    ])
    expect(result.transcript).toEqual([{ role: 'user', content: 'Please.' }])
  })

  test('a call that is made again is not executed again, whatever the order of its keys', async () => {
    const calls = [
      asksFor(['read_file', { path: 'a', line: 1 }]),
      asksFor(['read_file', { line: 1, path: 'a' }]),
      says('I have it.'),
    ]
    const { provider, sent, violations } = await connect(vendor, ...calls)
    const { onEvent, of } = watch()
    const result = ended(await infer(provider, ask({ observe: { onEvent } })), 'final')
    expect(of('tool-start')).toHaveLength(1)
    expect(of('action-repeated')).toMatchObject([{ action: { type: 'tool_call' } }])
    const told = sent[2]?.messages.at(-1)
    expect(told?.text).toContain('You have already performed this action: read_file')
    expect(result.steps).toBe(3)
    expect(violations).toEqual([])
  })

  test('an unknown tool, wrong arguments and a failing tool are reported to the model, which continues', async () => {
    const { provider, sent, violations } = await connect(
      vendor,
      asksFor(['launch', {}], ['read_file', { path: 7 }], ['read_file', { path: 'boom' }]),
      says('Sorry.'),
    )
    const { onEvent, of } = watch()
    const tool = readFile(() => {
      throw new Error('disk on fire')
    })
    ended(await infer(provider, ask({ observe: { onEvent }, tools: [tool] })), 'final')
    const texts =
      sent[1]?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])) ?? []
    expect(texts[0]).toContain('read_file')
    expect(texts[1]).toContain('path')
    expect(texts[2]).toContain('disk on fire')
    expect(of('tool-error').map((event) => 'phase' in event && event.phase)).toEqual(
      expect.arrayContaining(['lookup', 'validation', 'execution']),
    )
    expect(violations).toEqual([])
  })

  test('a run that is read as a stream has the same events', async () => {
    const { provider } = await connect(vendor, read('a'), says('One ', 'two.'))
    const reader = inferStream(provider, ask({}))
    const types: string[] = []
    let text = ''
    for await (const event of reader) {
      types.push(event.type)
      if (event.type === 'text-delta') text += event.text
    }
    expect(text).toBe('One two.')
    expect(types.at(-1)).toBe('final')
    expect(ended(await reader.result(), 'final').text).toBe('One two.')
  })

  test('JSON mode sends a schema where the API takes one, the call as an object, and the result as data', async () => {
    const action = (value: unknown) => says(JSON.stringify(value))
    const { provider, sent, violations } = await connect(
      vendor,
      action({ type: 'tool_call', tool: 'read_file', args: { path: 'a' } }),
      says('The file says hello.'),
      action({ type: 'final', content: 'It says hello world.' }),
    )
    const result = ended(await infer(provider, ask({ mode: 'json' })), 'final')
    expect(result.text).toBe('It says hello world.')
    expect(sent.map(({ tools }) => tools)).toEqual([[], [], []])
    expect(sent[0]?.system).toContain('read_file(path): Reads a file')
    expect(sent[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      text: '{"type":"tool_result","tool":"read_file","result":"hello world"}',
    })
    expect(sent[2]?.messages.at(-1)?.text).toContain('Your reply could not be used. Invalid JSON')
    expect(violations).toEqual([])
  })

  test('the last call of the preset lllm goes without tools and ends with a reply', async () => {
    let path = 0
    const { provider, sent, violations } = await connect(vendor, (conversation) =>
      conversation.tools.length ? read(`file ${path++}`) : says('Enough.'),
    )
    const result = ended(
      await infer(
        provider,
        ask({
          limits: { preset: lllm },
          tools: [readFile(({ path: name }) => `text of ${String(name)}`)],
        }),
      ),
      'final',
    )
    expect(result.text).toBe('Enough.')
    expect(sent).toHaveLength(6)
    expect(sent[5]?.messages.at(-1)?.text).toBe(
      'You are reaching the limit of tool calls. Provide the final response.',
    )
    expect(violations).toEqual([])
  })
})

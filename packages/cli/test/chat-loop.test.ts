import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WireReply } from '@modelport/conformance/wire-server'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand } from './test-io.js'
import { configOf, key, startModel, writeTools } from './wire.js'

const usage = { inputTokens: 12, outputTokens: 5 }
interface Said {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** Calls the tool for ever, once or not at all: the user's message says which. */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  const said = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const [name = ''] = tools.map((tool) => tool.name)
  const call = (id: string, city: unknown): ReturnType<WireReply> => ({
    toolCalls: [{ id, name, arguments: { city } }],
    finish: 'tool-calls',
    usage,
  })
  if (said.includes('repeat')) return call(`call_${messages.length}`, 'Rome')
  if (said.includes('cities')) return call(`call_${messages.length}`, `city ${messages.length}`)
  if (said.includes('refused')) return { text: ['I can'], finish: 'content-filter', usage }
  if (said.includes('story')) return { text: ['Once upon'], finish: 'length', usage }
  if (said.includes('empty')) return { text: [], finish: 'stop', usage }
  if (said.includes('number') && messages.at(-1)?.role === 'user') return call('call_1', 5)
  return { text: ['Plain', ' text'], finish: 'stop', usage }
}

const { home, server } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
  reply,
})
const run = (args: readonly string[], stdin = ''): Promise<Outcome> =>
  command(args, { home: home.path, stdin, environment: { MY_KEY: key } })
const chat = (args: readonly string[], stdin: string): Promise<Outcome> =>
  run(['chat', ...args], stdin)
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const rolesSent = (): string[] =>
  (server.requests.at(-1)?.body as Said).messages.map(({ role }) => role)
const saved = (): { messages: { role: string; content: string }[] } => {
  const folder = join(home.path, '.local/state/modelport/sessions')
  const [name = ''] = readdirSync(folder)
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as ReturnType<typeof saved>
}
const writeModule = (text: string): string => {
  const file = join(home.path, `tools-${Math.random().toString(36).slice(2)}.mjs`)
  writeFileSync(file, text)
  return file
}
const allowed = (...more: string[]): string[] => [
  '-t',
  writeTools(home.path),
  '--allow-tools',
  ...more,
]

describe('a model that does not come to an end', () => {
  test('a repeated call is not run again, and after three such replies the turn ends with 16 and is kept', async () => {
    const { code, err } = await chat(allowed(), 'repeat\n')
    expect(code).toBe(16)
    expect(err).toContain('✓ get_weather {"city":"Rome","degrees":28}')
    expect(err.match(/✗ get_weather repeats a call/g)).toHaveLength(3)
    expect(err).toContain('only repeated what it had done, 3 steps in a row.')
    expect(err).toContain('raise --max-repeats')
    expect(err).not.toContain('LLM server')
    expect(server.requests).toHaveLength(4)
    expect(
      saved()
        .messages.map(({ role }) => role)
        .slice(0, 3),
    ).toEqual(['user', 'assistant', 'tool'])
    expect((await chat(['--resume'], 'plain\n')).out).toBe('Plain text\n')
    expect(rolesSent().slice(-2)).toEqual(['tool', 'user'])
  })

  test('--repeatable names a tool that may be called again, and --max-steps how often the model is called', async () => {
    const { code, out, err } = await chat(
      ['--json', '--no-save', ...allowed('--repeatable', 'get_weather, other', '--max-steps', '4')],
      'repeat\n',
    )
    expect(code).toBe(16)
    expect(server.requests).toHaveLength(4)
    expect(
      lines(out).filter(({ type, isError }) => type === 'tool-result' && !isError),
    ).toHaveLength(4)
    expect(lines(err)).toMatchObject([
      {
        error: {
          code: 'limit-exceeded',
          message: expect.stringMatching(
            /^Maximum inference steps \(4\).*raise --max-steps/,
          ) as string,
        },
      },
    ])
  })

  test.each([
    ['--max-tool-calls', '2', 3],
    ['--max-output-tokens', '20', undefined],
    ['--max-cost', '0.0003', undefined],
  ])('%s ends a chat with 11, over all its messages', async (flag, limit, most) => {
    const { code, err } = await chat(['--no-save', ...allowed(flag, limit)], 'cities\n')
    expect(code).toBe(11)
    expect(err).toContain('error (budget-exceeded): budget: max')
    if (most === undefined) expect(server.requests.length).toBeLessThan(9)
    else expect(server.requests).toHaveLength(most)
    const more = await chat(['--no-save', '--max-output-tokens', '10'], 'plain\nplain\nplain\n')
    expect(more).toMatchObject({ code: 11, out: 'Plain text\nPlain text\n' })
  })

  test.each([
    ['--max-output-tokens', '5'],
    ['--max-cost', '0.00012'],
  ])('a reply that %s cuts ends a piped chat with a warning and 11', async (flag, limit) => {
    const { code, out, err } = await chat(['--no-save', flag, limit], 'story\nplain\n')
    expect([code, out]).toEqual([11, 'Once upon\n'])
    expect(err).toMatch(
      /^warning: the reply was cut at the token limit\nerror \(budget-exceeded\): budget: max/,
    )
    expect(server.requests).toHaveLength(1)
  })

  test('a chat at a terminal shows no figures of a call that the budget refused', async () => {
    let shown = ''
    const { done, type } = startCommand(['chat', '--no-save', '--max-output-tokens', '5'], {
      ...{ home: home.path, environment: { MY_KEY: key }, terminal: true },
      onOutput: (text) => (shown += text),
    })
    type('plain\n')
    await expect.poll(() => shown).toMatch(/ · \d\.\d s/)
    type('plain\n')
    await expect.poll(() => shown).toMatch(/error \(budget-exceeded\):\S* budget: max/)
    type('\u0004')
    await done
    expect(shown.match(/ · \d\.\d s/g)).toHaveLength(1)
  })

  test('a reply that --max-tokens cuts has a warning in a piped chat, which continues', async () => {
    for (const more of [[], ['--max-output-tokens', '100', '--max-cost', '1']])
      expect(await chat(['--no-save', '--max-tokens', '5', ...more], 'story\nplain\n')).toEqual({
        code: 0,
        out: 'Once upon\nPlain text\n',
        err: 'warning: the reply was cut at the token limit\n',
      })
  })

  test('chat rejects limits that are not numbers, and a budget next to a recording', async () => {
    for (const args of [
      ['--max-steps', '0'],
      ['--max-repeats', 'many'],
      ['--max-cost', '0'],
      ['--max-cost', '1', '--record', join(home.path, 'chat.json')],
    ])
      expect((await chat(args, 'plain\n')).code).toBe(2)
    expect(server.requests).toEqual([])
  })
})

test('--max-cost is refused before anything is said if the model has no prices', async () => {
  const config = readFileSync(configOf(home.path), 'utf8')
  writeFileSync(configOf(home.path), config.replace(/profile: .*/, 'profile: {}'))
  expect(await chat(['--max-cost', '1'], 'plain\n')).toEqual({
    code: 3,
    out: '',
    err: expect.stringContaining(
      '--max-cost needs the prices of main: set catalog: true in its profile, or prices: {input: …, output: …}',
    ) as string,
  })
  expect(server.requests).toEqual([])
})

test('a chat that a limit ended is recorded with all of its exchanges', async () => {
  const file = join(home.path, 'chat.json')
  const args = ['--json', '--no-save', '--record', file, ...allowed('--max-repeats', '2')]
  const { code, out } = await chat(args, 'repeat\n')
  expect(code).toBe(16)
  expect(lines(out).at(-1)).toMatchObject({ type: 'recorded', exchanges: 3 })
})

describe('what a turn leaves in the conversation', () => {
  test('Ctrl-C while a tool runs keeps the call with a result, and the next message can be sent', async () => {
    const hanging = writeModule(
      `export default [{ name: 'wait', description: 'Waits', execute: () => new Promise(() => {}) }]`,
    )
    const running = startCommand(['chat', '--json', '-t', hanging, '--allow-tools'], {
      home: home.path,
      stdin: 'number\nplain\n',
      environment: { MY_KEY: key },
      onOutput: (text) => {
        if (text.includes('"turn-end"') && text.includes('tool-calls'))
          setTimeout(() => running.interrupt(), 20)
      },
    })
    const { code, out } = await running.done
    expect(code).toBe(0)
    expect(lines(out).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool-call-complete', 'interrupted', 'done']),
    )
    expect(rolesSent()).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(saved().messages[2]).toMatchObject({
      content: expect.stringContaining('cancelled') as string,
    })
  })

  test('a reply that was refused ends well, and one without text leaves no question behind', async () => {
    expect(await chat(['--no-save', '--json'], 'refused\nplain\n')).toMatchObject({ code: 0 })
    expect(rolesSent()).toEqual(['user', 'assistant', 'user'])
    expect(await run(['complete', 'refused'])).toMatchObject({
      code: 0,
      out: 'I can\n',
      err: expect.stringContaining('the model refused') as string,
    })
    const before = server.requests.length
    expect(await chat(['--no-save'], 'empty\nplain\n')).toMatchObject({
      code: 0,
      out: 'Plain text\n',
    })
    expect(server.requests).toHaveLength(before + 2)
    expect(rolesSent()).toEqual(['user'])
  })

  test('with --json the lines are the events of the model, the results of each step, and one done', async () => {
    const { out } = await chat(['--json', '--no-save', ...allowed()], 'number\n')
    expect(lines(out).map(({ type }) => type)).toEqual([
      'session',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-delta',
      'tool-call-complete',
      'turn-end',
      'tool-result',
      'text-delta',
      'text-delta',
      'turn-end',
      'done',
      'cost',
    ])
    expect(lines(out).at(-2)).toMatchObject({
      reason: 'stop',
      usage: { inputTokens: 24, outputTokens: 10 },
    })
  })
})

describe('tools of a module', () => {
  const withSchema = (parameters: object): string =>
    writeModule(
      `export default [{ name: 'get_weather', description: 'The weather', parameters: ${JSON.stringify(parameters)}, execute: ({ city }) => 'ran with ' + city }]`,
    )
  const resultOf = async (file: string): Promise<unknown> =>
    lines((await chat(['--json', '--no-save', '-t', file, '--allow-tools'], 'number\n')).out).find(
      ({ type }) => type === 'tool-result',
    )?.['content']

  test('tools of a module do not run with arguments that their schema refuses', async () => {
    const content = await resultOf(
      withSchema({ type: 'object', properties: { city: { type: 'string' } } }),
    )
    expect(content).toContain('are not valid and it was not executed')
  })

  test('tools of a module run if the schema has a keyword that is not understood', async () => {
    const file = withSchema({ type: 'object', unevaluatedProperties: false, $dynamicRef: '#x' })
    expect(await resultOf(file)).toBe('ran with 5')
    expect((server.requests.at(-1)?.body as { tools: unknown[] }).tools).toMatchObject([
      { function: { parameters: { $dynamicRef: '#x' } } },
    ])
  })

  test('tools of a module cannot return what comes later', async () => {
    const runtime = new URL('../../runtime/src/index.ts', import.meta.url).href
    const file = writeModule(
      `import { pending } from ${JSON.stringify(runtime)}\nexport default [{ name: 'later', description: 'Later', execute: () => pending('task') }]`,
    )
    expect(await chat(['--no-save', '-t', file, '--allow-tools'], 'number\n')).toMatchObject({
      code: 17,
      err: expect.stringContaining('a chat cannot wait for it') as string,
    })
  })
})

test('--timeout of complete spans all turns and tools', async () => {
  const hanging = writeModule(
    `export default [{ name: 'wait', description: 'Waits', execute: () => new Promise(() => {}) }]`,
  )
  expect(
    await run(['complete', '-t', hanging, '--allow-tools', '--timeout', '0.5', 'number']),
  ).toMatchObject({
    code: 14,
    err: expect.stringContaining(
      'there was no final reply within 0.5 s; raise --timeout',
    ) as string,
  })
})

test('the fallback that makes a call gets its result, and the next message goes to the first model', async () => {
  const spare = await startModel({ reply })
  try {
    // One that does not take the key is passed over for a while; a wrong address is not.
    await server.restart({
      reply: (request, context) =>
        context.index === 0
          ? { status: 404, headers: { 'content-type': 'application/json' }, pieces: ['{}'] }
          : reply(request, context),
    })
    const row = (name: string, url: string, more: string[] = []): string[] => [
      `  - name: ${name}`,
      '    provider: openai-compatible',
      `    model: ${name}`,
      `    base_url: ${url}/v1`,
      '    api_key_env: MY_KEY',
      ...more,
    ]
    const rows = [...row('main', server.url, ['    fallback: [spare]']), ...row('spare', spare.url)]
    writeFileSync(configOf(home.path), ['models:', ...rows, 'roles: {chat: main}', ''].join('\n'))
    expect((await chat(['--no-save', ...allowed()], 'number\nplain\n')).code).toBe(0)
    const asked = [server, spare].map(({ requests }) =>
      requests.map(({ body }) => (body as Said).messages.length),
    )
    expect(asked).toEqual([
      [1, 5],
      [1, 3],
    ])
  } finally {
    await spare.close()
  }
})

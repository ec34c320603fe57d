// A payment of an agent whose reply is lost, at the command line: --yes, a pipe and a key that was
// pressed from habit do not say what became of it.
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand } from './test-io.js'

const { home } = useModel({ fields: '' })
let server: ListeningServer
let paid: number

beforeEach(async () => {
  paid = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: { eur: { type: 'number' } } },
    once: true,
    execute: () => {
      paid++
      if (paid === 1) throw new OutcomeUnknown('the reply is lost')
      return `receipt ${paid}`
    },
  })
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({
      defaultResponse: ({ messages }) => {
        const result = messages.find(({ role }) => role === 'tool')
        return result
          ? `Read: ${JSON.stringify(result.content)}`
          : { toolCalls: [{ name: 'pay', arguments: { eur: 12 } }] }
      },
    }),
    tools: [pay],
  })
  server = await serve([agent])
})
afterEach(() => server.close())

const send = (...args: string[]): Promise<Outcome> =>
  command(['agent', 'send', server.url, ...args], { home: home.path, stdin: '' })
const waitingTask = async (): Promise<string> =>
  (await createAgentClient(server.url).list({ state: 'input-required' })).tasks[0]?.id ?? ''

test.each([
  ['--yes', ['pay', '--yes']],
  ['a pipe without a terminal', ['pay']],
])(
  '%s does not say what became of the call: it waits, and what to type is printed',
  async (_, args) => {
    const { code, err } = await send(...args)
    const id = await waitingTask()
    expect([code, paid]).toEqual([21, 1])
    expect(err).toContain(
      'nobody knows whether this call of the agent happened: {"type":"tool_call"',
    )
    expect(err).toContain('left open: find out at its receiver, then say what became of it:\n')
    expect(err).not.toContain('asks to run')
    for (const flag of ['--happened RESULT', '--did-not-happen', '--give-up'])
      expect(err).toMatch(
        new RegExp(`  modelport agent send ${server.url} --task ${id} --request \\S+ ${flag}\\n`),
      )
  },
)

test('agent tasks lists what each task waits for, with the commands that end the wait', async () => {
  await send('pay', '--yes')
  const id = await waitingTask()
  const { out } = await command(['agent', 'tasks', server.url], { home: home.path, stdin: '' })
  expect(out).toMatch(new RegExp(`^${id} {2}input-required`))
  expect(out).toMatch(
    /\n {4}uncertain {2}\S+ {2}\{"type":"tool_call","tool":"pay","args":\{"eur":12\}/,
  )
  expect(out).toMatch(
    new RegExp(
      ` {6}modelport agent send ${server.url} --task ${id} --request \\S+ --did-not-happen\\n`,
    ),
  )
})

test.each([
  [['--happened', 'receipt 1'], 1, 'receipt 1'],
  [['--did-not-happen'], 2, 'receipt 2'],
  [['--give-up'], 1, 'unknown'],
])(
  'agent send --task ID %j says what became of the call, and the task continues',
  async (flags, payments, read) => {
    await send('pay', '--yes')
    const { code, out } = await send('--task', await waitingTask(), ...flags)
    expect([code, paid]).toEqual([0, payments])
    expect(out).toContain(read)
  },
)

test('an outcome without its task, of another call, without a word or with two words is refused', async () => {
  await send('pay', '--yes')
  const id = await waitingTask()
  for (const [args, message] of [
    [['pay', '--give-up'], 'an outcome is that of a call of a task: name the task with --task'],
    [['--task', id, '--request', 'other', '--give-up'], 'say which call with --request'],
    [
      ['--task', id, '--request', 'other'],
      '--request needs --happened RESULT, --did-not-happen or --give-up',
    ],
    [['--task', id, '--happened', 'RESULT'], 'write what the call returned in place of RESULT'],
    [['--task', id, '--give-up', '--did-not-happen'], 'cannot be used with'],
  ] as const) {
    const { code, err } = await send(...args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  }
  expect(paid).toBe(1)
})

/** Sends at a terminal, and types each of these once its prompt is there. */
async function talk(
  answers: readonly (readonly [prompt: string, typed: string])[],
): Promise<Outcome> {
  let shown = ''
  let next = 0
  const running = startCommand(['agent', 'send', server.url, 'pay', '--yes'], {
    home: home.path,
    terminal: true,
    onOutput: (text) => (shown += text),
  })
  // The first milliseconds after a question are deaf, so the key is pressed again until the next
  // prompt is there.
  const keys = setInterval(() => {
    const [prompt = '', typed = ''] = answers[next] ?? []
    const [following] = answers[next + 1] ?? []
    if (following !== undefined && shown.includes(following)) next++
    else if (prompt && shown.includes(prompt)) running.type(typed)
  }, 50)
  return running.done.finally(() => clearInterval(keys))
}

const asks = 'what became of it? happened, did-not-happen (it is executed now) or unknown'

test('a person at a terminal says what became of the call; a y from habit is asked again', async () => {
  const { code, out, err } = await talk([
    [asks, 'y\n'],
    ['type one of the words: happened, did-not-happen, unknown', 'happened\n'],
    ['what did it return, for the model?', 'receipt 1\n'],
  ])
  expect([code, paid]).toEqual([0, 1])
  expect(out + err).toContain('receipt 1')
})

test('Enter at the terminal leaves the call open', async () => {
  const { code } = await talk([[asks, '\n']])
  expect([code, paid]).toEqual([21, 1])
})

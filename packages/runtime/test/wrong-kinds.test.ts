import { isLlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import * as runtime from '@modelport/runtime'
import { expect, test } from 'vitest'

// Values of a wrong type come from JSON, JavaScript or a forgotten await: each is rejected at once,
// by name.
class NoInstance extends Error {}
const wrong: readonly unknown[] = [null, 1, 'x', {}, [], [null], Promise.resolve(1), NoInstance]

type Call = (given: unknown) => unknown
const provider = createMock({ responses: ['hi'] })
const messages = [{ role: 'user', content: 'Hi' }] as const
const batch = { tools: [], step: 1, onResult: () => undefined }
const infer = (request: unknown): unknown =>
  runtime.infer(provider, request as runtime.InferRequest)
/** What must be of a kind, which of the values above are fit, and a call with it. */
const calls: readonly (readonly [name: string, fit: readonly unknown[], call: Call])[] = [
  ['infer: the provider', [], (given) => runtime.infer(given as never, { query: 'Hi' })],
  ['infer: the request', [], infer],
  [
    'inferStream: the provider',
    [],
    (given) => runtime.inferStream(given as never, { query: 'Hi' }),
  ],
  ['inferStream: the request', [], (given) => runtime.inferStream(provider, given as never)],
  ['infer: messages', [], (given) => infer({ messages: given })],
  ...[
    'query:x []',
    'history:',
    'system:x NoInstance',
    'prepareStep:NoInstance',
    'stopWhen:[] NoInstance',
    'models:{}',
    'tools:{} [] NoInstance',
    'sources:[]',
    'agents:[]',
    'mode:',
    'limits:{}',
    'limits.capabilities:',
    'limits.preset:{}',
    'limits.budget:{}',
    'limits.profile:{}',
    'limits.compaction:{}',
    'authorize:NoInstance',
    'observe:{}',
    'observe.onEvent:NoInstance',
    'observe.agentName:x',
    'options:{}',
    'signal:',
    'durable:{}',
    'durable.runId:x',
    'durable.journal:',
  ].map((line): readonly [string, readonly unknown[], Call] => {
    const [field = '', fit = ''] = line.split(':')
    return [
      `infer: ${field}`,
      fit.split(' ').map((name) => ({ x: 'x', '{}': wrong[3], '[]': wrong[4], NoInstance })[name]),
      (given) => {
        const [name = '', inner] = field.split('.')
        return infer({ query: 'Hi', [name]: inner === undefined ? given : { [inner]: given } })
      },
    ]
  }),
  ['callAction: the provider', [], (given) => runtime.callAction(given as never, { messages })],
  ['callAction: the request', [], (given) => runtime.callAction(provider, given as never)],
  [
    'callAction: tools',
    [wrong[4]],
    (given) => runtime.callAction(provider, { messages, tools: given as never }),
  ],
  [
    'callActionStream: messages',
    [wrong[4]],
    (given) => runtime.callActionStream(provider, { messages: given as never }),
  ],
  [
    'combine: the members',
    [],
    (given) => Promise.resolve().then(() => runtime.combine(given as never)),
  ],
  [
    'combine: messages',
    [wrong[4]],
    (given) => runtime.combine([{ provider, prompt: '' }]).generate(given as never),
  ],
  ['generateStream: the provider', [], (given) => runtime.generateStream(given as never, messages)],
  [
    'generateStream: messages',
    [wrong[4]],
    (given) => runtime.generateStream(provider, given as never),
  ],
  ['executeBatch: the calls', [wrong[4]], (given) => runtime.executeBatch(given as never, batch)],
  ['executeBatch: the options', [], (given) => runtime.executeBatch([], given as never)],
  [
    'executeBatch: the tools',
    [wrong[4]],
    (given) => runtime.executeBatch([], { ...batch, tools: given as never }),
  ],
  ['defineTool: the settings', [], (given) => runtime.defineTool(given as never)],
  [
    'defineTool: the name',
    ['x'],
    (given) => runtime.defineTool({ name: given as never, description: '', execute: () => '' }),
  ],
  [
    'defineTool: execute',
    [NoInstance],
    (given) => runtime.defineTool({ name: 't', description: '', execute: given as never }),
  ],
  ['generateObject: the request', [], (given) => runtime.generateObject(provider, given as never)],
  ['streamObject: the request', [], (given) => runtime.streamObject(provider, given as never)],
  ['createSummarizer: the provider', [], (given) => runtime.createSummarizer(given as never)],
]

test.each(calls)('a value of another kind is refused by its name: %s', async (_, fit, call) => {
  for (const given of wrong) {
    if (fit.includes(given)) continue
    const error: unknown = await (async () => call(given))().catch((thrown: unknown) => thrown)
    expect(
      isLlmError(error, 'config') || isLlmError(error, 'invalid-request'),
      `${JSON.stringify(given)}: ${String(error)}`,
    ).toBe(true)
  }
})

test('tools listed during a run are checked in the same way', async () => {
  for (const [tools, cure] of [
    [null, 'make them with defineTool'],
    [[{ name: 'x' }], 'tools[0] must be a tool, but has no "definition"; make it with defineTool'],
  ] as const) {
    const result = await runtime.infer(provider, { query: 'Hi', tools: () => tools as never })
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'config', message: expect.stringContaining(cure) as string },
    })
  }
})

const noop = (): string => ''
test.each<[request: object, message: string]>([
  [
    { tools: [{ name: 'weather', inputSchema: {}, execute: noop }] },
    'tools[0] is a tool of another library; pass such tools by name: tools: { NAME: tool }',
  ],
  [
    {
      tools: [
        runtime.defineTool({ name: 'a', description: '', execute: noop }),
        { definition: { name: 'b' } },
      ],
    },
    'tools[1] must be a tool, but has no "validate"; make it with defineTool',
  ],
  [{ tools: ['weather'] }, 'tools[0] must be a tool; make it with defineTool'],
  [
    { tools: { weather: {} } },
    'tools must be a list of tools; make them with defineTool, or a function that gives one',
  ],
  [{ prompt: 'Hi' }, 'infer: unknown setting "prompt"; did you mean "query"?'],
  [{ stopWhen: 5 }, 'stopWhen must be a function such as stepCountIs(5), or a list of them'],
  [
    { limits: { maxStep: 3 } },
    'infer: limits: unknown setting "maxStep"; did you mean "maxSteps"?',
  ],
  [{ maxSteps: 3 }, 'infer: unknown setting "maxSteps"; set limits.maxSteps'],
  [{ budget: { maxCalls: 3 } }, 'infer: unknown setting "budget"; set limits.budget'],
  [{ onEvent: noop }, 'infer: unknown setting "onEvent"; set observe.onEvent'],
  [{ journal: {} }, 'infer: unknown setting "journal"; set durable.journal'],
  [{ durable: { runID: 'r' } }, 'infer: durable: unknown setting "runID"; did you mean "runId"?'],
  [
    { durable: { messages: [] } },
    'infer: durable: unknown setting "messages"; set request.messages',
  ],
  [{ limits: { budget: 3 } }, 'limits.budget must be an object'],
  [
    { limits: { budget: { maxCall: 3 } } },
    'budget: unknown limit "maxCall"; did you mean "maxCalls"?',
  ],
])('the message about %j says what to write instead', async (request, message) => {
  await expect(runtime.infer(provider, { query: 'Hi', ...request })).rejects.toThrow(message)
})

test('a request of the AI SDK as the only argument gets the message that the provider comes first', async () => {
  await expect(
    runtime.infer({ model: provider, prompt: 'Hi' } as never, undefined as never),
  ).rejects.toThrow(
    'provider must be a Provider; make one with a provider package or with newProvider; it comes first: infer(provider, { query })',
  )
})

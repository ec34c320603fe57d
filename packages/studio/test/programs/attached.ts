// A program as a user writes it; what it does is its argument. It is started with
// `--import @modelport/studio/attach`.
import { existsSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, createLocalClient, toAgentTarget } from '@modelport/agent'
import type { ToolStreamReader } from '@modelport/core'
import { createDialogCaller, definePrompt, json } from '@modelport/dialog'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock } from '@modelport/provider-mock'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, infer, pending } from '@modelport/runtime'

const key = process.env['TEST_API_KEY'] ?? ''
const inner = createMock({ responses: [`an inner reply with ${key}`] })
const ask = defineTool({
  name: 'ask',
  description: 'Asks another model.',
  parameters: { type: 'object', properties: {} },
  execute: () => inner.complete('the inner question'),
})
const outer = createMock({
  responses: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, 'It is warm.'],
  delayMs: 5,
})
const slow = createMock({ responses: ['one more '.repeat(22)], delayMs: 100 })

/** Waits until the test has made the file that `GATE` names; at once if there is no such gate. */
async function gate(): Promise<void> {
  const file = process.env['GATE']
  while (file !== undefined && !existsSync(file)) await sleep(10)
}

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  run: () =>
    infer(outer, { query: 'Is it warm?', tools: [ask], observe: { agentName: 'weather' } }),
  steps: () => {
    const calls = [1, 2, 3, 4, 5].map((about) => ({
      toolCalls: [{ name: 'ask', arguments: { about } }],
    }))
    const provider = createMock({ responses: [...calls, 'Done.'], delayMs: 500 })
    return infer(provider, {
      query: 'Go',
      tools: [
        {
          ...ask,
          execute: async ({ about }) => {
            if (about === 3) await gate()
            return `asked ${String(about)}`
          },
        },
      ],
      limits: { maxSteps: 9 },
    })
  },
  prompted: () =>
    infer(outer, { query: 'Is it warm?', tools: [ask], system: 'Speak like a captain.' }),
  gap: async () => {
    const waits = { ...ask, execute: () => gate() }
    const call = { toolCalls: [{ name: 'ask', arguments: {} }] }
    await infer(createMock({ responses: [call, 'one more '.repeat(5)] }), {
      query: 'Count',
      tools: [waits],
    })
    process.stdout.write('ended\n')
    await new Promise((resolve) => setTimeout(resolve, 30_000)) // killed here
  },
  durable: async () => {
    const store = await openSqliteStore(':memory:')
    const provider = createMock({ responses: ['It is stored.'] })
    await store.runs.run('invoice-17', (run) => infer(provider, run.request({ query: 'Store it' })))
    await store.close()
  },
  waits: async () => {
    const store = await openSqliteStore(':memory:')
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, 'Paid.'],
    })
    const work = () =>
      store.runs.run('invoice-17', (run) =>
        infer(
          provider,
          run.request({
            query: 'Pay it',
            tools: [ask],
            authorize: () => ({ effect: 'require-approval' as const }),
          }),
        ),
      )
    await work()
    await store.close()
  },
  changes: () => {
    const call = { toolCalls: [{ name: 'ask', arguments: {} }] }
    return infer(createMock({ responses: [call, 'Done.'] }), {
      query: 'Change it',
      tools: [{ ...ask, execute: () => 'asked' }],
      prepareStep: ({ step }) => (step === 2 ? { options: { temperature: 1 } } : {}),
    })
  },
  later: async () => {
    const store = await openSqliteStore(':memory:')
    const provider = createMock({ responses: [{ toolCalls: [{ name: 'print', arguments: {} }] }] })
    const print = defineTool({
      name: 'print',
      description: 'Prints',
      execute: () => pending('job-1'),
    })
    await store.runs.run("ada's job", (run) =>
      infer(provider, run.request({ query: 'Print it', tools: [print] })),
    )
    await store.close()
  },
  dialog: async () => {
    const weather = definePrompt({
      path: 'weather',
      text: 'How warm is {city}?',
      parse: json({ type: 'object' }),
    })
    const caller = createDialogCaller({
      name: 'reporter',
      provider: createMock({ responses: ['{"degrees": 28}'] }),
    })
    await caller.call(caller.open().send(weather, { city: 'Rome' }))
  },
  exit: async () => {
    await inner.complete('the last question')
    process.exit(0)
  },
  throws: async () => {
    await inner.complete('the last question')
    throw new Error('the program is broken')
  },
  fails: () =>
    createMock({ responses: [{ error: 'auth' }] }).complete('Who am I?', {
      retry: { attempts: 1 },
    }),
  hangs: async () => {
    const reader = await slow.stream('Count')
    await reader.next()
    process.stdout.write('reading\n')
    await gate()
    for await (const _ of reader);
  },
  tools: async () => {
    const reader = await outer.streamWithTools(
      [{ role: 'user', content: 'Is it warm?' }],
      [ask.definition],
    )
    for await (const event of reader)
      if (event.type === 'turn-end' && event.reason === 'tool-calls')
        await reader.sendToolResults([{ callId: callOf(reader), content: 'sunny' }])
  },
  served: () =>
    infer(
      createOpenAICompatible({ model: 'tiny', apiKey: key, baseUrl: process.env['SERVER'] ?? '' }),
      {
        query: '<img src=x onerror="window.hacked=1"> What is a kill?',
      },
    ),
  money: async () => {
    const provider = createOpenAICompatible({
      model: 'tiny',
      baseUrl: process.env['SERVER'] ?? '',
      profile: {
        supportsTools: true,
        supportsStreaming: false,
        prices: {
          input: 2,
          output: 8,
          currency: 'EUR',
          ...(process.env['CACHE_PRICE'] !== 'unknown' && { cacheRead: 0.5 }),
        },
      },
    })
    const nested = defineTool({
      name: 'ask',
      description: 'Asks another run.',
      parameters: { type: 'object', properties: {} },
      execute: async () => (await infer(provider, { query: 'A question of a tool' })).text,
    })
    const store = await openSqliteStore(':memory:')
    await store.runs.run('invoice-17', (run) =>
      infer(provider, run.request({ query: 'Use the tool', tools: [nested] })),
    )
    await store.close()
    // A run that waits for a person, and is continued twice.
    const request = {
      tools: [nested],
      authorize: () => ({ effect: 'require-approval' as const }),
    }
    let result = await infer(provider, { ...request, query: 'Use the tool twice' })
    while (result.status === 'suspended') {
      const decisions = result.pending.flatMap((item) =>
        item.type === 'approval'
          ? [{ type: 'approve' as const, id: item.id, digest: item.digest }]
          : [],
      )
      result = await infer(provider, {
        ...request,
        messages: result.transcript,
        durable: { resume: result.checkpoint, decisions },
      })
    }
    await provider.complete('A plain question')
    const agent = createAgent({ card: { name: 'adder', description: 'Adds.' }, provider })
    await createLocalClient(agent).send('What is 2 + 2?')
  },
  team: async () => {
    const prices = { input: 2, output: 8, cacheRead: 0.5 }
    const provider = createOpenAICompatible({
      model: 'tiny',
      baseUrl: process.env['SERVER'] ?? '',
      profile: { supportsTools: true, supportsStreaming: false, prices },
    })
    const adder = createAgent({ card: { name: 'adder', description: 'Adds.' }, provider })
    const target = await toAgentTarget(createLocalClient(adder))
    await infer(provider, {
      query: 'Team work',
      agents: [target],
      handoffs: { billing: { description: 'invoices', system: 'You write invoices.' } },
    })
  },
  task: async () => {
    const agent = createAgent({
      card: { name: 'adder', description: 'Adds.' },
      provider: createMock({ responses: ['It is 4.'] }),
    })
    const client = createLocalClient(agent)
    const add = defineTool({
      name: 'add',
      description: 'Asks the adder.',
      parameters: { type: 'object', properties: {} },
      execute: async () => (await client.send('What is 2 + 2?')).state,
    })
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'add', arguments: {} }] }, 'Four.'],
    })
    await infer(provider, { query: 'Add, please', tools: [add] })
  },
}

const callOf = (reader: ToolStreamReader): string =>
  reader
    .messages()
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))[0]?.id ??
  ''

if (['exit', 'throws', 'fails'].includes(process.argv[2] ?? ''))
  await finished(process.stdin.resume()) // connected
await programs[process.argv[2] ?? '']?.()

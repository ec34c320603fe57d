import { type ChatMessage, LlmError, type Provider, ProviderError, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  defineTool,
  type InferRequest,
  infer,
  OutcomeUnknown,
  pending,
  type Tool,
  ToolFailure,
} from '../src/index.js'
import { providerOf, runWithCut, type Scenario, type World } from './cut-journal.js'

const action = (value: unknown): string => JSON.stringify(value)

const booking = (world: World, settings: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 'book',
    description: 'Books a seat',
    parameters: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
    execute: ({ seat }, { run }) => world.happen(run.idempotencyKey, `booked ${seat}`),
  }),
  ...settings,
})

/** Asks for two things, then books: the effect comes after the answers. */
const asking = (world: World, settings: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 'book',
    description: 'Books a seat',
    parameters: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
    execute: async ({ seat }, { ask, run }) => {
      const schema = {
        type: 'object',
        properties: { said: { type: 'string' } },
        required: ['said'],
      } as const
      const first = await ask({ message: `the name for ${seat}`, schema })
      const second = await ask({ message: 'a window seat?' })
      const name = first.action === 'accept' ? first.content.said : first.action
      return world.happen(run.idempotencyKey, `booked ${seat}: ${name}, ${second.action}`)
    },
  }),
  ...settings,
})

const replies = (messages: readonly ChatMessage[]): number =>
  messages.filter(({ role }) => role === 'assistant').length
const call = (id: string, seat: string) => ({ id, name: 'book', arguments: { seat } })
const given = (seat: string) => ({ name: 'book', arguments: { seat } })
const two = { toolCalls: [call('c1', '1A'), call('c2', '2B')] }
const scripted =
  (...script: readonly Exclude<ReturnType<Scenario['reply']>, undefined>[]): Scenario['reply'] =>
  (messages) =>
    script[replies(messages)] ?? 'Done.'

const agentAction = {
  toolCalls: [
    { id: 'a1', name: 'delegate_to_agent', arguments: { agent: 'clerk', prompt: 'file it' } },
  ],
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'two parallel tools': {
    reply: scripted(two, { toolCalls: [call('c3', '3C')] }),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
  },
  'two parallel idempotent tools': {
    reply: scripted(two),
    request: (world) => ({ query: 'Book.', tools: [booking(world, { idempotent: true })] }),
  },
  'a tool that reconciles': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [
        booking(world, {
          reconcile: (_value, { run: { idempotencyKey: key } }) =>
            world.effects.has(key)
              ? { outcome: 'executed', result: world.results.get(key) }
              : { outcome: 'not-executed' },
        }),
      ],
    }),
  },
  'an approval for one of two calls': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      authorize: (asked) =>
        asked.type === 'tool_call' && asked.args['seat'] === '2B'
          ? { effect: 'require-approval', reason: 'expensive' }
          : { effect: 'allow' },
    }),
  },
  'two parallel tools that ask': {
    reply: scripted(two),
    request: (world) => ({ query: 'Book.', tools: [asking(world)] }),
  },
  'two parallel idempotent tools that ask': {
    reply: scripted(two, { toolCalls: [call('c3', '3C')] }),
    request: (world) => ({ query: 'Book.', tools: [asking(world, { idempotent: true })] }),
  },
  'an approval of a call that asks, next to one that was allowed': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [asking(world)],
      authorize: (asked) =>
        asked.type === 'tool_call' && asked.args['seat'] === '2B'
          ? { effect: 'require-approval', reason: 'expensive' }
          : { effect: 'allow' },
    }),
  },
  'JSON mode with questions': {
    reply: (messages) =>
      messages.some(({ role }) => role === 'assistant')
        ? action({ type: 'final', content: 'Done.' })
        : action({ type: 'tool_call', tool: 'book', args: { seat: '1A' } }),
    request: (world) => ({ query: 'Book.', mode: 'json', tools: [asking(world)] }),
  },
  'changed arguments': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      authorize: () => ({ effect: 'allow', arguments: { seat: '9Z' } }),
    }),
  },
  'a compaction before each call': {
    reply: (messages) =>
      messages.some(({ content }) => textOf(content).includes('shorten conversations'))
        ? 'They want seats.'
        : scripted(two, { toolCalls: [call('c3', '3C')] })(
            messages.filter(({ role }) => role !== 'user'),
          ),
    request: (world) => ({
      messages: Array.from(
        { length: 30 },
        (_, index): ChatMessage => ({ role: 'user', content: `Wish ${index}` }),
      ),
      tools: [booking(world)],
      limits: {
        profile: { contextWindow: 100 },
        compaction: { threshold: 0.1, strategy: 'summary', preserveRecent: 4 },
      },
    }),
  },
  'a compaction because the server refused': {
    reply: (messages) => {
      if (messages.length > 20) return { error: 'context-length' }
      return scripted(two)(messages)
    },
    request: (world) => ({
      messages: Array.from(
        { length: 30 },
        (_, index): ChatMessage => ({ role: 'user', content: `Wish ${index}` }),
      ),
      tools: [booking(world)],
      limits: { compaction: { strategy: 'recent', maxMessages: 8 } },
    }),
  },
  'a sub-agent': {
    reply: scripted(agentAction),
    request: (world) => ({
      query: 'File it.',
      agents: [
        {
          name: 'clerk',
          description: 'Files things',
          call: async (_request, { run, budget, signal }) => {
            const { text } = await infer(createMock({ responses: ['filed'] }), {
              query: 'File.',
              limits: { budget },
              signal,
            })
            return world.happen(run.idempotencyKey, text)
          },
        },
      ],
    }),
  },
  'a sub-agent whose result comes later': {
    reply: scripted(agentAction),
    request: (world) => ({
      query: 'File it.',
      agents: [
        {
          name: 'clerk',
          description: 'Files things',
          idempotent: true,
          call: (_request, { run }) => pending(world.happen(run.idempotencyKey, 'task_7')),
        },
      ],
    }),
  },
  'a fallback to another provider': {
    reply: scripted(two),
    request: (world) => ({ query: 'Book.', tools: [booking(world, { idempotent: true })] }),
    provider: () => {
      const broken = createMock({ responses: [{ error: 'auth' }] })
      const works = createMock({ defaultResponse: ({ messages }) => scripted(two)(messages) })
      return inTurn(broken, works)
    },
  },
  'a reply that is corrected': {
    reply: scripted(
      '{"type": "tool_call"}',
      action({ type: 'tool_call', tool: 'book', args: { seat: '1A' } }),
      action({ type: 'final', content: 'Done.' }),
    ),
    request: (world) => ({ query: 'Book.', mode: 'json', tools: [booking(world)] }),
  },
  'JSON mode with an approval': {
    reply: (messages) =>
      messages.some(({ role }) => role === 'assistant')
        ? action({ type: 'final', content: 'Done.' })
        : action({ type: 'tool_call', tool: 'book', args: { seat: '1A' } }),
    request: (world) => ({
      query: 'Book.',
      mode: 'json',
      tools: [booking(world)],
      authorize: () => ({ effect: 'require-approval' }),
    }),
  },
  'JSON mode at a server that refuses the format': {
    reply: (messages) =>
      replies(messages)
        ? action({ type: 'final', content: 'Done.' })
        : action({ type: 'tool_call', tool: 'book', args: { seat: '1A' } }),
    request: (world) => ({
      query: 'Book.',
      mode: 'json',
      tools: [booking(world, { readOnly: true })],
    }),
    provider: () => {
      const mock = createMock({
        defaultResponse: ({ messages, options }) => {
          if (options.responseFormat) return { error: new LlmError('unsupported', 'no format') }
          return scenarios['JSON mode with an approval']?.reply(messages) ?? ''
        },
      })
      return mock
    },
  },
  'calls that the request gives': {
    reply: () => 'Done.',
    request: (world) => ({
      query: 'Book.',
      calls: [given('1A'), given('1A'), given('2B')],
      tools: [booking(world)],
      authorize: (asked) =>
        asked.type === 'tool_call' && asked.args['seat'] === '2B'
          ? { effect: 'require-approval', reason: 'expensive' }
          : { effect: 'allow' },
    }),
  },
  'calls that the request gives, in JSON mode': {
    reply: () => action({ type: 'final', content: 'Done.' }),
    request: (world) => ({
      query: 'Book.',
      mode: 'json',
      calls: [given('1A'), given('2B')],
      tools: [booking(world)],
    }),
  },
  'a server that refuses tools after it served some': {
    reply: scripted(
      { toolCalls: [call('c1', '1A')] },
      action({ type: 'tool_call', tool: 'book', args: { seat: '2B' } }),
      action({ type: 'final', content: 'Done.' }),
    ),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
    provider: () =>
      createMock({
        defaultResponse: ({ messages, tools }) => {
          // What was called natively is shown to it as JSON, a message each.
          if (tools.length && replies(messages))
            return {
              error: new ProviderError('unsupported', 'no tools here', {
                provider: 'mock',
                reason: 'tools',
              }),
            }
          if (messages.some(({ role }) => role === 'tool')) return { error: 'invalid-request' }
          return (
            scenarios['a server that refuses tools after it served some']?.reply(messages) ?? ''
          )
        },
      }),
  },
}

const wishes = Array.from(
  { length: 30 },
  (_, index): ChatMessage => ({ role: 'user', content: `Wish ${index}` }),
)

/** So small that the conversation is made shorter before each call of the model. */
const shortContext: InferRequest['limits'] = {
  profile: { contextWindow: 100 },
  compaction: { threshold: 0.1, strategy: 'summary', preserveRecent: 4 },
}

/** Wants a seat that was asked for before, once, and makes conversations shorter when asked. */
const wishAgain: Scenario['reply'] = (messages) => {
  if (messages.some(({ content }) => textOf(content).includes('shorten conversations')))
    return 'They want seats.'
  return replies(messages) < 2 ? { toolCalls: [call(`c${replies(messages)}`, '1A')] } : 'Done.'
}

/** A tool whose first call does nothing, and says so. */
const failing = (world: World): Tool => {
  let calls = 0
  return booking(world, {
    execute: (_, { run }) => {
      if (++calls === 1) throw new ToolFailure('no seats today')
      return world.happen(run.idempotencyKey, 'booked')
    },
  })
}

/** Changes nothing: its key only names the place of the call. */
const looking = (world: World): Tool =>
  defineTool({
    name: 'look',
    description: 'Looks for seats',
    readOnly: true,
    execute: (_, { run }) => world.happen(run.idempotencyKey, '1A is free'),
  })

/** A tool whose reply is lost at its first sending of each key. */
const losing = (world: World, settings: Partial<Tool> = {}): Tool => {
  const lost = new Set<string>()
  return booking(world, {
    execute: (value, { run: { idempotencyKey: key } }) => {
      const { seat } = value as { readonly seat: string }
      const result = world.happen(key, `booked ${seat}`)
      if (lost.has(key)) return result
      lost.add(key)
      throw new OutcomeUnknown('the reply is lost')
    },
    ...settings,
  })
}

/**
 * Histories whose keys are held, and that are not cut: their outcome depends on what was lost, or
 * decided, before.
 */
const histories: Readonly<Record<string, Scenario>> = {
  ...scenarios,
  'a call that the same reply repeats, which is made once': {
    reply: scripted({ toolCalls: [call('c1', '1A'), call('c2', '1A'), call('c3', '2B')] }),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
  },
  'a call that the same reply repeats, of a tool that may be repeated': {
    reply: scripted({ toolCalls: [call('c1', '1A'), call('c2', '1A')] }),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      limits: { repeatableTools: ['book'] },
    }),
  },
  'a call that was made before a compaction, and is not made again after it': {
    reply: wishAgain,
    request: (world) => ({
      messages: wishes,
      calls: [given('1A')],
      tools: [booking(world)],
      limits: shortContext,
    }),
  },
  'a call that failed before a compaction, and is made again after it': {
    reply: wishAgain,
    request: (world) => ({
      messages: wishes,
      calls: [given('1A')],
      tools: [failing(world)],
      limits: shortContext,
    }),
  },
  'a hand-over, and the calls of whoever took over': {
    reply: scripted(
      { toolCalls: [call('c1', '1A'), { id: 'h1', name: 'hand_off', arguments: { to: 'rail' } }] },
      { toolCalls: [call('c2', '2B')] },
    ),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      handoffs: { rail: { description: 'books trains', system: 'You book trains.' } },
    }),
  },
  'two calls of a skill of another agent': {
    reply: scripted({
      toolCalls: ['s1', 's2'].map((id) => ({
        id,
        name: 'call_agent_tool',
        arguments: { agent: 'clerk', tool: 'stamp', args: { paper: id } },
      })),
    }),
    request: (world) => ({
      query: 'Stamp it.',
      agents: [
        {
          name: 'clerk',
          description: 'Stamps things',
          tools: [{ name: 'stamp', description: 'Stamps' }],
          call: (_request, { run }) => world.happen(run.idempotencyKey, 'stamped'),
        },
      ],
    }),
  },
  'a result that comes later': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }, { toolCalls: [call('c2', '2B')] }),
    request: (world) => ({
      query: 'Book.',
      tools: [
        booking(world, {
          execute: (_, { run }) => pending(world.happen(run.idempotencyKey, 'job_1')),
        }),
      ],
    }),
  },
  'a call that is refused, next to one that is made': {
    reply: scripted(two, { toolCalls: [call('c3', '1A')] }),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      authorize: (asked) =>
        asked.type === 'tool_call' && asked.args['seat'] === '2B'
          ? { effect: 'deny', reason: 'taken' }
          : { effect: 'allow' },
    }),
  },
  'a lost reply of a tool whose receiver knows its key': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }),
    request: (world) => ({ query: 'Book.', tools: [losing(world, { idempotent: true })] }),
  },
  'a lost reply that a person settles': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }, { toolCalls: [call('c2', '2B')] }),
    request: (world) => ({ query: 'Book.', tools: [losing(world, { once: true })] }),
  },
  'a lost reply, after which the model asks for the same again': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }, { toolCalls: [call('c2', '1A')] }),
    request: (world) => ({ query: 'Book.', tools: [losing(world)] }),
  },
  'a call that failed, and is asked for again': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }, { toolCalls: [call('c2', '1A')] }),
    request: (world) => ({ query: 'Book.', tools: [failing(world)] }),
  },
  'a run of a task, whose keys begin with the task': {
    reply: scripted({ toolCalls: [{ id: 'l1', name: 'look' }, call('c1', '1A')] }),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world), looking(world)],
      durable: { scope: { keyPrefix: 'task_7/run_1', sessionId: 'session_1' } },
    }),
  },
  'a run that another process continued after a death': {
    reply: scripted(two, { toolCalls: [call('c3', '3C')] }),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
  },
}

/** At which call of its journal the process of a history ends. */
const deaths: Readonly<Record<string, number>> = {
  'a run that another process continued after a death': 5,
}

/** Asks the second provider when the first refuses. */
const inTurn = (first: Provider, second: Provider): Provider => ({
  ...first,
  name: 'in-turn',
  streamWithTools: (...asked) =>
    first.streamWithTools(...asked).catch(() => second.streamWithTools(...asked)),
})

const comparable = (messages: readonly ChatMessage[]): unknown =>
  JSON.parse(JSON.stringify(messages))

describe('a run that is cut at any call of its journal and resumed', () => {
  describe.each(Object.entries(scenarios))('%s', (_name, scenario) => {
    test.each([true, false])(
      'J4: a run that is cut ends as if it had never been cut (stored before the cut: %s)',
      async (stores) => {
        const whole = await runWithCut(scenario, { at: Infinity, stores })
        expect(whole.result).toMatchObject({ status: 'final', text: 'Done.' })
        expect(whole.uncertain).toEqual([])
        let at = 1
        for (; ; at++) {
          const { isCut, result, world, uncertain } = await runWithCut(scenario, { at, stores })
          if (!isCut) break
          const where = `cut at ${at}`
          expect(result, where).toMatchObject({
            status: 'final',
            text: 'Done.',
            steps: whole.result.steps,
          })
          expect(comparable(result.transcript), where).toEqual(comparable(whole.result.transcript))
          expect([...world.effects.keys()].sort(), where).toEqual(
            [...whole.world.effects.keys()].sort(),
          )
          const isOnce =
            scenario.request(world).tools instanceof Array
              ? (scenario.request(world).tools as readonly Tool[]).every(
                  ({ idempotent, readOnly }) => !idempotent && !readOnly,
                )
              : false
          if (isOnce)
            for (const [key, count] of world.effects)
              expect([where, key, count]).toEqual([where, key, 1])
          expect(uncertain.length, where).toBeLessThanOrEqual(2)
        }
        expect(at).toBeGreaterThan(5)
      },
    )
  })

  // A key that changes makes a receiver see another payment, and an engine another effect: a later
  // version has to continue the runs of this one.
  test.each(Object.entries(histories))(
    'J18: the keys of a run are those that every version has used: %s',
    async (name, scenario) => {
      const { keys, result } = await runWithCut(scenario, {
        at: deaths[name] ?? Infinity,
        stores: true,
      })
      expect(result).toMatchObject({ status: 'final', text: 'Done.' })
      const file = `golden-keys/${name.replaceAll(/[^a-z0-9]+/gi, '-')}.txt`
      await expect(`${keys.join('\n')}\n`).toMatchFileSnapshot(file)
    },
  )

  test('the providers of the scenarios give the same reply to the same conversation', async () => {
    const scenario = scenarios['two parallel tools'] as Scenario
    const provider = providerOf(scenario, {} as World)
    const [a, b] = [
      await provider.generate([{ role: 'user', content: 'x' }]),
      await provider.generate([{ role: 'user', content: 'x' }]),
    ]
    expect(a.toolCalls).toEqual(b.toolCalls)
  })
})

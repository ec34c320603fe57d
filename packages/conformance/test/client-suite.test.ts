import { describe, expect, test } from 'vitest'
import { type ServedCase, servedCases } from '../src/served/cases.js'
import { judge } from '../src/served/judge.js'
import type { Observation, ObservedTurn } from '../src/served/observation.js'
import { htmlReport } from '../src/served/report.js'
import { type RuleName, servedRules } from '../src/served/rules.js'
import { startSuiteServer } from '../src/served/wire-server-suite.js'
import { wires } from '../src/served/wires.js'
import type { WireRequest } from '../src/wire-format.js'

const { chat } = wires
const cases = servedCases(chat)

/** What the user of a client without a defect sees. */
function good(one: ServedCase): Observation {
  const { expected } = one
  if (expected.kind === 'error')
    return {
      case: one.id,
      turns: [],
      error: { message: expected.text ?? 'failed', status: expected.status },
    }
  if (expected.kind === 'cut')
    return { case: one.id, turns: [{ text: '' }], error: { message: 'cut' } }
  const turns = one.turns.map((script, turn): ObservedTurn => {
    const { inputTokens, outputTokens } = script.usage
    return {
      text: script.text?.join(''),
      reasoning: script.reasoning?.join(''),
      calls: script.toolCalls?.map((call, index) => ({
        id: call.id ?? `made-${turn}-${index}`,
        name: call.name,
        arguments: call.argumentsText ?? call.arguments,
      })),
      finish: script.finish,
      usage: { input: inputTokens, output: outputTokens },
    }
  })
  return { case: one.id, turns }
}

/** What a client without a defect sends: a request a turn. */
function requests({ ask, turns }: ServedCase): WireRequest[] {
  const messages: object[] = [...ask.messages]
  return turns.map((script, turn) => {
    const tools = ask.tools.map((tool) => ({ type: 'function', function: tool }))
    const body = { model: ask.model, messages: [...messages], ...(tools.length && { tools }) }
    const calls = (script.toolCalls ?? []).map((call, index) => ({
      id: call.id ?? `made-${turn}-${index}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }))
    messages.push(
      { role: 'assistant', content: script.text?.join('') ?? null, tool_calls: calls },
      ...calls.map(({ id }, index) => ({
        role: 'tool',
        tool_call_id: id,
        content: ask.toolResults[turn]?.[index],
      })),
    )
    return {
      method: 'POST',
      path: '/v1/chat/completions',
      body,
      headers: { 'content-type': 'application/json' },
    }
  })
}

type Seen = readonly [observation: Observation, requests: readonly WireRequest[]]
const failedRules = (one: ServedCase, [observation, sent]: Seen): RuleName[] =>
  judge(one, { wire: chat, observation, requests: sent, lacks: {} })
    .filter(({ state }) => state === 'failed')
    .map(({ rule }) => rule)

const eachTurn =
  (change: (turn: ObservedTurn) => ObservedTurn) =>
  ([observation, sent]: Seen): Seen => [
    { ...observation, turns: observation.turns.map(change) },
    sent,
  ]
const withText = eachTurn((turn) => ({ ...turn, text: `${turn.text ?? ''}!` }))
const withCalls = eachTurn((turn) => ({ ...turn, calls: [{ name: 'other', arguments: {} }] }))
const withoutError = ([{ case: id }, sent]: Seen): Seen => [
  { case: id, turns: [{ text: '', finish: 'stop' }] },
  sent,
]
const withBodies =
  (change: (body: Readonly<Record<string, unknown>>) => object) =>
  ([observation, sent]: Seen): Seen => [
    observation,
    sent.map((request) => ({
      ...request,
      body: change(request.body as Readonly<Record<string, unknown>>),
    })),
  ]
const onlyQuestion = withBodies(({ messages, ...body }) => ({
  ...body,
  messages: (messages as readonly object[]).slice(0, 1),
}))

/** A defect of a client for each rule. */
const defects: Readonly<Record<RuleName, (seen: Seen) => Seen>> = {
  text: withText,
  reasoning: eachTurn((turn) => ({ ...turn, reasoning: 'No.' })),
  finish: eachTurn((turn) => ({ ...turn, finish: 'error' })),
  usage: eachTurn((turn) => ({ ...turn, usage: { input: 0, output: 0 } })),
  calls: withCalls,
  'call-ids': withCalls,
  'malformed-arguments': withCalls,
  'cut-call': withCalls,
  'no-arguments': withCalls,
  results: onlyQuestion,
  accepted: withBodies((body) => ({ ...body, messages: [] })),
  'documented-fields': withBodies((body) => ({ ...body, own_field: 1 })),
  split: withText,
  'line-ends': withText,
  'lenient-framing': withText,
  'after-the-end': withText,
  retry: withText,
  'missing-ids': eachTurn((turn) => ({
    ...turn,
    calls: turn.calls?.map((call) => ({ ...call, id: 'same' })),
  })),
  'broken-connection': withoutError,
  'early-end': withoutError,
  'early-end-is-an-error': withoutError,
  'error-in-stream': withoutError,
  'error-in-reply': withoutError,
  'error-text': withoutError,
  status: withoutError,
  'web-page': withoutError,
  'broken-record': withoutError,
  'unknown-finish': eachTurn((turn) => ({ ...turn, finish: 'stop' })),
}

describe('the judge of the suite for clients', () => {
  test.each(cases.map((one) => [one.id, one] as const))(
    'a client without a defect keeps the rules of %s',
    (_, one) => {
      expect(failedRules(one, [good(one), requests(one)])).toEqual([])
    },
  )

  test.each(Object.keys(servedRules) as RuleName[])(
    'a client with a defect fails each case of the rule %s',
    (rule) => {
      const citing = cases.filter(({ rules }) => rules.includes(rule))
      expect(citing.length).toBeGreaterThan(0)
      for (const one of citing)
        expect(failedRules(one, defects[rule]([good(one), requests(one)])), one.id).toContain(rule)
    },
  )

  test('a client that sends nothing fails, whatever it shows', () => {
    const one = cases[0] as ServedCase
    expect(failedRules(one, [good(one), []])).toEqual(one.rules)
  })
})

test('a rule that counts has a source at each of its wires, and one of ours has none', () => {
  for (const wire of Object.values(wires))
    for (const one of servedCases(wire))
      for (const rule of one.rules) {
        const { group, source } = servedRules[rule]
        expect(source(wire) === undefined, `${wire.name}: ${rule}`).toBe(group === 'ours')
      }
})

test.each(Object.values(wires))('the cases of $title have names of their own', (wire) => {
  const ids = servedCases(wire).map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
  expect(ids.length).toBeGreaterThan(100)
})

describe('the server of the suite', () => {
  const served = async (
    use: (
      url: string,
      post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>,
    ) => Promise<void>,
  ): Promise<void> => {
    const server = await startSuiteServer()
    try {
      await use(server.url, (path, body, headers = {}) =>
        fetch(server.url + path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...headers },
        }),
      )
    } finally {
      await server.close()
    }
  }
  const registration = { client: 'mine', version: '1', wire: 'chat' }

  test('it serves a case at its address, judges what is posted, and reports it with a curl', () =>
    served(async (url, post) => {
      const run = (await (await post('/runs', registration)).json()) as {
        readonly cases: readonly { readonly id: string; readonly baseUrl: string }[]
      }
      expect(run.cases[0]).toMatchObject({
        id: 'text-stream',
        baseUrl: `${url}/runs/1/chat/text-stream`,
      })
      const body = { model: 'gpt-4.1', stream: true, messages: [{ role: 'user', content: 'Hi' }] }
      const reply = await post('/runs/1/chat/text-stream/v1/chat/completions', body)
      expect(await reply.text()).toContain('"content":"Hel"')
      const turns = [{ text: 'Hello', finish: 'stop', usage: { input: 21, output: 7 } }]
      const seen = await post('/runs/1/observations', { case: 'text-stream', turns })
      expect(await seen.json()).toMatchObject({
        checks: [
          { rule: 'text', state: 'failed', expected: '"Hello, world!"', found: '"Hello"' },
          { rule: 'finish', state: 'passed' },
          { rule: 'usage', state: 'passed' },
          { rule: 'accepted', state: 'passed' },
          { rule: 'documented-fields', state: 'passed' },
        ],
      })
      const report = (await (await fetch(`${url}/runs/1.json`)).json()) as {
        readonly checks: readonly { readonly curl: string; readonly served: readonly string[] }[]
        readonly missing: readonly string[]
      }
      expect(report.checks[0]?.curl).toContain(`${url}/chat/text-stream/v1/chat/completions`)
      expect(report.checks[0]?.served[0]).toBe('(status 200)')
      expect(report.missing).toHaveLength(cases.length - 1)
      expect(await (await fetch(`${url}/runs/1.html`)).text()).toContain('each character once')
    }))

  test('it finds a case by its key alone, for a client whose base URL has no path', () =>
    served(async (_, post) => {
      await post('/runs', registration)
      const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }
      const authorization = 'Bearer case.1.chat.text-whole'
      const reply = await post('/v1/chat/completions', body, { authorization })
      expect(await reply.text()).toContain('Hello, world!')
    }))

  test('it says what is wrong with a registration, an observation or an address', () =>
    served(async (url, post) => {
      const errorOf = async (response: Response): Promise<unknown> => [
        response.status,
        ((await response.json()) as { readonly error: unknown }).error,
      ]
      expect(await errorOf(await post('/runs', { client: 'mine', wire: 'smoke' }))).toEqual([
        400,
        expect.stringContaining('wire: '),
      ])
      await post('/runs', registration)
      const odd = { case: 'text-stream', turns: [{ content: 'Hello' }] }
      expect(await errorOf(await post('/runs/1/observations', odd))).toEqual([
        400,
        'turns.0: Unrecognized key: "content"',
      ])
      expect(await errorOf(await post('/runs/1/observations', { case: 'none' }))).toEqual([
        400,
        'case: there is no "none"',
      ])
      expect((await fetch(`${url}/nothing`)).status).toBe(404)
    }))
})

test('the report escapes what clients and servers wrote', () => {
  const page = htmlReport([
    { client: '<script>', version: '"', wire: 'chat', groups: {}, missing: [], checks: [] },
  ])
  expect(page).not.toContain('<script>')
  expect(page).toContain('&lt;script&gt;')
})

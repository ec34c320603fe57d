import { describe, expect, test } from 'vitest'
import { type ServedCase, servedCases } from '../src/served/cases.js'
import { type Check, judge } from '../src/served/judge.js'
import type { Observation, ObservedTurn } from '../src/served/observation.js'
import { htmlReport } from '../src/served/report.js'
import { type RuleName, servedRules } from '../src/served/rules.js'
import type { ReportedCheck, RunReport } from '../src/served/run.js'
import { startSuiteServer } from '../src/served/wire-server-suite.js'
import { hasIds, type Wire, type WireName, wires } from '../src/served/wires.js'
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

/** Results as each API writes them: the ids of the calls, and which result goes to which. */
type Pairs = readonly (readonly [id: string, name: string, text: string])[]

/** A request that repeats three calls and takes these results back, at each wire. */
const answering: Readonly<
  Record<WireName, (calls: Pairs, results: Pairs, args: object[]) => object>
> = {
  chat: (calls, results, args) => ({
    messages: [
      {
        role: 'assistant',
        tool_calls: calls.map(([id, name], at) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args[at]) },
        })),
      },
      ...results.map(([id, , content]) => ({ role: 'tool', tool_call_id: id, content })),
    ],
  }),
  responses: (calls, results, args) => ({
    input: [
      ...calls.map(([id, name], at) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(args[at]),
      })),
      ...results.map(([id, , output]) => ({ type: 'function_call_output', call_id: id, output })),
    ],
  }),
  messages: (calls, results, args) => ({
    messages: [
      {
        role: 'assistant',
        content: calls.map(([id, name], at) => ({ type: 'tool_use', id, name, input: args[at] })),
      },
      {
        role: 'user',
        content: results.map(([id, , content]) => ({
          type: 'tool_result',
          tool_use_id: id,
          content,
        })),
      },
    ],
  }),
  gemini: (calls, results, args) => ({
    contents: [
      {
        role: 'model',
        parts: calls.map(([, name], at) => ({ functionCall: { name, args: args[at] } })),
      },
      {
        role: 'user',
        parts: results.map(([, name, result]) => ({
          functionResponse: { name, response: { result } },
        })),
      },
    ],
  }),
  ollama: (calls, results, args) => ({
    messages: [
      {
        role: 'assistant',
        content: '',
        tool_calls: calls.map(([, name], at) => ({ function: { name, arguments: args[at] } })),
      },
      ...results.map(([, name, content]) => ({ role: 'tool', tool_name: name, content })),
    ],
  }),
}

describe('results go back', () => {
  const swapped = <T>([first, second, ...rest]: readonly T[]): T[] => [
    second as T,
    first as T,
    ...rest,
  ]

  /** What the rule `results` finds in the request that `change` makes of the right results. */
  const found = (wire: Wire, change: (results: Pairs) => Pairs): readonly RuleName[] => {
    const one = servedCases(wire).find(({ id }) => id === 'parallel-calls-whole') as ServedCase
    const calls = (one.turns[0]?.toolCalls ?? []).map(
      ({ id = '', name }, at) => [id, name, one.ask.toolResults[0]?.[at] ?? ''] as const,
    )
    const args = (one.turns[0]?.toolCalls ?? []).map((call) => call.arguments)
    const request: WireRequest = {
      method: 'POST',
      path: wire.paths.whole,
      headers: {},
      body: answering[wire.name](calls, change(calls), args),
    }
    return judge(one, { wire, observation: good(one), requests: [request], lacks: {} })
      .filter(({ rule, state }) => rule === 'results' && state === 'failed')
      .map(({ rule }) => rule)
  }
  const all = Object.values(wires)

  test.each(all)('each to its call, at $title', (wire) => {
    expect(found(wire, (results) => results)).toEqual([])
  })

  test.each(all)('not to the call of another, at $title', (wire) => {
    const texts = (results: Pairs): string[] => swapped(results.map(([, , text]) => text))
    expect(
      found(wire, (results) =>
        results.map(([id, name], at) => [id, name, texts(results)[at] ?? '']),
      ),
    ).toEqual(['results'])
  })

  test.each(all.filter(hasIds))('not under the id of another, at $title', (wire) => {
    const ids = (results: Pairs): string[] => swapped(results.map(([id]) => id))
    expect(
      found(wire, (results) =>
        results.map(([, name, text], at) => [ids(results)[at] ?? '', name, text]),
      ),
    ).toEqual(['results'])
  })

  test.each(all)('not without one of them, at $title', (wire) => {
    expect(found(wire, (results) => results.slice(1))).toEqual(['results'])
  })

  test.each(all.filter(hasIds))('in any order where ids pair them, at $title', (wire) => {
    expect(found(wire, swapped)).toEqual([])
  })

  test.each(all.filter((wire) => !hasIds(wire)))(
    'under the name of their call where nothing else pairs them, at $title',
    (wire) => {
      const last = ([id, , text]: Pairs[number]): Pairs[number] => [id, 'list_rooms', text]
      expect(found(wire, (results) => results.map(last))).toEqual(['results'])
    },
  )
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
          // A stream has counts only if the request asks for them.
          { rule: 'usage', state: 'not-applicable' },
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

  test('a path that the API does not have is not found, and is named', () =>
    served(async (_, post) => {
      await post('/runs', registration)
      const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }
      const wrong = [
        '/v1/v1/chat/completions',
        '/v1/v1beta/chat/completions',
        '/openai/v1/openai/v1/chat/completions',
        '/v1/completions',
      ]
      for (const path of wrong) {
        expect((await post(`/runs/1/chat/text-whole${path}`, body)).status).toBe(404)
      }
      const seen = await post('/runs/1/observations', { case: 'text-whole' })
      expect(await seen.json()).toMatchObject({
        checks: expect.arrayContaining([
          expect.objectContaining({
            rule: 'accepted',
            state: 'failed',
            expected: 'a request to /v1/chat/completions at the address of the case',
            found: `none came there, but ${wrong.map((path) => `POST ${path}`).join(', ')}`,
          }),
        ]),
      })
    }))

  test('a request without a body is one that is not JSON', () =>
    served(async (url, post) => {
      await post('/runs', registration)
      await fetch(`${url}/runs/1/chat/text-whole/v1/chat/completions`, { method: 'POST' })
      const seen = await post('/runs/1/observations', { case: 'text-whole' })
      expect(await seen.text()).toContain('body: not JSON')
    }))

  test('a path before the one of the API is that of the client', () =>
    served(async (_, post) => {
      const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }
      for (const path of ['', '/openai/v1', '/client/v4/accounts/a/ai/v1']) {
        const url = `/chat/text-whole${path}/chat/completions`
        expect((await post(url, body)).status, path).toBe(200)
      }
    }))

  test('a case can be run again in its run: what came before the last observation is gone', () =>
    served(async (_, post) => {
      await post('/runs', registration)
      const messages = [{ role: 'user', content: 'Hi' }]
      const states = async (body: object): Promise<unknown> => {
        await post('/runs/1/chat/text-whole/v1/chat/completions', body)
        const turns = [{ text: 'Hello, world!', finish: 'stop', usage: { input: 21, output: 7 } }]
        const seen = await post('/runs/1/observations', { case: 'text-whole', turns })
        const { checks } = (await seen.json()) as { readonly checks: readonly Check[] }
        return checks.flatMap(({ rule, state }) => (state === 'failed' ? [rule] : []))
      }
      expect(await states({ model: 'gpt-4.1', messages: [] })).toEqual(['accepted'])
      expect(await states({ model: 'gpt-4.1', messages })).toEqual([])
    }))

  test.each(Object.values(wires))('a request that is not JSON is called so, at $title', (wire) =>
    served(async (url) => {
      await fetch(`${url}/runs`, {
        method: 'POST',
        body: JSON.stringify({ ...registration, wire: wire.name }),
      })
      const address = `${url}/runs/1/${wire.name}/text-whole${wire.paths.whole}`
      await fetch(address, { method: 'POST', body: '{"model":' })
      await fetch(`${url}/runs/1/observations`, {
        method: 'POST',
        body: JSON.stringify({ case: 'text-whole' }),
      })
      const [report] = (await (await fetch(`${url}/report.json`)).json()) as readonly RunReport[]
      const accepted = report?.checks.find(({ rule }) => rule === 'accepted')
      expect(accepted?.found).toContain('body: not JSON')
      expect(accepted?.curl).toContain(`-d '{"model":'`)
    }),
  )

  test('a failure for a moment passes outside of a run, too', () =>
    served(async (_, post) => {
      const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] }
      const ask = (): Promise<Response> => post('/chat/retry-429-whole/v1/chat/completions', body)
      const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status)
      expect(statuses).toEqual([429, 200, 429])
    }))

  test('the curl of a failure sends what the client sent', () =>
    served(async (url, post) => {
      await post('/runs', registration)
      const body = { model: 'own', stream: true, messages: [{ role: 'user', content: "It's I" }] }
      await post('/runs/1/chat/text-stream/openai/v1/chat/completions', body)
      await post('/runs/1/observations', { case: 'text-stream' })
      const [report] = (await (await fetch(`${url}/report.json`)).json()) as readonly RunReport[]
      expect(report?.checks[0]?.curl).toBe(
        `curl -sN '${url}/chat/text-stream/openai/v1/chat/completions' -H 'content-type: application/json' -d '${JSON.stringify(body).replace("'", String.raw`'\''`)}'`,
      )
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
      const broken = await fetch(`${url}/runs`, { method: 'POST', body: '{"client":' })
      expect(await errorOf(broken)).toEqual([400, 'the body is not JSON'])
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

test('the report tells equal failures once, with the cases of each', () => {
  const check = (id: string, found: string): ReportedCheck => ({
    case: id,
    title: id,
    rule: 'line-ends',
    group: 'bytes',
    sentence: 'Line ends change nothing.',
    state: 'failed',
    expected: 'text',
    found,
  })
  const checks = [check('one', 'nothing'), check('two', 'nothing'), check('three', 'half')]
  const page = htmlReport([
    { client: 'mine', version: '1', wire: 'chat', groups: {}, missing: [], checks },
  ])
  expect(page).toContain('line-ends: 3 cases')
  expect(page).toContain('one (<code>one</code>)<br>two (<code>two</code>)')
  expect(page.match(/found {4}nothing/g)).toHaveLength(1)
  expect(page.match(/found {4}half/g)).toHaveLength(1)
})

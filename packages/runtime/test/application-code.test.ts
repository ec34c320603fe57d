// What the application's own functions do must not break a run: whatever they throw or answer, and
// when they never do.
import type { JsonObject } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  type Authorize,
  BudgetLedger,
  type InferRequest,
  infer,
  type RunResult,
  type Tool,
} from '../src/index.js'

const toolOf = (more: object): Tool => ({
  definition: { name: 't', description: 'x' },
  validate: (value) => ({ ok: true, value }),
  execute: () => 'fine',
  ...more,
})
const run = (request: Partial<InferRequest>): Promise<RunResult> =>
  infer(createMock({ responses: [{ toolCalls: [{ name: 't', arguments: {} }] }, 'done'] }), {
    query: 'go',
    tools: [toolOf({})],
    ...request,
  })
const told = ({ transcript }: RunResult): unknown =>
  transcript.find(({ role }) => role === 'tool')?.content
const never = (): Promise<never> => new Promise(() => undefined)

const thrown: [what: string, value: unknown, message: string][] = [
  ['nothing', undefined, 'undefined'],
  ['an object with a message', { code: 5, message: 'plain' }, 'plain'],
  ['an error without a message', Object.assign(new Error('x'), { message: undefined }), 'Error'],
  ['an object without a text', Object.create(null), 'something without a message was thrown'],
  [
    'an object whose message throws',
    Object.defineProperty({}, 'message', {
      get: () => {
        throw new Error('no')
      },
    }),
    'something without a message was thrown',
  ],
  ['half a character', new Error('\ud800'), '\ufffd'],
]

describe.each(thrown)('%s is thrown', (_, value, message) => {
  const fail = (): never => {
    throw value
  }
  test('what a tool, its check or authorize throws is an error that the model sees, and the run continues', async () => {
    const results = [
      await run({ tools: [toolOf({ execute: fail })] }),
      await run({ tools: [toolOf({ validate: fail })] }),
      await run({ authorize: fail }),
    ]
    for (const result of results) {
      expect(result).toMatchObject({ status: 'final', text: 'done' })
      expect(told(result)).toContain(message)
    }
  })
})

test.each([
  undefined,
  5,
  Symbol('x'),
  '',
  '\ud800',
  'x'.repeat(10_000),
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap')
      },
    },
  ),
])('a denial holds even if its reason is missing, too long or not a string', async (reason) => {
  const deny = (() => ({ effect: 'deny', reason })) as unknown as Authorize
  const refuse = (() => ({
    effect: 'require-approval',
    reason,
    ask: () => ({ approved: false, reason }),
  })) as unknown as Authorize
  for (const authorize of [deny, refuse]) {
    const result = await run({ authorize })
    expect(result.status).toBe('final')
    expect(told(result)).toMatch(/^Not allowed: [^\ud800]{1,2000}$/)
  }
})

test('a check that returns nothing refuses the arguments', async () => {
  const result = await run({ tools: [toolOf({ validate: () => undefined })] })
  expect(result.status).toBe('final')
  expect(told(result)).toContain('it was not executed')
})

test('a time limit that is not a number is treated as unset', async () => {
  expect(
    told(
      await run({
        tools: [toolOf({ execute: never, timeoutMs: NaN })],
        limits: { toolTimeoutMs: 5 },
      }),
    ),
  ).toContain('did not answer within 5 ms')
})

/** The clock of the budget. What never comes takes longer than there is. */
let now = 0
const tooLong = (): Promise<never> => {
  now = 1_000_000
  return never()
}
const outputSchema = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: tooLong,
    jsonSchema: { input: (): JsonObject => ({ type: 'object' }) },
  },
} as unknown as JsonObject
const waits: [what: string, request: Partial<InferRequest>, response?: string][] = [
  ['authorize', { authorize: tooLong }],
  ['an approval', { authorize: () => ({ effect: 'require-approval', ask: tooLong }) }],
  ['the tools of a step', { tools: tooLong }],
  [
    'a source of tools',
    { sources: [{ name: 's', apiHosts: [], tools: tooLong, close: () => Promise.resolve() }] },
  ],
  ['the check of an answer', { outputSchema, tools: [] }, '{"a":1}'],
]

test.each(waits)(
  '%s that never comes ends with the time of the budget, and with the signal',
  async (_, request, response) => {
    const ask = (more: Partial<InferRequest>): Promise<RunResult> =>
      response === undefined
        ? run({ ...request, ...more })
        : infer(createMock({ responses: [response] }), { query: 'go', ...request, ...more })
    now = 0
    const budget = new BudgetLedger({ maxRuntimeMs: 600_000 }, { now: () => now })
    expect(await ask({ limits: { budget } })).toMatchObject({
      status: 'budget',
      decision: { limit: 'maxRuntimeMs' },
    })
    expect(await ask({ signal: AbortSignal.timeout(20) })).toMatchObject({ status: 'cancelled' })
  },
)

test('observers that throw or reject are not called again, and break nothing', async () => {
  let told = 0
  const fail = (): unknown => {
    told++
    return Promise.reject(new Error('mine'))
  }
  const budget = new BudgetLedger({ maxSteps: 2, maxCalls: 2 }, { onDecision: fail })
  expect((await run({ limits: { budget }, observe: { onEvent: fail } })).status).toBe('final')
  expect(told).toBeGreaterThan(0)
})

test.each<[Partial<InferRequest>, string]>([
  [{ mode: 'jsn' as 'json' }, 'mode: unknown "jsn"; known: auto, native, json, text'],
  [{ limits: { maxSteps: 0 } }, 'limits.maxSteps must be a whole number of at least 1, not 0'],
  [
    { limits: { maxParseFailures: 101 } },
    'limits.maxParseFailures must be a whole number between 1 and 100, not 101',
  ],
  [{ options: { maxTokens: 0 } }, 'maxTokens must be a whole number'],
  [{ options: { seed: 1.5 } }, 'seed must be a whole number'],
])('%j is refused at once', async (request, message) => {
  await expect(run(request)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(message) as string,
  })
})

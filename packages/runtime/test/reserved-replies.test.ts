import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { BudgetLedger, type InferRequest, infer } from '../src/index.js'

const long = 'word '.repeat(20_000)
const profile = { prices: { input: 1, output: 10 } }

/** The `maxTokens` of the request of a run with one long reply, and how the run ended. */
async function ask(request: Partial<InferRequest>) {
  const provider = createMock({ responses: [long], chunkSize: 1000 })
  const { status } = await infer(provider, { query: 'Write.', ...request })
  return { status, maxTokens: provider.requests[0]?.options.maxTokens }
}

describe('the limit of a reply in a run', () => {
  test.each<[string, Partial<InferRequest>]>([
    ['no budget', {}],
    [
      'a budget of calls, steps and time',
      {
        limits: { budget: { maxCalls: 5, maxSteps: 5, maxToolCalls: 5, maxRuntimeMs: 60_000 } },
      },
    ],
    ['a budget of input tokens', { limits: { budget: { maxInputTokens: 100_000 } } }],
    ['a ledger without limits', { limits: { budget: new BudgetLedger({}) } }],
    ['a limit that is cleared', { options: { maxTokens: null } }],
  ])('%s sends none, and cuts no reply', async (_, request) => {
    expect(await ask(request)).toEqual({ status: 'final', maxTokens: undefined })
  })

  test.each<[string, number, Partial<InferRequest>]>([
    ['output tokens', 4096, { limits: { budget: { maxOutputTokens: 100_000 } } }],
    ['output tokens, of which fewer are left', 50, { limits: { budget: { maxOutputTokens: 50 } } }],
    ['money', 4096, { limits: { budget: { maxCost: 5 }, profile } }],
    [
      'money of a ledger above',
      4096,
      {
        limits: { budget: new BudgetLedger({ maxCost: 5 }).child(), profile },
      },
    ],
    [
      'output tokens, and more asked for',
      60_000,
      {
        options: { maxTokens: 60_000 },
        limits: { budget: { maxOutputTokens: 100_000 } },
      },
    ],
  ])('a budget of %s sends %i', async (_, maxTokens, request) => {
    expect(await ask(request)).toMatchObject({ maxTokens })
  })
})

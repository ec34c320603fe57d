import { type ChatMessage, estimateTokens, textOf } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import {
  BudgetLedger,
  defineTool,
  infer,
  messagesTokens,
  type RunBudget,
  type RunResult,
  type Tool,
} from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { randomBelow } from '../../../test/support/seed.js'
import { toolTokens } from '../src/history/message-tokens.js'

/** Waits between attempts are over at once; time-outs never come. */
const hurried = {
  now: () => performance.now(),
  random: () => 0,
  after: (ms: number, callback: () => void) => {
    const timer = ms < 30_000 ? setTimeout(callback, 0) : undefined
    return () => {
      clearTimeout(timer)
    }
  },
}

/** A server that does its worst, and what it really did. */
function adversary(random: (below: number) => number) {
  const truth = { calls: 0, inputTokens: 0, outputTokens: 0, toolCalls: 0, longestPiece: 0 }
  const respond: MockResponse = (turn) => {
    truth.calls++
    truth.inputTokens +=
      messagesTokens(turn.messages, estimateTokens) + toolTokens(turn.tools, estimateTokens)
    const fate = random(10)
    if (fate === 0) return { error: 'overloaded' }
    if (fate === 1) return { error: 'network' }
    const usage =
      [
        { inputTokens: 0, outputTokens: 0 },
        { inputTokens: 1, outputTokens: 1 },
        { inputTokens: 4000, outputTokens: 900 },
      ][random(3)] ?? {}
    if (fate < 6) {
      const call = () => ({ name: 'work', arguments: { n: random(1_000_000) } })
      const calls = Array.from({ length: 1 + random(3) }, call)
      // All at once: one piece.
      const tokens = calls.reduce(
        (sum, each) => sum + estimateTokens(JSON.stringify(each.arguments)),
        0,
      )
      truth.outputTokens += tokens
      truth.longestPiece = Math.max(truth.longestPiece, tokens)
      return { toolCalls: calls, usage }
    }
    return (async function* () {
      let text = ''
      const length = fate > 7 ? 600 : random(200)
      for (let at = 0; at < length; at++) {
        const before = estimateTokens(text)
        text += ` word${random(100)}`
        truth.outputTokens += estimateTokens(text) - before
        truth.longestPiece = Math.max(truth.longestPiece, estimateTokens(text) - before)
        yield { text: text.slice(text.lastIndexOf(' ')) }
      }
      yield { finish: 'stop' as const, usage }
    })()
  }
  const provider = createMock({ responses: [respond], chunkSize: 0, clock: hurried })
  return { provider, truth }
}

describe('budgets of runs', () => {
  test('100 schedules against a server that does its worst have no call, prompt or tool call too many, and of replies at most the delta that shows it', async () => {
    let refused = 0
    for (let seed = 0; seed < 100; seed++) {
      const random = randomBelow(seed)
      const { provider, truth } = adversary(random)
      const budget: RunBudget = {
        ...(random(2) && { maxCalls: random(8) }),
        ...(random(2) && { maxOutputTokens: 1 + random(600) }),
        ...(random(2) && { maxInputTokens: random(3000) }),
        ...(random(2) && { maxToolCalls: random(5) }),
      }
      const ledger = new BudgetLedger(budget)
      const toolsOf = (depth: number): Tool[] => [
        defineTool({
          name: 'work',
          description: 'Works',
          parameters: { type: 'object', properties: { n: { type: 'integer' } } },
          execute: async () => {
            truth.toolCalls++
            return depth > 0 && random(2) ? (await ask(depth - 1)).status : 'done'
          },
        }),
      ]
      const ask = (depth: number): Promise<RunResult> =>
        infer(provider, {
          query: 'Go.',
          limits: { maxSteps: 4, budget: ledger },
          tools: toolsOf(depth),
          options: { maxTokens: 1 + random(150) },
        })
      const results = await Promise.all([ask(1), ask(1)])
      refused += results.filter(({ status }) => status === 'budget').length
      expect(truth.calls).toBeLessThanOrEqual(budget.maxCalls ?? Infinity)
      expect(truth.inputTokens).toBeLessThanOrEqual(budget.maxInputTokens ?? Infinity)
      expect(truth.toolCalls).toBeLessThanOrEqual(budget.maxToolCalls ?? Infinity)
      expect(truth.outputTokens).toBeLessThanOrEqual(
        (budget.maxOutputTokens ?? Infinity) + truth.longestPiece * 2,
      )
      expect(ledger.spent.calls).toBeGreaterThanOrEqual(truth.calls)
    }
    expect(refused).toBeGreaterThan(60)
  })
})

describe('inventory 1B.5 and 1B.6: what never happens', () => {
  const long: ChatMessage[] = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: `turn ${index} `.repeat(20),
  }))

  test('metrics, manifests, profiles and observers never alter the request', async () => {
    const asked = async (extra: object) => {
      const provider = createMock({ responses: ['Hi'] })
      await infer(provider, { messages: long, query: 'Go.', ...extra })
      return JSON.stringify(
        provider.requests.map(({ messages, tools, options }) => ({
          messages,
          tools,
          maxTokens: options.maxTokens,
          system: options.system,
        })),
      )
    }
    const profile = { contextWindow: 100, prices: { input: 1, output: 1 } }
    expect(
      await asked({
        limits: { profile },
        observe: { onEvent: () => undefined, agentName: 'a' },
        durable: { runId: 'r' },
      }),
    ).toBe(await asked({}))
  })

  test('the model cannot call compaction, and it is automatic only if asked for', async () => {
    const provider = createMock({ responses: ['Hi'] })
    await infer(provider, {
      messages: long,
      query: 'Go.',
      limits: { profile: { contextWindow: 100 } },
    })
    expect(provider.requests[0]?.messages).toHaveLength(61)
    expect(provider.requests[0]?.tools).toEqual([])
    await infer(provider, {
      messages: long,
      query: 'Go.',
      limits: { profile: { contextWindow: 100 }, compaction: { threshold: 0.8, maxMessages: 10 } },
    })
    expect(provider.requests[1]?.messages).toHaveLength(10)
    expect(textOf(provider.requests[1]?.messages.at(-1)?.content ?? '')).toBe('Go.')
  })

  test('token counting: "" is 0, any other text at least 1, a value that is not a string counts as its JSON', () => {
    expect([estimateTokens(''), estimateTokens('a')]).toEqual([0, 1])
    const call = {
      id: 'c',
      name: 'look',
      arguments: { at: 'home' },
      argumentsText: '{"at":"home"}',
    }
    const plain = messagesTokens([{ role: 'assistant', content: '' }], estimateTokens)
    expect(
      messagesTokens([{ role: 'assistant', content: '', toolCalls: [call] }], estimateTokens) -
        plain,
    ).toBeGreaterThanOrEqual(estimateTokens(call.argumentsText))
  })
})

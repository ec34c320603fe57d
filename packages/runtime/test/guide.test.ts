// The code of docs/budgets.md and docs/history.md, word for word; the first test holds them together.
import { readFile } from 'node:fs/promises'
import { createMock } from '@modelport/provider-mock'
import {
  BudgetLedger,
  compact,
  ConversationHistory,
  createManifest,
  createSummarizer,
  defineTool,
  diffManifests,
  infer,
  type RunEvent,
} from '@modelport/runtime'
import { expect, test } from 'vitest'
import { withoutLayout } from '../../../test/support/same-code.js'

test.each([
  ['budgets', 2],
  ['history', 3],
])('every code block of docs/%s.md is in this file', async (name, count) => {
  const here = await readFile(new URL(import.meta.url), 'utf8')
  const guide = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
  const blocks = guide.match(/(?<=^```ts\n)[^]*?(?=^```$)/gm) ?? []
  expect(blocks).toHaveLength(count)
  for (const block of blocks) expect(withoutLayout(here)).toContain(withoutLayout(block))
})

test('a run with a budget', async () => {
  const provider = createMock({ responses: ['Hello'] })
  const events: RunEvent[] = []
  const result = await infer(provider, {
    query: 'Hi',
    budget: { maxCalls: 20, maxOutputTokens: 50_000, maxCost: 0.5 },
    profile: { inputCostPerMillion: 3, outputCostPerMillion: 15 },
    onEvent: (event) => events.push(event),
  })
  if (result.status === 'budget') console.log(result.decision) // { limit: 'maxCost', effect: 'deny', observed: …, maximum: 0.5 }
  expect(result.status).toBe('final')
})

test('one budget for several runs, and for those they start', async () => {
  const provider = createMock({ responses: ['Hello'] })
  const ledger = new BudgetLedger({ maxCalls: 3 })
  const ask = defineTool({
    name: 'ask',
    description: 'Asks a second model',
    parameters: { type: 'object', properties: {} },
    execute: async () => (await infer(provider, { query: 'Hi', budget: ledger.child({ maxCalls: 1 }) })).text,
  })
  await Promise.all([
    infer(provider, { query: 'Hi', budget: ledger, tools: [ask] }),
    infer(provider, { query: 'Hi', budget: ledger }),
  ])
  expect(ledger.spent.calls).toBe(2)
  expect(ledger.remaining().calls).toBe(1)
})

test('a history', () => {
  const history = new ConversationHistory('Be brief.')
  history.addUser('Hi')
  history.addAssistant('Hello!')
  history.setSystem('Be kind.')
  history.truncate(20)
  const restored = ConversationHistory.fromJson(JSON.parse(JSON.stringify(history)))
  expect(restored.toList()).toEqual(history.toList())
})

test('compaction', async () => {
  const provider = createMock({ responses: ['They greeted each other.'] })
  const history = new ConversationHistory('Be brief.')
  for (let turn = 0; turn < 10; turn++) {
    history.addUser('Hi')
    history.addAssistant('Hello!')
  }
  const report = await compact(
    history,
    { strategy: 'summary', preserveRecent: 6 },
    {
      estimate: (text) => provider.estimateTokens(text),
      summarize: createSummarizer(provider),
    },
  )
  expect(report).toMatchObject({
    beforeMessages: 21,
    afterMessages: 8,
    removedMessages: 14,
    summaryCreated: true,
    changed: true,
  })
})

test('what changed between two calls', () => {
  const provider = createMock({ responses: ['Hello'] })
  const manifest = (system: string) =>
    createManifest({
      runId: 'r',
      step: 1,
      provider,
      system,
      messages: [{ role: 'user', content: 'Hi' }],
      estimate: (text) => provider.estimateTokens(text),
    })
  const diff = diffManifests(manifest('It is 12:00.'), manifest('It is 12:01.'))
  expect(diff.firstChange).toMatchObject({ index: 0, change: 'changed', after: { kind: 'system' } })
  expect(diff.commonTokens).toBe(0)
})

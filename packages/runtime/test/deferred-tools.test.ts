import { type ChatMessage, textOf } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { defineTool, type InferRequest, infer, type Tool, type ToolSource } from '../src/index.js'
import { runWithCut, type World } from './cut-journal.js'
import { action, ended, run } from './weather-run.js'

const subjects = [
  'invoice',
  'contract',
  'employee',
  'vehicle',
  'parcel',
  'meeting',
  'server',
  'recipe',
]
const verbs = ['create', 'delete', 'list', 'update']
/** 32 tools, of which one lists invoices. */
const many: readonly Tool[] = subjects.flatMap((subject) =>
  verbs.map((verb) =>
    defineTool({
      name: `${verb}_${subject}`,
      description: `${verb[0]?.toUpperCase()}${verb.slice(1)}s one ${subject} or more`,
      parameters: { type: 'object', properties: { [`${subject}_id`]: { type: 'string' } } },
      deferred: true,
      execute: () => `${verb} ${subject}: done`,
    }),
  ),
)
const clock = defineTool({ name: 'clock', description: 'The time', execute: () => '12:00' })
const callOf = (name: string, args: object = {}) => ({
  toolCalls: [{ name, arguments: args as Record<string, unknown> }],
})
const writers = {
  native: (name: string, args: object): MockResponse => callOf(name, args),
  json: (name: string, args: object): MockResponse =>
    action({ type: 'tool_call', tool: name, args }),
  text: (name: string, args: object): MockResponse =>
    `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`,
}
const said = (messages: readonly ChatMessage[]): string =>
  messages.map(({ content }) => textOf(content)).join('\n')
const namesOf = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name)

describe('deferred tools', () => {
  test.each(['native', 'json', 'text'] as const)(
    'in %s mode the model finds a tool by words, and calls it',
    async (mode) => {
      const write = writers[mode]
      const last = mode === 'json' ? action({ type: 'final', content: 'Listed.' }) : 'Listed.'
      const responses = [
        write('find_tools', { query: 'invoices list' }),
        write('list_invoice', {}),
        last,
      ]
      const { provider, result } = await run(responses, { tools: [...many, clock], mode })
      expect(ended(result, 'final').text).toBe('Listed.')
      expect(said(result.transcript)).toContain('list invoice: done')
      if (mode === 'native') {
        expect(namesOf(provider.requests[0])).toEqual(['clock', 'find_tools'])
        expect(namesOf(provider.requests[1])?.slice(0, 3)).toEqual([
          'clock',
          'find_tools',
          'list_invoice',
        ])
        expect(namesOf(provider.requests[1])?.length).toBeLessThanOrEqual(7)
        expect(provider.requests[1]?.tools.some(({ deferred }) => deferred)).toBe(false)
      }
    },
  )

  test('the list of tools only grows at its end, so that what was sent before stays the same', async () => {
    const responses = ['vehicle', 'recipe', 'vehicle'].map((query) =>
      callOf('find_tools', { query }),
    )
    const { provider } = await run([...responses, 'Done.'], { tools: [...many, clock] })
    const lists = provider.requests.map(({ tools }) => tools.map((tool) => JSON.stringify(tool)))
    expect(lists[3]?.length).toBeGreaterThan(lists[1]?.length ?? 0)
    for (const [index, list] of lists.entries())
      if (index) expect(list.slice(0, lists[index - 1]?.length)).toEqual(lists[index - 1])
  })

  test('a tool that is called without being loaded is not executed: its schema is the answer, and then it is there', async () => {
    const { provider, result, of } = await run(
      [callOf('list_invoice'), callOf('list_invoice'), 'Listed.'],
      {
        tools: many,
      },
    )
    ended(result, 'final')
    expect(of('tool-error')[0]?.message).toContain(
      'The tool "list_invoice" was not loaded, so it was not executed.',
    )
    expect(of('tool-error')[0]?.message).toContain('"invoice_id"')
    expect(of('tool-result').map(({ result: value }) => value)).toEqual(['list invoice: done'])
    expect(namesOf(provider.requests[1])).toEqual(['find_tools', 'list_invoice'])
    const written = await run(
      [writers.json('list_invoice', {}), action({ type: 'final', content: 'x' })],
      {
        tools: many,
        mode: 'json',
      },
    )
    expect(written.of('tool-error')[0]?.message).toContain('was not loaded')
  })

  test('a policy that denies the call keeps its schema back', async () => {
    const { provider, result } = await run([callOf('list_invoice'), 'No.'], {
      tools: many,
      authorize: () => ({ effect: 'deny', reason: 'not yours' }),
    })
    expect(said(result.transcript)).toContain('Not allowed: not yours')
    expect(said(result.transcript)).not.toContain('invoice_id')
    expect(namesOf(provider.requests[1])).toEqual(['find_tools'])
  })

  test('the model reads that no tool fits its words, and the caller that a name is taken', async () => {
    const { of } = await run([callOf('find_tools', { query: 'zzzzzz' }), 'Done.'], { tools: many })
    expect(of('tool-result')[0]?.result).toBe('No tool fits these words: try others.')
    const taken = defineTool({ name: 'find_tools', description: 'Mine', execute: () => 1 })
    const { result } = await run(['Done.'], { tools: [...many, taken] })
    expect(ended(result, 'failed').error.message).toContain('two tools are named "find_tools"')
  })

  test('a deferred source hides all its tools', async () => {
    const source: ToolSource = {
      name: 's',
      apiHosts: [],
      deferred: true,
      tools: async () => [clock],
      close: async () => undefined,
    }
    const { provider } = await run([callOf('find_tools', { query: 'time' }), 'Done.'], {
      tools: [],
      sources: [source],
    })
    expect(provider.requests.map(namesOf)).toEqual([['find_tools'], ['find_tools', 'clock']])
  })

  test('the search of a vendor finds them itself', async () => {
    const options = {
      providerTools: [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }],
    }
    const { provider } = await run(['Done.'], { tools: [clock, ...many.slice(0, 2)], options })
    expect(provider.requests[0]?.tools.map(({ name, deferred }) => [name, deferred])).toEqual([
      ['clock', undefined],
      ['create_invoice', true],
      ['delete_invoice', true],
    ])
  })

  test('a compaction that removes the search keeps what it found', async () => {
    const compaction = { threshold: 0.1, strategy: 'recent', maxMessages: 2 } as const
    const { provider, of } = await run(
      [
        callOf('find_tools', { query: 'invoices' }),
        callOf('list_invoice'),
        callOf('clock'),
        'Done.',
      ],
      {
        tools: [...many, clock],
        limits: { compaction, profile: { contextWindow: 1000 } },
      },
    )
    expect(of('context-compacted').length).toBeGreaterThan(0)
    expect(said(provider.requests.at(-1)?.messages ?? [])).not.toContain('These tools')
    expect(namesOf(provider.requests.at(-1))).toEqual(namesOf(provider.requests[1]))
  })

  test.each(['native', 'json'] as const)(
    'a run in %s mode that is cut anywhere finds the same and has the same effects',
    async (mode) => {
      const write = writers[mode]
      const scenario = {
        reply: (messages: readonly ChatMessage[]) => {
          const text = said(messages)
          if (!text.includes('These tools'))
            return write('find_tools', { query: 'invoice' }) as string
          if (!text.includes('was done')) return write('list_invoice', {}) as string
          return mode === 'json' ? action({ type: 'final', content: 'Listed.' }) : 'Listed.'
        },
        request: (world: World): InferRequest => ({
          query: 'List them',
          mode,
          tools: many.map((tool) => ({
            ...tool,
            execute: (_, { run: { idempotencyKey } }) => world.happen(idempotencyKey, 'was done'),
          })),
        }),
      }
      const whole = await runWithCut(scenario, { at: Infinity, stores: true })
      expect(whole.result.text).toBe('Listed.')
      for (let at = 1; ; at++) {
        const cut = await runWithCut(scenario, { at, stores: at % 2 === 0 })
        expect(cut.result.transcript).toEqual(whole.result.transcript)
        expect([...cut.world.effects.values()]).toEqual([1])
        if (!cut.isCut) break
      }
    },
  )

  test('a tool that is not deferred costs no search', async () => {
    const { provider } = await run(['Done.'], { tools: [clock] })
    expect(namesOf(provider.requests[0])).toEqual(['clock'])
    await expect(
      infer(createMock({ responses: ['x'] }), { query: 'x', tools: [clock] }),
    ).resolves.toMatchObject({
      status: 'final',
    })
  })
})

import { type ChatMessage, textOf } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  type Tool,
} from '../src/index.js'
import { runWithCut, type World } from './cut-journal.js'
import { action, ended, run } from './weather-run.js'

/** A page of 5,000 characters, with one thing worth finding. */
const pageOf = (name: string): string =>
  `${name} `.padEnd(4000, 'ab ') + 'needle '.padEnd(1000, 'cd ')
const open = defineTool({
  name: 'open',
  description: 'Opens a page',
  parameters: { type: 'object', properties: { name: { type: 'string' } } },
  execute: ({ name }: { name?: unknown }) => pageOf(String(name)),
})
const limits = { maxResultLength: 1500, maxSteps: 30 }
const callOf = (name: string, args: object) => ({
  toolCalls: [{ name, arguments: args as Record<string, unknown> }],
})
const textsOf = (messages: readonly ChatMessage[] | undefined): string =>
  (messages ?? []).map(({ content }) => textOf(content)).join('\n')
const handleIn = (text: string): string =>
  /read_result with the id \\?"([0-9a-f]{8})/.exec(text)?.[1] ?? ''

const writers = {
  native: (name: string, args: object): string | MockTurn => callOf(name, args),
  json: (name: string, args: object): string | MockTurn =>
    action({ type: 'tool_call', tool: name, args }),
  text: (name: string, args: object): string | MockTurn =>
    `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`,
}

describe('limits.maxResultLength', () => {
  test.each(['native', 'json', 'text'] as const)(
    'in %s mode the model reads the beginning of a long result, its size, and the rest of it by its handle',
    async (mode) => {
      const write = writers[mode]
      const provider = createMock({
        defaultResponse: ({ messages }) => {
          const text = textsOf(messages)
          const id = handleIn(text)
          if (!id) return write('open', { name: 'a' })
          if (!text.includes('[offset ')) return write('read_result', { id, search: 'NEEDLE' })
          if (!text.includes('characters 4000 to'))
            return write('read_result', { id, offset: 4000 })
          return mode === 'json' ? action({ type: 'final', content: 'Found.' }) : 'Found.'
        },
      })
      const result = await infer(provider, { query: 'Find it', tools: [open], mode, limits })
      expect(ended(result, 'final').text).toBe('Found.')
      expect(result.steps).toBe(4)
      const sent = textsOf(provider.requests.at(-1)?.messages)
      expect(sent).toContain('1500 of 5000 characters are shown')
      expect(sent).toContain('[offset 4000] ')
      expect(sent).toContain('needle cd')
      expect(sent).toContain('characters 4000 to 5000 of 5000')
      expect(sent.length).toBeLessThan(5000)
      // The transcript has it whole.
      expect(textsOf(result.transcript)).toContain(pageOf('a'))
    },
  )

  test('each prompt begins with the one before, byte for byte', async () => {
    const responses = ['a', 'b', 'c'].map((name) => callOf('open', { name }))
    const { provider } = await run([...responses, 'Done.'], { tools: [open], limits })
    const prompts = provider.requests.map(({ messages, tools }) =>
      JSON.stringify([tools, messages]).slice(0, -2),
    )
    for (const [index, prompt] of prompts.entries())
      if (index) expect(prompt.startsWith(prompts[index - 1] ?? '')).toBe(true)
  })

  test('the older five of ten long results are sent as handles, but never one that is not answered yet', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `page${index}`)
    const { provider, result } = await run(
      [...names.map((name) => callOf('open', { name })), 'Done.'],
      {
        tools: [open],
        limits,
      },
    )
    const shownAt = (at: number) =>
      names.filter((name) => textsOf(provider.requests[at]?.messages).includes(`${name} ab`))
    expect(shownAt(10)).toHaveLength(10)
    expect(shownAt(11)).toEqual(names.slice(5, 11))
    expect(shownAt(12)).toEqual(names.slice(5))
    expect(textsOf(provider.requests[12]?.messages)).toContain(
      '[0 of 5000 characters are shown; read_result',
    )
    expect(textsOf(result.transcript)).toContain(pageOf('page0'))
    const all = await run(
      [{ toolCalls: names.map((name) => ({ name: 'open', arguments: { name } })) }, 'Done.'],
      {
        tools: [open],
        limits,
      },
    )
    expect(
      names.filter((name) => textsOf(all.provider.requests[1]?.messages).includes(`${name} ab`)),
    ).toEqual(names)
  })

  test('the model reads that no result has its handle, and the caller that a name is taken', async () => {
    const { of } = await run([callOf('read_result', { id: '00000000' }), 'Done.'], {
      tools: [open],
      limits,
    })
    expect(of('tool-error')[0]?.message).toBe('there is no long result with the id "00000000"')
    const taken: Tool = { ...open, definition: { ...open.definition, name: 'read_result' } }
    const { result } = await run(['Done.'], { tools: [taken], limits })
    expect(ended(result, 'failed').error.message).toContain('two tools are named "read_result"')
    await expect(
      infer(createMock({ responses: ['x'] }), { query: 'x', limits: { maxResultLength: 10 } }),
    ).rejects.toThrow('limits.maxResultLength must be a whole number of at least 1000, not 10')
  })

  test('what is read is never longer than a result that is shown whole', async () => {
    const many = defineTool({
      name: 'open',
      description: 'Opens',
      execute: () => 'needle '.repeat(3000),
    })
    let id = ''
    const provider = createMock({
      defaultResponse: ({ messages }) => {
        id ||= handleIn(textsOf(messages))
        if (!id) return callOf('open', {})
        const tools = messages.filter(({ role }) => role === 'tool').length
        if (tools === 1) return callOf('read_result', { id, search: 'needle' })
        return tools === 2 ? callOf('read_result', { id, offset: 100 }) : 'Done.'
      },
    })
    const result = await infer(provider, { query: 'x', tools: [many], limits })
    const [, searched = '', read = ''] = result.transcript.flatMap((one) =>
      one.role === 'tool' ? [textOf(one.content)] : [],
    )
    expect(searched.length).toBeLessThanOrEqual(1500)
    expect(searched).toContain('more follow; search on from offset')
    expect(read.length).toBeLessThanOrEqual(1500)
    expect(read).toContain('[characters 100 to 1400 of 21000]')
  })

  test('a compaction counts what is sent, and keeps the results of the messages that stay whole', async () => {
    const responses = ['a', 'b'].map((name) => callOf('open', { name }))
    const compaction = {
      threshold: 0.9,
      strategy: 'tokens',
      maxTokens: 600,
      preserveRecent: 2,
    } as const
    const request = {
      tools: [open],
      limits: { ...limits, compaction, profile: { contextWindow: 1500 } },
    }
    const { result, of } = await run([...responses, 'Done.'], request)
    ended(result, 'final')
    expect(of('context-compacted')).toHaveLength(0)
    const tight = await run([...responses, 'Done.'], {
      tools: [open],
      limits: { ...limits, compaction, profile: { contextWindow: 900 } },
    })
    expect(tight.of('context-compacted').length).toBeGreaterThan(0)
    expect(textsOf(tight.result.transcript)).toContain(pageOf('b'))
  })

  test('without the limit nothing is offered and nothing is cut, and a stored run has the fingerprint that it had', async () => {
    const journal = createMemoryJournal()
    const { provider } = await run([callOf('open', { name: 'a' }), 'Done.'], {
      tools: [open],
      durable: { journal, runId: 'r' },
    })
    expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['open'])
    expect(textsOf(provider.requests[1]?.messages)).toContain(pageOf('a'))
    expect(Object.keys(journal.load('r')?.resume.fingerprint.limits ?? {})).not.toContain(
      'maxResultLength',
    )
  })

  test.each(['native', 'json'] as const)(
    'a run in %s mode that is cut anywhere reads the same and has the same effects',
    async (mode) => {
      const write = writers[mode]
      const scenario = {
        reply: (messages: readonly ChatMessage[]) => {
          const text = textsOf(messages)
          const id = handleIn(text)
          if (!id) return write('open', { name: 'a' }) as string
          if (!text.includes('[offset '))
            return write('read_result', { id, search: 'needle' }) as string
          return mode === 'json' ? action({ type: 'final', content: 'Found.' }) : 'Found.'
        },
        request: (world: World): InferRequest => ({
          query: 'Find it',
          mode,
          limits,
          tools: [
            {
              ...open,
              execute: (value, { run }) =>
                world.happen(run.idempotencyKey, pageOf(String((value as { name: unknown }).name))),
            },
          ],
        }),
      }
      const whole = await runWithCut(scenario, { at: Infinity, stores: true })
      expect(whole.result.text).toBe('Found.')
      for (let at = 1; ; at++) {
        const cut = await runWithCut(scenario, { at, stores: at % 2 === 0 })
        expect(cut.result.transcript).toEqual(whole.result.transcript)
        expect([...cut.world.effects.values()]).toEqual([1])
        if (!cut.isCut) break
      }
    },
  )
})

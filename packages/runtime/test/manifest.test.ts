import type { ChatMessage, Provider, ToolDefinition } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import type { ManifestRequest } from '../src/history/manifest.js'
import { createManifest, diffManifests, infer } from '../src/index.js'

/** One token a character, and no more: the frame of 4 a message is asked for by its length. */
const estimate = (text: string) => text.length
const sized = (tokens: number) => 'x'.repeat(tokens - 8)
const base: ManifestRequest = {
  runId: 'run_123',
  step: 1,
  provider: { name: 'p', model: 'm' },
  messages: [],
  estimate,
}
const messages: readonly ChatMessage[] = [
  { role: 'user', content: 'How is Oslo?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c', name: 'look', arguments: { a: 1 }, argumentsText: '{"a":1}' }],
    origin: { provider: 'p', model: 'm' },
  },
  { role: 'tool', toolCallId: 'c', toolName: 'look', content: 'cold' },
]
const tool = (name: string): ToolDefinition => ({
  name,
  description: 'd',
  parameters: { type: 'object', properties: { a: {}, b: {} } },
})

describe('inventory 1B.5 and 5.9: manifest arithmetic', () => {
  test('900 system, 300 tool prompt, 2200 history, 120 user of 128000: 3520 and 2.75 %', () => {
    const query = sized(120)
    const manifest = createManifest({
      ...base,
      agentName: 'researcher',
      system: sized(1200),
      toolPrompt: 'x'.repeat(300),
      query,
      profile: { contextWindow: 128_000 },
      messages: [
        { role: 'user', content: sized(1000) },
        { role: 'assistant', content: sized(1200) },
        { role: 'user', content: query },
      ],
    })
    expect(manifest).toMatchObject({
      runId: 'run_123',
      step: 1,
      agentName: 'researcher',
      provider: 'p',
      model: 'm',
      systemTokens: 900,
      toolPromptTokens: 300,
      historyTokens: 2200,
      userTokens: 120,
      totalEstimatedTokens: 3520,
      contextWindow: 128_000,
      usedPercent: 2.75,
    })
  })

  test('system = max(raw system - tool prompt, 0)', () => {
    expect(createManifest({ ...base, system: 'short', toolPrompt: 'x'.repeat(300) })).toMatchObject(
      {
        systemTokens: 0,
        toolPromptTokens: 300,
      },
    )
  })

  test('native tools count as tool prompt, system messages of the history as system', () => {
    const manifest = createManifest({
      ...base,
      system: sized(10),
      tools: [tool('look')],
      messages: [{ role: 'system', content: sized(20) }],
    })
    expect(manifest).toMatchObject({
      systemTokens: 30,
      toolPromptTokens: JSON.stringify(tool('look')).length,
      historyTokens: 0,
      userTokens: 0,
    })
    expect(manifest).not.toHaveProperty('contextWindow')
    expect(manifest).not.toHaveProperty('usedPercent')
  })

  test('only the newest user message equal to the query is the user part', () => {
    const asked = (query: string, ...contents: string[]) =>
      createManifest({
        ...base,
        query,
        messages: contents.map((content) => ({ role: 'user', content })),
      })
    expect(asked('a', 'a', 'a')).toMatchObject({ userTokens: 9, historyTokens: 9 })
    expect(asked('a', 'a', 'b')).toMatchObject({ userTokens: 0, historyTokens: 18 })
  })

  test('the request is left as it is', () => {
    const frozen = Object.freeze(messages.map((message) => Object.freeze(message)))
    expect(() => createManifest({ ...base, messages: frozen })).not.toThrow()
  })
})

describe('blocks', () => {
  test('blocks stand in the order tools, system, messages, each with origin, name, tokens and hash', () => {
    const { blocks, totalEstimatedTokens } = createManifest({
      ...base,
      system: 'S',
      tools: [tool('look')],
      messages,
      query: 'How is Oslo?',
    })
    expect(
      blocks.map(({ index, kind, origin, name, cached }) => [index, kind, origin, name, cached]),
    ).toEqual([
      [0, 'tool', 'tools', 'look', false],
      [1, 'system', 'system', undefined, false],
      [2, 'user', 'query', undefined, false],
      [3, 'assistant', 'history', 'p/m', false],
      [4, 'tool-result', 'history', 'look', false],
    ])
    expect(blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(totalEstimatedTokens)
    for (const { hash } of blocks) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(blocks.map(({ hash }) => hash)).size).toBe(5)
  })

  test('a block is cached while it and all before it are as before', () => {
    const previous = createManifest({ ...base, system: 'S', messages })
    const next = createManifest({
      ...base,
      step: 2,
      system: 'S',
      messages: [...messages, { role: 'assistant', content: 'Cold.' }],
      previous,
    })
    expect(next.blocks.map(({ cached }) => cached)).toEqual([true, true, true, true, false])
    expect(next.cachedTokens).toBe(previous.totalEstimatedTokens)
    const broken = createManifest({ ...base, system: 'T', messages, previous })
    expect(broken.cachedTokens).toBe(0)
  })

  test("the hash is of what is sent: not of the order of a message's fields, but of the order of keys in a schema", () => {
    const hashOf = (change: Partial<ManifestRequest>) =>
      createManifest({ ...base, ...change }).blocks[0]?.hash
    expect(hashOf({ messages: [{ content: 'x', role: 'user' }] })).toBe(
      hashOf({ messages: [{ role: 'user', content: 'x' }] }),
    )
    const turned = { ...tool('look'), parameters: { type: 'object', properties: { b: {}, a: {} } } }
    expect(hashOf({ tools: [turned] })).not.toBe(hashOf({ tools: [tool('look')] }))
    // The standard gives the SHA-256 of the JSON text ["user","abc",null].
    expect(hashOf({ messages: [{ role: 'user', content: 'abc' }] })).toBe(
      'c7ff3c3955dbba5e0c69c624aa8a013377d6b6c390c512d1f1d64ffbb978c871',
    )
  })
})

describe('diffManifests', () => {
  const before = createManifest({ ...base, tools: [tool('a'), tool('b')], system: 'S', messages })
  const diffWith = (change: Partial<ManifestRequest>) => {
    const unchanged = { ...base, tools: [tool('a'), tool('b')], system: 'S', messages }
    return diffManifests(before, createManifest({ ...unchanged, ...change }))
  }

  test('diffManifests names the first block that changed and what is still shared', () => {
    expect(diffWith({})).toEqual({
      identical: true,
      commonBlocks: 6,
      commonTokens: before.totalEstimatedTokens,
      newTokens: 0,
    })

    const diff = diffWith({ tools: [tool('a'), tool('c')] })

    expect(diff).toMatchObject({
      identical: false,
      firstChange: { index: 1, change: 'changed', before: { name: 'b' }, after: { name: 'c' } },
      commonBlocks: 1,
    })
    expect(diff.commonTokens).toBe(before.blocks[0]?.tokens)
    expect(diff.commonTokens + diff.newTokens).toBe(before.totalEstimatedTokens)
  })

  test('diffManifests says what was added or removed at the end', () => {
    const longer = diffWith({ messages: [...messages, { role: 'user', content: '!' }] })
    expect(longer.firstChange).toMatchObject({
      index: 6,
      change: 'added',
      after: { kind: 'user' },
    })

    const shorter = diffWith({ messages: messages.slice(0, 2) })
    expect(shorter.firstChange).toMatchObject({
      index: 5,
      change: 'removed',
      before: { kind: 'tool-result' },
    })
  })

  test('diffManifests shows that a time in the system prompt costs everything after it', () => {
    expect(diffWith({ system: 'S at 12:00' }).firstChange).toMatchObject({
      index: 2,
      change: 'changed',
      after: { kind: 'system' },
    })
  })
})

describe('what is known of a prompt', () => {
  test('what is known of a prompt is remembered from run to run: instructions and messages that stay the same are counted once', async () => {
    const counted: string[] = []
    const counting: Provider = {
      ...createMock({ responses: ['One.', 'Two.'] }),
      estimateTokens: (text) => {
        counted.push(text)
        return text.length
      },
    }
    const request = {
      system: 'Be brief, twice.',
      messages: [{ role: 'user', content: 'Say it, twice.' }],
    } as const
    for (let run = 0; run < 2; run++)
      expect(
        await infer(counting, { ...request, observe: { onEvent: () => undefined } }),
      ).toMatchObject({
        status: 'final',
      })
    expect(counted.filter((text) => text === 'Say it, twice.')).toHaveLength(1)
    expect(counted.filter((text) => text === 'Be brief, twice.')).toHaveLength(1)
  })
})

test('a message or a tool whose field was replaced is counted and hashed again', () => {
  const message = { role: 'assistant' as const, content: 'Cold.', reasoning: 'Hm.' }
  const look = { name: 'look', description: 'd', strict: false }
  const blocksNow = () => createManifest({ ...base, messages: [message], tools: [look] }).blocks
  const [toolBefore, messageBefore] = blocksNow()
  expect(blocksNow()).toEqual([toolBefore, messageBefore])
  message.reasoning = 'Hm, hm.'
  look.strict = true
  const [toolAfter, messageAfter] = blocksNow()
  expect(messageAfter?.tokens).toBe(Number(messageBefore?.tokens) + 4)
  expect(messageAfter?.hash).not.toBe(messageBefore?.hash)
  expect(toolAfter?.hash).not.toBe(toolBefore?.hash)
})

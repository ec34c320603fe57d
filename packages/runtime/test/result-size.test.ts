import { type Content, type ContentPart, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { createMemoryJournal, defineTool, infer } from '@modelport/runtime'
import { expect, test } from 'vitest'

const most = 4_000_000

/** What a run makes of a result of a tool, and what its journal has of it. */
async function resultOf(value: string | readonly ContentPart[], isStored: boolean) {
  const journal = createMemoryJournal()
  const big = defineTool({ name: 'big', description: 'Gives much', execute: () => value })
  const result = await infer(
    createMock({ responses: [{ toolCalls: [{ name: 'big' }] }, 'Done.'] }),
    {
      query: 'Much, please',
      tools: [big],
      durable: { runId: 'r1', ...(isStored && { journal }) },
    },
  )
  const message = result.transcript.find(({ role }) => role === 'tool')
  return { content: message?.content as Content, stored: JSON.stringify(journal.entries('r1')) }
}

test('J19: a result of 20 MB is cut before it is recorded, and says so', async () => {
  const { content, stored } = await resultOf('x'.repeat(20_000_000), true)
  expect(textOf(content)).toHaveLength(most + 84)
  expect(textOf(content).slice(most)).toBe(
    '\n[cut: the result has 20000000 characters, and a stored run records 4000000 of them]',
  )
  expect(stored.length).toBeLessThan(2 * most)
})

test('a part that is too large is left out of a recorded result, the others stay', async () => {
  const image = (length: number): ContentPart => ({
    type: 'image',
    source: { type: 'base64', mediaType: 'image/png', data: 'A'.repeat(length) },
  })
  const parts = [image(most + 4), { type: 'text', text: 'a map' }] as const
  const { content } = await resultOf(parts, true)
  expect(content).toEqual([
    { type: 'text', text: 'a map' },
    { type: 'text', text: expect.stringContaining('[cut: the result has 4000009') as string },
  ])
  const { content: small } = await resultOf([image(8), { type: 'text', text: 'a map' }], true)
  expect(small).toHaveLength(2)
})

test('a run that nothing stores keeps a result whole', async () => {
  const { content } = await resultOf('x'.repeat(5_000_000), false)
  expect(content).toHaveLength(5_000_000)
})

import { createAgent } from '@modelport/agent'
import { fromProtolinkTask } from '@modelport/compat'
import { isLlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { parseAction, streamObject } from '@modelport/runtime'
import { fromUiMessages } from '@modelport/runtime/ui'
import { createAgentServer } from '@modelport/serve'
import { expect, test } from 'vitest'
import { toFormBody } from '../../packages/driver/src/exchange/form-body.js'
import { randomBelow, seed } from '../support/seed.js'
import { count, tries } from './outcome.js'

/** Pieces that readers look for: each alone, again and again, and all of them in an order of the seed. */
const pieces = [
  '{',
  '[',
  '"',
  '\\',
  '{"a":',
  '[1,',
  '```json\n',
  '<tool_call>',
  '--modelport-form-1',
  ' ',
  '\n',
  '{{',
  'x',
]
const shapeOf = (piece: string | undefined, size: number): string => {
  if (piece !== undefined) return piece.repeat(size / piece.length)
  const below = randomBelow(seed + 7)
  let text = ''
  while (text.length < size) text += pieces[below(pieces.length)] ?? ''
  return text
}

const server = createAgentServer([createAgent({ card: { name: 'host', description: 'Talks' }, handler: () => 'done' })])
const schema = { type: 'object', properties: { a: { type: 'string' } } }

/** What reads a text of somebody else. A typed refusal is as good as a value. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the JSON action of a model': (text) => parseAction(text),
  'an object while it is written': async (text) => {
    const step = Math.ceil(text.length / 200)
    const chunks = Array.from({ length: 200 }, (_, at) => text.slice(at * step, (at + 1) * step))
    const provider = createMock({ responses: [{ text: chunks }] })
    for await (const _ of await streamObject(provider, { schema, prompt: 'x' }));
  },
  'messages of a browser': (text) => fromUiMessages([{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }]),
  'a task of Protolink': (text) =>
    fromProtolinkTask({ id: 't', messages: [{ role: 'user', parts: [{ type: 'text', content: text }] }] }),
  'a form with an upload': (text) => toFormBody([['prompt', text]]),
  'a request to an agent': (text) =>
    server.fetch(
      new Request('http://127.0.0.1/', { method: 'POST', body: text, headers: { 'content-type': 'application/json' } }),
    ),
}

/** CPU time in milliseconds, the least of three; the clock of the wall would measure the other programs. */
async function workOf(read: (text: string) => unknown, text: string): Promise<number> {
  let least = Infinity
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    try {
      await read(text)
    } catch (error) {
      if (!isLlmError(error) && !(error instanceof Error && error.name.endsWith('Error'))) throw error
    }
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test.each(Object.entries(readers))('work on %s grows no faster than its length', async (_name, read) => {
  const size = tries(1 << 14, 1 << 17)
  for (const piece of [...pieces, undefined]) {
    const work: number[] = []
    for (const length of [size, 4 * size]) work.push(await workOf(read, shapeOf(piece, length)))
    const [small = 0, large = 0] = work
    // Four times the length: a quadratic step would take sixteen times the work. What is over at once is not compared.
    expect(large, `${JSON.stringify(piece)}: ${work.join(', ')}`).toBeLessThan(Math.max(10 * small, 100))
    count(1)
  }
})

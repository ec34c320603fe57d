import { createAgent } from '@modelport/agent'
import { fromProtolinkTask } from '@modelport/compat'
import { createMock, parseCassette } from '@modelport/provider-mock'
import { compileJsonSchema, infer } from '@modelport/runtime'
import { fromUiMessages } from '@modelport/runtime/ui'
import { createAgentServer } from '@modelport/serve'
import { expect, test } from 'vitest'
import { attackTimeout, count, tries } from './outcome.js'
import { readers } from './readers.js'

const levels = tries(20_000, 100_000)
const lists = '['.repeat(levels) + ']'.repeat(levels)
const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const value: unknown = JSON.parse(objects)

/** Texts whose nesting a parser that calls itself would follow. */
const texts: Readonly<Record<string, string>> = {
  lists,
  objects,
  'lists without an end': '['.repeat(levels),
  'objects without an end': '{"a":'.repeat(levels),
  'an event': `data: ${objects}\n\n`,
  'a fence': `\`\`\`json\n${lists}\n\`\`\``,
  'a call': `{"type":"tool_call","tool":"t","args":${objects}}`,
  tags: '<a>'.repeat(levels),
  dashes: '- '.repeat(levels),
}

const agent = createAgent({ card: { name: 'host', description: 'Talks' }, handler: () => 'done' })
const server = createAgentServer([agent])
const send = (part: string, version: string): Promise<Response> =>
  server.fetch(
    new Request('http://127.0.0.1/message:send', {
      method: 'POST',
      body: `{"message":{"messageId":"m","role":"ROLE_USER","parts":[${part}]}}`,
      headers: { 'content-type': 'application/a2a+json', 'a2a-version': version },
    }),
  )
const part = {
  type: 'tool-look',
  toolCallId: 'c',
  state: 'output-available',
  input: value,
  output: value,
}
const call = { id: 'c', name: 'look', arguments: {}, argumentsText: '{}' }
const transcript = [{ role: 'assistant' as const, content: '', toolCalls: [call] }]
const request = { method: 'POST', url: 'https://a.example/', headers: {}, body: value }

/** Doors that take values, which somebody else has parsed. */
const doors: Readonly<Record<string, () => unknown>> = {
  'a call of a browser': () =>
    fromUiMessages([{ role: 'assistant', parts: [part] }], { transcript }),
  'a task of Protolink': () =>
    fromProtolinkTask({
      id: 't',
      messages: [{ role: 'user', parts: [{ type: 'json', content: value }] }],
    }),
  'a cassette': () =>
    parseCassette({ version: 1, exchanges: [{ request, response: { error: { message: '' } } }] }),
  'a schema of an MCP tool': () => compileJsonSchema({ const: value }, { untrusted: true })(value),
  'a value for a schema': () =>
    compileJsonSchema({ type: 'array', uniqueItems: true })([value, value]),
  'data for an agent': () => send(`{"data":${objects}}`, '1.0'),
  'metadata for an agent': () => send(`{"text":"x","metadata":${objects}}`, '1.0'),
  'a run that is asked for it': () =>
    infer(createMock({ responses: [`{"type":"final","content":${objects}}`] }), {
      query: 'x',
      mode: 'json',
    }),
}

/** What is wrong with how a reader ended: an error without a type, or a server's own failure. */
async function problemOf(read: () => unknown): Promise<string | undefined> {
  count(1)
  try {
    const result = await read()
    return result instanceof Response && result.status >= 500
      ? `status ${result.status}`
      : undefined
  } catch (error) {
    const { name, message } = error as Error
    return /^(Range|Type|Internal)?Error$/.test(name) || /stack/i.test(message)
      ? `${name}: ${message}`
      : undefined
  }
}

test.each(Object.entries(readers))(
  'nesting of any depth gives a typed error or a value in the reader of %s',
  { timeout: attackTimeout },
  async (_name, read) => {
    for (const [shape, text] of Object.entries(texts))
      expect(await problemOf(() => read(text)), shape).toBeUndefined()
  },
)

test.each(Object.entries(doors))(
  'nesting of any depth gives a typed error or a value at the door for %s',
  { timeout: attackTimeout },
  async (_name, read) => {
    expect(await problemOf(read)).toBeUndefined()
  },
)

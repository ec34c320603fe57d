import { createAgent } from '@modelport/agent'
import { fromProtolinkTask } from '@modelport/compat'
import { choice, json, tags, text } from '@modelport/dialog'
import { parseConfig } from '@modelport/factory'
import { createMock, parseCassette } from '@modelport/provider-mock'
import { compileJsonSchema, infer, parseAction, streamObject } from '@modelport/runtime'
import { fromResponse, fromUiMessages } from '@modelport/runtime/ui'
import { a2a, chatCompletions, createAgentClient, createAgentServer } from '@modelport/serve'
import { toTerminalText } from '../../packages/cli/src/terminal/terminal-text.js'
import { parsePromptFile } from '../../packages/dialog/src/prompt/prompt-file.js'
import { LineBuffer } from '../../packages/mcp/src/line-buffer.js'
import { dialects } from './dialects.js'

/** In 200 parts, as networks and models send it. */
function inParts(all: string): readonly string[] {
  const step = Math.ceil(all.length / 200)
  return Array.from({ length: 200 }, (_, at) => all.slice(at * step, (at + 1) * step))
}
const streamOf = (all: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of inParts(all)) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

const agent = createAgent({ card: { name: 'host', description: 'Talks' }, handler: () => 'done' })
const server = createAgentServer([agent], { wires: [a2a(), chatCompletions()] })
const ask = (path: string, body: string, type = 'application/json') =>
  server.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    }),
  )
const clientOf = (body: string, type: string) =>
  createAgentClient('http://127.0.0.1:1', {
    fetch: () =>
      Promise.resolve(new Response(streamOf(body), { headers: { 'content-type': type } })),
  })
const schema = { type: 'object', properties: { a: { type: 'string' } } }
const parsers = [text(), json(schema), choice(['yes', 'no']), tags({ xml: { a: text() } })]

/** The APIs of the vendors, each with a stream of nothing but the text. */
const streams = Object.fromEntries(
  dialects.map(({ name, type, create }) => [
    `a stream of ${name}`,
    async (all: string) => {
      const fetch = () =>
        Promise.resolve(new Response(streamOf(all), { headers: { 'content-type': type } }))
      const reader = await create('http://127.0.0.1:1', 'sk-0123456789abcdef', fetch).stream('Hi', {
        retry: { attempts: 1 },
      })
      for await (const _ of reader);
    },
  ]),
)

/**
 * What reads a text of somebody else, as far as it reads it. A typed refusal is as good as a value.
 */
export const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...streams,
  'the JSON action of a model': (all) => parseAction(all),
  'an object while it is written': async (all) => {
    const provider = createMock({ responses: [{ text: [...inParts(all)] }] })
    for await (const _ of await streamObject(provider, { schema, prompt: 'x' }));
  },
  'a reply with partial values': async (all) => {
    const provider = createMock({ responses: [{ text: [...inParts(all)] }] })
    await infer(provider, { query: 'x', outputSchema: schema, limits: { maxSteps: 1 } })
  },
  'a reply of a dialog': (all) => Promise.allSettled(parsers.map(async (one) => one.read(all, {}))),
  'messages of a browser': (all) =>
    fromUiMessages([{ id: 'm', role: 'user', parts: [{ type: 'text', text: all }] }]),
  'a file of a browser': (all) =>
    fromUiMessages([
      { role: 'user', parts: [{ type: 'file', url: `data:image/png;base64,${all}` }] },
    ]),
  'events of a server': async (all) => {
    const headers = { 'content-type': 'text/event-stream' }
    for await (const _ of fromResponse(new Response(streamOf(all), { headers })));
  },
  'a task of Protolink': (all) =>
    fromProtolinkTask({
      id: 't',
      messages: [{ role: 'user', parts: [{ type: 'text', content: all }] }],
    }),
  'a request to an agent': (all) => ask('/', all),
  'a message to an agent': (all) =>
    ask(
      '/message:send',
      JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: all }] } }),
      'application/a2a+json',
    ),
  'a request of Chat Completions': (all) =>
    ask(
      '/v1/chat/completions',
      JSON.stringify({ model: 'host', messages: [{ role: 'user', content: all }] }),
    ),
  'the card of another agent': (all) => clientOf(all, 'application/json').card(),
  'the events of another agent': async (all) => {
    for await (const _ of clientOf(all, 'text/event-stream').stream('Hi'));
  },
  'lines of an MCP server': (all) => {
    const lines = new LineBuffer(
      1e8,
      () => new RangeError('long'),
      () => undefined,
    )
    for (const part of inParts(all)) lines.append(new TextEncoder().encode(part))
    for (;;) {
      try {
        if (lines.readMessage() === null) return
      } catch {
        // The SDK continues with the next line.
      }
    }
  },
  'the schema of an MCP tool': (all) =>
    compileJsonSchema({ type: 'string', pattern: all }, { untrusted: true })(all),
  'a value for a schema': (all) =>
    compileJsonSchema({ type: 'array', uniqueItems: true })(Array.from(all)),
  'a configuration': (all) => parseConfig(all),
  'a prompt file': (all) => parsePromptFile(`---\n${all}\n---\n${all}`, 'a.md', 'a'),
  'a cassette': (all) => parseCassette(JSON.parse(all)),
  'a text for a terminal': (all) => toTerminalText(all),
}

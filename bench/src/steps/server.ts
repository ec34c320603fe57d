import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The reply that ends a loop. */
export const final = 'It is warm in all of these cities today.'

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** A text in 14 pieces, so that a reply is 16 events. */
const pieces = (text: string): string[] => {
  const size = Math.ceil(text.length / 14)
  return Array.from({ length: 14 }, (_, index) => text.slice(index * size, (index + 1) * size))
}

const argumentsOf = (id: number) => ({ city: `City ${id} with quite a long name` })

const toolOf = (id: number, args: string) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name: 'weather', arguments: args },
})

const streamed = {
  call: (id: number): string =>
    [
      chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...toolOf(id, '') }] }),
      ...pieces(JSON.stringify(argumentsOf(id))).map((part) =>
        chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
      ),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join(''),
  text: (text: string): string =>
    [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(text).map((content) => chunk({ content })),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ].join(''),
}

const whole = (message: object, finish: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

/**
 * The reply to a request: a tool call, until the loop has made its steps. A loop in JSON mode has
 * its tools in the instructions, so its calls are JSON in the text.
 */
function replyTo(body: string, steps: number): string {
  const { tools, stream, messages } = JSON.parse(body) as {
    readonly tools?: object
    readonly stream?: boolean
    readonly messages: readonly { readonly role: string }[]
  }
  const id = messages.filter(({ role }) => role === 'assistant').length + 1
  const isCall = id < steps
  if (!tools && !messages.some(({ role }) => role === 'system')) return streamed.text(final)
  if (!tools) {
    const action = isCall
      ? { type: 'tool_call', tool: 'weather', args: argumentsOf(id) }
      : { type: 'final', content: final }
    return streamed.text(JSON.stringify(action))
  }
  if (stream) return isCall ? streamed.call(id) : streamed.text(final)
  return isCall
    ? whole(
        { content: null, tool_calls: [toolOf(id, JSON.stringify(argumentsOf(id)))] },
        'tool_calls',
      )
    : whole({ content: final }, 'stop')
}

/** Chat Completions: the path says how many steps a loop has. */
export async function serveModel(): Promise<string> {
  let replies = 0
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text))
    incoming.on('end', () => {
      const reply = replyTo(body, Number(/\/(\d+)\//.exec(incoming.url ?? '')?.[1]))
      const type = reply.startsWith('{') ? 'application/json' : 'text/event-stream'
      // LangGraph takes replies of one id for one reply.
      outgoing
        .writeHead(200, { 'content-type': type })
        .end(reply.replaceAll('"id":"c"', `"id":"c${++replies}"`))
    })
  }).listen(0, '127.0.0.1')
  // A busy machine lets a connection wait for long.
  server.keepAliveTimeout = 120_000
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

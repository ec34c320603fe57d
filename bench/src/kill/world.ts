import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An effect as it arrived in the ledger. */
export interface Effect {
  readonly job: string
  readonly call: string
  /** What the library offers to recognize a repetition by. */
  readonly key?: string
}

/**
 * The world outside of a worker process: a scripted model, and a ledger that never forgets an
 * effect.
 */
export interface World {
  readonly url: string
  readonly effects: readonly Effect[]
  close(): void
}

/** What becomes of a response: it is sent, sent by whoever calls `send`, or lost on its way. */
export type Fate = 'sent' | 'held' | 'lost'

/** Called with what arrives, before anything is sent back. */
export type Listener = (
  what: { readonly model?: number; readonly effect?: Effect; readonly job: string },
  send: () => void,
) => Fate

/** How long the model and a tool take. */
const delayMs = 20

/** @param callsAgain the model makes a call again whose result does not say that it happened */
export async function openWorld(listener: Listener, callsAgain = false): Promise<World> {
  const effects: Effect[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const { searchParams } = new URL(request.url ?? '', 'http://ledger')
      const job = searchParams.get('job')
      const key = searchParams.get('key')
      const happened = effects.some((effect) => effect.job === job && effect.key === key)
      response.end(JSON.stringify({ happened }))
      return
    }
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const isLedger = request.url === '/ledger'
      const effect = isLedger ? (JSON.parse(body) as Effect) : undefined
      const { messages = [], stream } = (isLedger ? {} : JSON.parse(body)) as ModelRequest
      const { job, calls } = effect ? { job: effect.job, calls: [] } : readPrompt(messages)
      const step = messages.filter(callsAgain ? saysDone : isReply).length
      if (effect) effects.push(effect)
      const send = (): void => {
        if (!effect)
          response.writeHead(200, {
            'content-type': stream ? 'text/event-stream' : 'application/json',
          })
        response.end(effect ? `done ${effect.call}` : replyOf(job, calls[step], stream))
      }
      const fate = listener(effect ? { effect, job } : { model: step, job }, send)
      if (fate === 'sent') setTimeout(send, delayMs)
      if (fate === 'lost') setTimeout(() => response.destroy(), delayMs)
    })
  })
  // On a busy machine a connection that is closed while it is idle would fail a request.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface ModelRequest {
  readonly stream?: boolean
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[]
}

let replies = 0

/** What the prompt says: the name of the job, and its calls. */
function readPrompt(messages: NonNullable<ModelRequest['messages']>): {
  job: string
  calls: readonly string[]
} {
  const said = JSON.stringify(messages.find(({ role }) => role === 'user')?.content).replaceAll(
    '\\"',
    '"',
  )
  const [, job = '', calls = '[]'] = /([\w-]+) (\[.*?\])/.exec(said) ?? []
  return { job, calls: JSON.parse(calls) as readonly string[] }
}

type Message = NonNullable<ModelRequest['messages']>[number]

const isReply = ({ role }: Message): boolean => role === 'assistant'

/** Whether a message is the result of a call that happened. */
const saysDone = ({ role, content }: Message): boolean =>
  role === 'tool' && /done \w+/.test(JSON.stringify(content))

/** A reply that makes the call, or ends the job. */
function replyOf(job: string, call: string | undefined, stream = false): string {
  const id = `reply-${++replies}`
  const message =
    call === undefined
      ? { role: 'assistant', content: 'Done.' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              ...(stream && { index: 0 }),
              id: `call-${replies}`,
              type: 'function',
              function: { name: call, arguments: JSON.stringify({ job }) },
            },
          ],
        }
  const finish = call === undefined ? 'stop' : 'tool_calls'
  const head = { id, created: 1, model: 'scripted' }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  if (!stream)
    return JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    })
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], ...(reason && { usage }) })}\n\n`
  return `${chunk(message, null)}${chunk({}, finish)}data: [DONE]\n\n`
}

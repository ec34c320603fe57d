// The world outside of the processes: a vendor of models with batches, and a ledger of effects, all
// over HTTP.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ChatMessage } from '@modelport/core'
import { replyTo } from '../../packages/durable/test/kill/adapter/script.js'
import type { Answer, Effect } from '../../packages/durable/test/kill/ledger.js'

/** What the model `stream` says. */
export const poem = Array.from({ length: 40 }, (_, index) => `line ${index + 1}, `).join('')

/** The models that say how a job ended, by that text. */
export const modelOf: Readonly<Record<string, string>> = { 'Done.': 'worker', 'Filed.': 'clerk' }

const deltaMs = 10

export class World {
  readonly #server = createServer((request, response) => {
    this.#respond(request, response).catch(() => response.destroy())
  })
  readonly #effects = new Map<string, Effect[]>()
  readonly #batches = new Map<
    string,
    { readonly requests: readonly { custom_id: string }[]; asked: number }
  >()
  #made = 0
  /** Decides what becomes of an effect. */
  onEffect: (effect: Effect) => Answer = () => 'done'

  async open(): Promise<string> {
    // A connection that is closed while a request is on its way would be a failed effect, which no
    // kill has caused.
    this.#server.keepAliveTimeout = 3_600_000
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  effectsOf(job: string): readonly Effect[] {
    return this.#effects.get(job) ?? []
  }

  /** Forgets a job that is judged: the ledger must not grow either. */
  forget(job: string): void {
    this.#effects.delete(job)
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const path = request.url ?? ''
    if (path === '/effect')
      this.#effect({ ...(JSON.parse(body) as Omit<Effect, 'at'>), at: performance.now() }, response)
    else if (path.endsWith('/chat/completions'))
      await chat(JSON.parse(body) as ChatRequest, response)
    else if (path.includes('/messages/batches'))
      this.#batch(request.method ?? '', path, body, response)
    else response.writeHead(404).end()
  }

  #effect(effect: Effect, response: ServerResponse): void {
    const answer = this.onEffect(effect)
    if (answer !== 'unseen') this.#effects.set(effect.job, [...this.effectsOf(effect.job), effect])
    if (answer === 'done') response.end(`done ${effect.call}`)
  }

  /**
   * A batch runs until it was asked about twice, and is forgotten once its results were fetched.
   */
  #batch(method: string, path: string, body: string, response: ServerResponse): void {
    if (method === 'POST') {
      const id = `msgbatch_${++this.#made}`
      const { requests } = JSON.parse(body) as {
        readonly requests: readonly { readonly custom_id: string }[]
      }
      this.#batches.set(id, { requests, asked: 0 })
      json(response, batchOf(id, requests.length, false))
      return
    }
    const [, id = '', results] = /batches\/(\w+)(\/results)?/.exec(path) ?? []
    const batch = this.#batches.get(id)
    if (!batch) response.writeHead(404).end()
    else if (results === undefined)
      json(response, batchOf(id, batch.requests.length, ++batch.asked >= 2))
    else {
      this.#batches.delete(id)
      const message = {
        role: 'assistant',
        content: [{ type: 'text', text: 'Rome' }],
        stop_reason: 'end_turn',
      }
      const lines = batch.requests.map(({ custom_id }) =>
        JSON.stringify({
          custom_id,
          result: {
            type: 'succeeded',
            message: { ...message, usage: { input_tokens: 3, output_tokens: 1 } },
          },
        }),
      )
      response.end(`${lines.join('\n')}\n`)
    }
  }
}

interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const batchOf = (id: string, size: number, isOver: boolean): object => ({
  id,
  processing_status: isOver ? 'ended' : 'in_progress',
  request_counts: {
    processing: isOver ? 0 : size,
    succeeded: isOver ? size : 0,
    errored: 0,
    canceled: 0,
    expired: 0,
  },
})

/**
 * Streams what the model says in small deltas; the model `cut` loses its connection in the middle.
 */
async function chat({ model, messages }: ChatRequest, response: ServerResponse): Promise<void> {
  const end = Object.keys(modelOf).find((text) => modelOf[text] === model)
  const { text, toolCalls = [] } = end === undefined ? { text: poem } : replyTo(messages, end)
  const send = (delta: object, finish: string | null = null): unknown =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < text.length && !response.destroyed; at += 16) {
    send({ content: text.slice(at, at + 16) })
    if (model === 'cut' && at > text.length / 2) response.destroy()
    await new Promise((resolve) => setTimeout(resolve, deltaMs))
  }
  if (response.destroyed) return
  const calls = toolCalls.map(({ id, name, arguments: given }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  if (calls.length > 0) send({ tool_calls: calls })
  send({}, calls.length > 0 ? 'tool_calls' : 'stop')
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  response.end(
    `data: ${JSON.stringify({ id: 'c', model, choices: [], usage })}\n\ndata: [DONE]\n\n`,
  )
}

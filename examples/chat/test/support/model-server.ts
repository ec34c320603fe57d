// A server of Chat Completions whose replies a test writes, piece by piece, over real connections.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface AskedMessage {
  readonly role: string
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[]
}

/** A call of the model that a process made. */
export class ModelCall {
  readonly messages: readonly AskedMessage[]
  /** Resolves when its connection has ended, by whichever side. */
  readonly closed: Promise<unknown>
  readonly #response: ServerResponse

  constructor(messages: readonly AskedMessage[], response: ServerResponse) {
    this.messages = messages
    this.#response = response
    this.closed = once(response, 'close')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
  }

  /** Texts of the messages that the process sent, but for the system's. */
  get lines(): readonly string[] {
    return this.messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) => `${role}: ${textOf(content)}`)
  }

  /** Sends a piece of the reply. */
  say(content: string): this {
    return this.#send({ delta: { content } })
  }

  /** Ends the reply. */
  end(content: string): void {
    this.say(content).#finish('stop')
  }

  /** Ends the reply with a picture, and with the sources that the model names. */
  endWith(
    content: string,
    picture: string,
    sources: readonly { readonly url: string; readonly title: string }[],
  ): void {
    const images = [{ type: 'image_url', image_url: { url: picture } }]
    const annotations = sources.map((one) => ({ type: 'url_citation', url_citation: one }))
    this.#send({ delta: { content, images, annotations } }).#finish('stop')
  }

  /** Sends what the model thinks. */
  think(reasoning: string): this {
    return this.#send({ delta: { reasoning_content: reasoning } })
  }

  /** Ends the reply with a call of a tool. */
  call(name: string, args: object): void {
    const definition = { name, arguments: JSON.stringify(args) }
    const call = { index: 0, id: `call_${name}`, type: 'function', function: definition }
    this.#send({ delta: { tool_calls: [call] } }).#finish('tool_calls')
  }

  /** Ends the reply with a failure that no second try mends. */
  fail(): void {
    const error = { type: 'invalid_request_error', message: 'the model is gone' }
    this.#response.end(`data: ${JSON.stringify({ error })}\n\n`)
  }

  #finish(reason: string): void {
    this.#send({ delta: {}, finish_reason: reason })
    this.#response.end('data: [DONE]\n\n')
  }

  #send(choice: object): this {
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] }
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    return this
  }
}

const textOf = (content: AskedMessage['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map(({ type, text }) => text ?? type).join(' ')

export class ModelServer {
  readonly #server: Server
  readonly #calls: ModelCall[] = []
  #onCall = Promise.withResolvers<undefined>()

  constructor() {
    this.#server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        const { messages } = JSON.parse(body) as { readonly messages: readonly AskedMessage[] }
        this.#calls.push(new ModelCall(messages, response))
        this.#onCall.resolve(undefined)
      })
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** The oldest call that no test has taken; waits for it. */
  async next(): Promise<ModelCall> {
    for (;;) {
      const call = this.#calls.shift()
      if (call) return call
      this.#onCall = Promise.withResolvers()
      await this.#onCall.promise
    }
  }

  /** Calls that no test has taken. */
  get untaken(): number {
    return this.#calls.length
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

// A page with chats, as a browser has them: it posts messages, reads replies as streams of events,
// and continues behind the last event that it has when a stream breaks.
import type { VirtualWorld } from './virtual-world.js'

/** What a page read of one reply, in one go: over several streams if one broke. */
export interface Reading {
  readonly chat: string
  /** The task of the reply; unset until its first event. */
  task: string | undefined
  /** False if it began in the middle of the reply. */
  readonly isFromStart: boolean
  /** Place and content of each event. */
  readonly events: string[]
  /** The server said that there is nothing more now. */
  isDone: boolean
}

/** A reply of the server that is not 2xx. */
export class RefusedByChat extends Error {
  /** True if the server decided so: sent again, the request is refused again. */
  readonly isFinal: boolean

  constructor(status: number, text: string) {
    super(`${status < 500 ? 'conflict' : 'it failed'}: ${status} ${text}`)
    this.isFinal = status < 500
  }
}

const mostFailures = 4

export class ChatPage {
  readonly readings: Reading[] = []
  readonly #world: VirtualWorld
  readonly #fetch: typeof fetch
  readonly #base: string

  constructor(world: VirtualWorld, host: string, fetchOfPage: typeof fetch) {
    this.#world = world
    this.#fetch = fetchOfPage
    this.#base = `http://${host}/api/chat`
  }

  /** @throws {RefusedByChat} */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.#fetch(`${this.#base}${path}`, init)
    if (response.ok) return response
    throw new RefusedByChat(response.status, await response.text())
  }

  post(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    return this.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Reads the reply that a response streams, at most so many events of it. */
  async read(
    chat: string,
    first: Response,
    { most = Infinity, isFromStart = true, onTask = (_: string): void => undefined } = {},
  ): Promise<void> {
    const reading: Reading = { chat, task: undefined, isFromStart, events: [], isDone: false }
    this.readings.push(reading)
    let response = first
    let last: string | undefined
    for (let failures = 0; ; failures++) {
      try {
        for await (const { id, data } of recordsOf(response)) {
          if (data === '[DONE]') reading.isDone = true
          if (reading.isDone || id === undefined) continue

          const [task = '', place = ''] = id.split('/')
          reading.task ??= task
          onTask(reading.task)
          // Another reply took its place.
          if (task !== reading.task) return
          reading.events.push(`${place} ${data}`)
          last = id
          if (reading.events.length >= most) return
        }
      } catch (error) {
        if (last === undefined) throw error
      }
      if (reading.isDone) return
      if (last === undefined || failures >= mostFailures) throw new Error('the stream broke')

      await this.#world.pause(800)
      const next = await this.stream(chat, last).catch(() => undefined)
      if (next?.status === 204) return
      response = next ?? new Response('')
    }
  }

  /** The reply that is being made, or the rest of one. */
  stream(chat: string, last?: string): Promise<Response> {
    const headers = last === undefined ? {} : { 'last-event-id': last }
    return this.ask(`/${chat}/stream`, { headers })
  }
}

/** The events of a stream. */
async function* recordsOf({
  body,
}: Response): AsyncGenerator<{ readonly id: string | undefined; readonly data: string }, void> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const records = text.split('\n\n')
      text = records.pop() ?? ''
      for (const record of records) {
        const data = /^data: (.*)$/m.exec(record)?.[1]
        if (data !== undefined) yield { id: /^id: (.*)$/m.exec(record)?.[1], data }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

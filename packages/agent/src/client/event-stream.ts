import { LlmError } from '@modelport/core'

/** One event of a stream. */
export interface ParsedEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
}

/** Most characters of one event. */
const longestEvent = 16 * 2 ** 20

/** Cuts text into blocks at empty lines. Each character is looked at once, however long a block is. */
class BlockReader {
  #pieces: string[] = []
  #size = 0
  /** The last characters: a separator may begin in them. */
  #carry = ''

  /** @throws {LlmError} `limit-exceeded` — a block is too long */
  push(text: string): readonly string[] {
    const window = this.#carry + text
    const blocks: string[] = []
    let start = 0
    for (const { index, 0: separator } of window.matchAll(/\r?\n\r?\n|\r\r/g)) {
      blocks.push(this.#pieces.join('') + window.slice(start, index))
      this.#pieces = []
      this.#size = 0
      start = index + separator.length
    }
    const rest = window.slice(start)
    this.#carry = rest.slice(-3)
    const piece = rest.slice(0, -3)
    this.#size += piece.length
    if (piece) this.#pieces.push(piece)
    if (this.#size > longestEvent)
      throw new LlmError('limit-exceeded', `An event of the stream is too long: at most ${longestEvent} characters`)
    return blocks
  }
}

/** Reads server-sent events out of a body. Leaving the loop cancels the body. */
export async function* readEvents(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<ParsedEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const blocks = new BlockReader()
  try {
    for (;;) {
      const { done, value } = await withIdle(reader.read(), idleMs)
      for (const block of blocks.push(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        const event = parseBlock(block)
        if (event) yield event
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): ParsedEvent | undefined {
  const data: string[] = []
  let id: string | undefined
  let event: string | undefined
  for (const line of block.split(/\r?\n|\r/)) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'id') id = value
    if (field === 'event') event = value
  }
  return data.length
    ? { data: data.join('\n'), ...(event !== undefined && { event }), ...(id !== undefined && { id }) }
    : undefined
}

async function withIdle<T>(promise: Promise<T>, idleMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new LlmError('timeout', `The stream of the agent was silent for ${idleMs} ms; raise idleMs if that is usual`),
        ),
      idleMs,
    )
  })
  try {
    return await Promise.race([promise, stalled])
  } finally {
    clearTimeout(timer)
  }
}

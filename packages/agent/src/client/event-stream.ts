/** One event of a stream. */
export interface ParsedEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
}

/** Most characters of one event. */
const longestEvent = 16 * 2 ** 20

/** Reads server-sent events out of a body. Leaving the loop cancels the body. */
export async function* readEvents(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<ParsedEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await withIdle(reader.read(), idleMs)
      text += done ? decoder.decode() : decoder.decode(value, { stream: true })
      if (text.length > longestEvent) throw new Error('an event of the stream is too long')
      const blocks = text.split(/\r?\n\r?\n|\r\r/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
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
    timer = setTimeout(() => reject(new Error(`the stream was silent for ${idleMs} ms`)), idleMs)
  })
  try {
    return await Promise.race([promise, stalled])
  } finally {
    clearTimeout(timer)
  }
}

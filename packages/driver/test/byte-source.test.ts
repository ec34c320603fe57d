import { describe, expect, test } from 'vitest'
import { type ByteSource, type PullStream, toByteSource } from '../src/base/byte-source.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (chunk: Uint8Array | undefined): string | undefined =>
  chunk && new TextDecoder().decode(chunk)
const next = (source: ByteSource): Promise<unknown> =>
  source.read().then(text, (error: unknown) => error)

/** A stream that does what it is told, when it is told. */
class Pulled implements PullStream {
  readableEnded = false
  readonly left: string[] = []
  readonly destroyed: unknown[] = []
  readonly #listeners = new Map<string, (error?: Error) => void>()

  on(event: string, listener: (error?: Error) => void): void {
    this.#listeners.set(event, listener)
  }

  read(): Uint8Array | null {
    const chunk = this.left.shift()
    return chunk === undefined ? null : bytes(chunk)
  }

  destroy(...reason: unknown[]): void {
    this.destroyed.push(reason)
  }

  say(event: string, error?: Error): void {
    this.#listeners.get(event)?.(error)
  }
}

function pulled(): { readonly stream: Pulled; readonly source: ByteSource } {
  const stream = new Pulled()
  return { stream, source: toByteSource({ body: stream } as unknown as Response) }
}

describe('a pull stream', () => {
  test('a pull stream gives what is there at once, and what comes when it comes', async () => {
    const { stream, source } = pulled()
    stream.left.push('a', 'b')
    expect([await next(source), await next(source)]).toEqual(['a', 'b'])
    const waiting = next(source)
    stream.say('readable')
    stream.left.push('c', 'd')
    stream.say('readable')
    stream.say('readable')
    expect([await waiting, await next(source)]).toEqual(['c', 'd'])
  })

  test('a pull stream ends during a pull and before one, also without an end event; closing it afterwards does not fail', async () => {
    const { stream, source } = pulled()
    const waiting = next(source)
    stream.say('end')
    expect(await waiting).toBeUndefined()
    stream.say('close')
    expect(await next(source)).toBeUndefined()
    const silent = pulled()
    silent.stream.readableEnded = true
    silent.stream.say('error', new Error('reset'))
    expect(await next(silent.source)).toBeUndefined()
  })

  test('a pull stream fails with its error, the first of them, after what it had', async () => {
    const { stream, source } = pulled()
    const reset = new Error('reset')
    const waiting = next(source)
    stream.say('error', reset)
    expect(await waiting).toBe(reset)
    stream.say('error', new Error('later'))
    stream.say('close')
    stream.left.push('a')
    expect([await next(source), await next(source)]).toEqual(['a', reset])
  })

  test('a pull stream fails where it says nothing of why', async () => {
    const failed = pulled()
    failed.stream.say('error')
    expect(await next(failed.source)).toMatchObject({ message: 'the connection failed' })
    const closed = pulled()
    const waiting = next(closed.source)
    closed.stream.say('close')
    expect(await waiting).toMatchObject({ message: 'the connection was closed' })
  })

  test('a pull stream is destroyed for no reason that it would throw, and is over then', async () => {
    const { stream, source } = pulled()
    const waiting = next(source)
    source.cancel()
    expect(stream.destroyed).toEqual([[]])
    stream.say('error', new Error('aborted'))
    stream.say('close')
    expect([await waiting, await next(source)]).toEqual([undefined, undefined])
  })
})

describe('a web stream', () => {
  test('a web stream gives its chunks, its end and its failure', async () => {
    const source = toByteSource(new Response('ab'))
    expect([await next(source), await next(source)]).toEqual(['ab', undefined])
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    })
    expect(await next(toByteSource(new Response(broken)))).toMatchObject({ message: 'reset' })
  })

  test('a web stream is cancelled, whatever it says to that', async () => {
    const reasons: unknown[] = []
    const source = toByteSource(
      new Response(
        new ReadableStream({
          cancel: (reason) => {
            reasons.push(reason)
            throw new Error('no')
          },
        }),
      ),
    )
    source.cancel()
    expect([await next(source), reasons]).toEqual([undefined, [undefined]])
  })
})

test('no body is an empty one', async () => {
  for (const body of [null, undefined]) {
    const source = toByteSource({ body } as Response)
    expect(await next(source)).toBeUndefined()
    source.cancel()
    expect(await next(source)).toBeUndefined()
  }
})

import type { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'
import { UndiciBody } from '../src/transport/undici-body.js'

const kib = 1024

/** A connection that does what it is told, and keeps what that was. */
class Connection {
  paused = false
  readonly told: unknown[] = []

  pause(): void {
    this.paused = true
    this.told.push('pause')
  }

  resume(): void {
    this.paused = false
    this.told.push('resume')
  }

  abort(reason: Error): void {
    this.told.push(reason)
  }
}

function begun(signal?: AbortSignal) {
  const connection = new Connection()
  const controller = connection as unknown as Dispatcher.DispatchController
  const body = new UndiciBody(signal)
  body.onRequestStart(controller)
  body.onResponseStart(controller, 200, {})
  return { body, controller, connection }
}

/** What the taker of one read was told, if anything. */
function pull(body: UndiciBody): unknown[] {
  const told: unknown[] = []
  body.pull({ onChunk: (chunk) => told.push(chunk), onError: (error) => told.push(error) })
  return told
}

describe.skipIf(!node)('a body that undici calls back', () => {
  test('a body that undici calls back pauses at 64 KiB unread bytes, and resumes when all are read and more are asked for', () => {
    const { body, controller, connection } = begun()
    body.onResponseData(controller, new Uint8Array(60 * kib))
    body.onResponseData(controller, new Uint8Array(4 * kib - 1))
    expect(connection.told).toEqual([])
    body.onResponseData(controller, new Uint8Array(1))
    expect(connection.told).toEqual(['pause'])
    expect(pull(body)).toMatchObject([{ length: 64 * kib }])
    expect(connection.told).toEqual(['pause'])
    pull(body)
    expect(connection.told).toEqual(['pause', 'resume'])
  })

  test('a body that undici calls back leaves a connection alone that is not paused, and one that has not begun', () => {
    const { body, connection } = begun()
    expect(pull(body)).toEqual([])
    expect(connection.told).toEqual([])
    expect(pull(new UndiciBody(undefined))).toEqual([])
  })

  test('a body that undici calls back gives a chunk unchanged, to a pending pull and to a later one', () => {
    const { body, controller, connection } = begun()
    const [first, second] = [new Uint8Array(100 * kib), new Uint8Array(1)]
    const waiting = pull(body)
    body.onResponseData(controller, first)
    expect(waiting[0]).toBe(first)
    body.onResponseData(controller, second)
    expect(pull(body)[0]).toBe(second)
    expect([waiting.length, connection.told]).toEqual([1, []])
  })

  test('a body that has ended has not failed, whatever is said of it later', () => {
    const { body, controller, connection } = begun()
    body.onResponseEnd()
    body.onResponseError(undefined, new Error('reset'))
    expect(pull(body)).toEqual([undefined])
    body.cancel()
    expect(connection.told).toEqual([])
    const failed = begun()
    const reset = new Error('reset')
    failed.body.onResponseError(controller, reset)
    failed.body.onResponseError(controller, new Error('later'))
    expect([pull(failed.body), pull(failed.body)]).toEqual([[reset], [reset]])
  })

  test('a body that undici calls back settles a pending pull at the end, and on a failure', () => {
    const ended = begun()
    const waiting = pull(ended.body)
    ended.body.onResponseEnd()
    expect(waiting).toEqual([undefined])
    const failed = begun()
    const reading = pull(failed.body)
    failed.body.onResponseError(undefined, 'reset')
    expect(reading).toEqual(['reset'])
  })

  test('a body that is dropped aborts its connection, as soon as there is one, with the first reason', async () => {
    const { body, connection } = begun()
    body.cancel()
    expect(connection.told).toEqual([new Error('the body was dropped')])
    const abort = new AbortController()
    const waiting = new UndiciBody(abort.signal)
    abort.abort(new Error('enough'))
    waiting.cancel()
    const late = new Connection()
    waiting.onRequestStart(late as unknown as Dispatcher.DispatchController)
    expect(late.told).toEqual([new Error('enough')])
    await expect(waiting.head).rejects.toThrow('enough')
  })

  test('a body that undici calls back hears its signal until it is over, and not after', () => {
    const listeners = new Set<unknown>()
    const signal = {
      aborted: false,
      reason: new Error('enough'),
      addEventListener: (type: string, listener: unknown) => listeners.add([type, listener].join()),
      removeEventListener: (type: string, listener: unknown) =>
        listeners.delete([type, listener].join()),
    } as unknown as AbortSignal
    for (const end of ['onResponseEnd', 'onResponseError'] as const) {
      const { body } = begun(signal)
      expect(listeners.size).toBe(1)
      body[end](undefined, new Error('reset'))
      expect(listeners.size).toBe(0)
    }
  })
})

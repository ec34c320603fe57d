import { ReaderBase } from '@modelport/core'
import { expect, test } from 'vitest'

class Countdown extends ReaderBase<number> {
  closed = 0
  #left = 3

  next(): Promise<IteratorResult<number, undefined>> {
    if (this.closed || this.#left === 0) return Promise.resolve({ done: true, value: undefined })
    return Promise.resolve({ done: false, value: this.#left-- })
  }

  close(): Promise<void> {
    this.closed++
    return Promise.resolve()
  }
}

test('a reader with next and close is read by a loop to its end, which does not close it', async () => {
  const reader = new Countdown()
  const read: number[] = []
  for await (const item of reader) read.push(item)
  expect([read, reader.closed]).toEqual([[3, 2, 1], 0])
})

test('a loop that breaks closes the reader', async () => {
  const reader = new Countdown()
  for await (const item of reader) if (item === 2) break
  expect(reader.closed).toBe(1)
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})

test('return closes the reader and reports its end', async () => {
  const reader = new Countdown()
  expect([await reader.return(), reader.closed]).toEqual([{ done: true, value: undefined }, 1])
})

test('disposing closes the reader', async () => {
  const reader = new Countdown()
  await reader[Symbol.asyncDispose]()
  expect(reader.closed).toBe(1)
})

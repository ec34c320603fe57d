import { LlmError } from '@modelport/core'
import { expect, test } from 'vitest'
import { CallScope } from '../src/base/scope.js'
import { QueueReader } from '../src/reader/queue-reader.js'
import { FakeClock } from './fake-clock.js'
import { settle } from './scripted-driver.js'

/** A reader of numbers, open to the producer of a test. */
class NumberReader extends QueueReader<number> {
  push(item: number): void {
    this.queue.push(item)
  }
}

type Step = (reader: NumberReader) => boolean | LlmError | Promise<boolean | LlmError>

/** A reader over these steps; how often its call ended, and how many steps ran at once. */
function over(...steps: readonly Step[]) {
  const left = [...steps]
  const counts = { steps: 0, running: 0, most: 0, ends: 0 }
  const scope = new CallScope(new FakeClock(), 'p', undefined, undefined)
  scope.onEnd(() => {
    counts.ends++
  })
  const reader = new NumberReader(scope, () => {
    counts.steps++
    counts.most = Math.max(counts.most, ++counts.running)
    const run = async (): Promise<boolean | LlmError> => {
      await Promise.resolve()
      try {
        return await (left.shift()?.(reader) ?? false)
      } finally {
        counts.running--
      }
    }
    run().then(
      (more) => {
        reader.onStep(more)
      },
      (error: unknown) => {
        reader.onError(error)
      },
    )
  })
  return { reader, scope, counts }
}

const items =
  (...values: number[]): Step =>
  (reader) => {
    for (const value of values) reader.push(value)
    return true
  }
const value = (found: number) => ({ done: false, value: found })
const done = { done: true, value: undefined }
const settled = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error)

test('a reader gives items in order, then the end on every further read', async () => {
  const { reader, scope, counts } = over(items(1, 2), items(), items(3))
  expect(counts.steps).toBe(0)
  expect(await reader.next()).toEqual(value(1))
  expect(counts.steps).toBe(1)
  expect(await reader.next()).toEqual(value(2))
  expect(counts.steps).toBe(1)
  expect(await reader.next()).toEqual(value(3))
  expect([await reader.next(), await reader.next()]).toEqual([done, done])
  expect([counts.steps, counts.ends, scope.ended]).toEqual([4, 1, true])
})

test('overlapping reads are served in order, with one advance at a time', async () => {
  const { reader, counts } = over(items(1), items(2, 3), items(4))
  expect(await Promise.all(Array.from({ length: 6 }, () => reader.next()))).toEqual([
    value(1),
    value(2),
    value(3),
    value(4),
    done,
    done,
  ])
  expect(counts.most).toBe(1)
})

test('a read made during an advance does not overtake a pending read', async () => {
  const late: unknown[] = []
  const { reader } = over((given) => {
    given.push(1)
    given.push(2)
    late.push(given.next())
    return true
  })
  expect(await reader.next()).toEqual(value(1))
  expect(await Promise.all(late)).toEqual([value(2)])
})

test('items of the last step are given out before the end', async () => {
  const { reader, counts } = over((given) => {
    given.push(1)
    given.push(2)
    return false
  })
  expect(await reader.next()).toEqual(value(1))
  await settle()
  expect([counts.ends, await reader.next(), await reader.next()]).toEqual([1, value(2), done])
})

test('items read before a failure are given out before it', async () => {
  const failure = new Error('gone')
  const failing: Step = (reader) => {
    reader.push(1)
    reader.push(2)
    throw failure
  }
  const { reader, scope, counts } = over(failing)
  expect(await Promise.all([1, 2, 3, 4].map(() => settled(reader.next())))).toEqual([
    value(1),
    value(2),
    failure,
    failure,
  ])
  expect(await settled(reader.next())).toBe(failure)
  const alone = over(failing).reader
  expect([
    await settled(alone.next()),
    await settled(alone.next()),
    await settled(alone.next()),
    await settled(alone.next()),
  ]).toEqual([value(1), value(2), failure, failure])
  expect([scope.ended, counts.ends, counts.steps]).toEqual([true, 1, 1])
})

test('a failure stays after close', async () => {
  const failure = new Error('gone')
  const { reader } = over(() => {
    throw failure
  })
  expect(await settled(reader.next())).toBe(failure)
  await reader.close()
  expect(await settled(reader.next())).toBe(failure)
})

test('a returned error rejects the pending reads, and the stream continues', async () => {
  const error = new LlmError('invalid-request', 'not yet')
  const { reader, counts } = over(() => error, items(1))
  const waiting = [reader.next(), reader.next()].map(settled)
  expect(await Promise.all(waiting)).toEqual([error, error])
  expect(counts.ends).toBe(0)
  expect(await reader.next()).toEqual(value(1))
})

test('close ends a pending read, drops queued items, and takes effect once', async () => {
  const { reader, scope, counts } = over(items(1, 2), () => new Promise<boolean>(() => undefined))
  await reader.next()
  await reader.close()
  expect(await reader.next()).toEqual(done)
  expect([scope.ended, counts.ends]).toEqual([true, 1])
  await reader.close()
  expect(counts.ends).toBe(1)
  const waiting = over(() => new Promise<boolean>(() => undefined))
  const read = waiting.reader.next()
  await settle()
  await waiting.reader.close()
  expect(await read).toEqual(done)
})

test('a producer that fails after its reader was closed is ignored', async () => {
  let fail: (error: Error) => void = () => undefined
  const { reader } = over(
    () =>
      new Promise<boolean>((_, reject) => {
        fail = reject
      }),
  )
  const read = reader.next()
  await settle()
  await reader.close()
  fail(new Error('late'))
  await settle()
  expect([await read, await reader.next()]).toEqual([done, done])
})

test('an abort rejects with its reason and drops queued items', async () => {
  const reason = { why: 'enough' }
  const { reader, scope } = over(items(1, 2))
  await reader.next()
  scope.end(reason)
  expect(await settled(reader.next())).toBe(reason)
  expect(await settled(reader.next())).toBe(reason)
  const waiting = over(() => new Promise<boolean>(() => undefined))
  const reads = [waiting.reader.next(), waiting.reader.next()].map(settled)
  await settle()
  waiting.scope.end(reason)
  expect(await Promise.all(reads)).toEqual([reason, reason])
})

test('a call that ends without a reason ends its stream cleanly', async () => {
  const { reader, scope, counts } = over(items(1, 2), items(3))
  await reader.next()
  scope.end()
  expect(await reader.next()).toEqual(done)
  expect([counts.steps, counts.ends]).toEqual([1, 1])
})

test('leaving a loop and disposing of a reader close it', async () => {
  const { reader, scope } = over(items(1, 2))
  for await (const found of reader) {
    expect(found).toBe(1)
    break
  }
  expect([scope.ended, await reader.next()]).toEqual([true, done])
  const other = over(items(1))
  expect(other.reader[Symbol.asyncIterator]()).toBe(other.reader)
  expect(await other.reader.return()).toEqual(done)
  const third = over(items(1))
  await third.reader[Symbol.asyncDispose]()
  expect([other.scope.ended, third.scope.ended]).toEqual([true, true])
})

test('synchronous advances do not grow the stack', async () => {
  let left = 100_000
  const reader = new NumberReader(new CallScope(new FakeClock(), 'p', undefined, undefined), () => {
    if (left-- === 0) reader.push(1)
    reader.onStep(left >= -1)
  })
  expect([await reader.next(), await reader.next()]).toEqual([value(1), done])
})

test('a producer that throws fails the reader', async () => {
  const broken = new Error('broken')
  const reader = new QueueReader<number>(
    new CallScope(new FakeClock(), 'p', undefined, undefined),
    () => {
      throw broken
    },
  )
  expect([await settled(reader.next()), await settled(reader.next())]).toEqual([broken, broken])
})

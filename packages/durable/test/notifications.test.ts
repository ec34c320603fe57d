// How often one process tells the others over PostgreSQL that something changed.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { channelOf } from '../src/postgres/channel.js'
import { testDatabases } from './support/databases.js'

const { isMissing, open } = testDatabases().at(-1)!

test.skipIf(isMissing)(
  'changes of events reach other processes at once, then every 50 ms, and a start does not wait',
  async () => {
    const [writer, reader] = [await open(), await open()]
    const heard: number[] = []
    const stop = reader.watch('run:r', () => heard.push(performance.now()))
    const begin = performance.now()
    for (let index = 0; index < 40; index++) {
      writer.notify('run:r')
      await sleep(5)
    }
    const tookMs = performance.now() - begin
    // A process also looks by itself every second.
    expect(heard.length).toBeGreaterThanOrEqual(1)
    expect(heard.length).toBeLessThanOrEqual(2 + tookMs / 50 + tookMs / 1000)
    const before = heard.length
    writer.notify('run:r')
    await expect.poll(() => heard.length).toBeGreaterThan(before)

    let startedAt = 0
    const unwatch = reader.watch('queue:q', () => (startedAt ||= performance.now()))
    const rounds: boolean[] = []
    for (let round = 0; round < 5; round++) {
      startedAt = 0
      writer.notify('run:r')
      await sleep(10)
      const [notifiedAt, events] = [performance.now(), heard.length]
      writer.notify('run:r')
      writer.notify('queue:q')
      await expect.poll(() => startedAt, { interval: 1 }).toBeGreaterThan(0)
      // The event that waited comes along.
      rounds.push(startedAt - notifiedAt < 45 && heard.length > events)
    }
    expect(rounds).toContain(true)
    stop()
    unwatch()
    await Promise.all([writer.close(), reader.close()])
  },
)

test('the channel of every schema has a name that PostgreSQL takes, and two schemas never share one', () => {
  const long = 'x'.repeat(62)
  const schemas = ['s', 'x'.repeat(40), 'ü'.repeat(31), `${long}a`, `${long}b`]
  const channels = schemas.map(channelOf)
  expect(channels.filter((name) => Buffer.byteLength(name) > 63)).toEqual([])
  expect(new Set(channels).size).toBe(schemas.length)
})

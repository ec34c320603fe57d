// One contract for every engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DurableEngine } from '../src/engine/engine.js'
import { MemoryEngine } from '../src/engine/memory-engine.js'
import { testDatabases } from './support/databases.js'

const never = (): Promise<boolean> => Promise.resolve(false)
const lease = 60_000
let queues = 0
const nextQueue = (): string => `queue-${++queues}`

function contract(open: () => Promise<{ engine: DurableEngine; now: () => number; close: () => Promise<void> }>): void {
  let engine: DurableEngine
  let now: () => number
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ engine, now, close } = await open())
  })
  afterAll(() => close())

  test('a started run is claimed once, with its key', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task-1')
    expect(await engine.claim(queue, lease)).toMatchObject({ run, queue, key: 'task-1', attempt: 1 })
    expect(await engine.claim(queue, lease)).toBeUndefined()
  })

  test('a worker claims only from the queue it names', async () => {
    const queue = nextQueue()
    await engine.start(queue, 'task')
    expect(await engine.claim(nextQueue(), lease)).toBeUndefined()
  })

  test('two claims at once get two runs', async () => {
    const queue = nextQueue()
    await Promise.all([engine.start(queue, 'a'), engine.start(queue, 'b')])
    const claims = await Promise.all([
      engine.claim(queue, lease),
      engine.claim(queue, lease),
      engine.claim(queue, lease),
    ])
    expect(claims.flatMap((claim) => claim?.key ?? []).sort()).toEqual(['a', 'b'])
  })

  test('a lease that ends lets another worker claim, with a higher attempt, and fences the first', async () => {
    const queue = nextQueue()
    await engine.start(queue, 'task')
    const first = await engine.claim(queue, 1)
    await expect.poll(() => engine.claim(queue, lease)).toMatchObject({ attempt: 2 })
    expect(await engine.extend(first!, lease)).toBe(false)
    expect(await engine.sleep(first!, { hasWork: never })).toBe(false)
    expect(await engine.finish(first!)).toBe(false)
  })

  test('an extended lease is not claimed by others', async () => {
    const queue = nextQueue()
    await engine.start(queue, 'task')
    const claim = await engine.claim(queue, 2000)
    expect(await engine.extend(claim!, lease)).toBe(true)
    expect(await engine.claim(queue, lease)).toBeUndefined()
  })

  test('a sleeping run is claimed after its time', async () => {
    const queue = nextQueue()
    await engine.start(queue, 'task')
    const claim = await engine.claim(queue, lease)
    expect(await engine.sleep(claim!, { until: now() + 50, hasWork: never })).toBe(true)
    await expect.poll(() => engine.claim(queue, lease)).toMatchObject({ attempt: 2 })
  })

  test('a sleeping run without a time waits until it is woken', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task')
    for (const attempt of [1, 2, 3]) {
      const claim = await engine.claim(queue, lease)
      expect(claim).toMatchObject({ attempt })
      expect(await engine.sleep(claim!, { hasWork: never })).toBe(true)
      expect(await engine.claim(queue, lease)).toBeUndefined()
      await engine.wake(queue, run)
    }
  })

  test('a wake-up between the last look at the inbox and the sleep is not lost', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task')
    const claim = await engine.claim(queue, lease)
    const hasWork = async (): Promise<boolean> => {
      await engine.wake(queue, run)
      return false
    }
    await engine.sleep(claim!, { hasWork })
    expect(await engine.claim(queue, lease)).toMatchObject({ attempt: 2 })
  })

  test('a run that has work when it wants to sleep is claimable at once', async () => {
    const queue = nextQueue()
    await engine.start(queue, 'task')
    const claim = await engine.claim(queue, lease)
    await engine.sleep(claim!, { hasWork: () => Promise.resolve(true) })
    expect(await engine.claim(queue, lease)).toMatchObject({ attempt: 2 })
  })

  test('waking a claimed run does not take it from its holder', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task')
    const claim = await engine.claim(queue, lease)
    await engine.wake(queue, run)
    expect(await engine.claim(queue, lease)).toBeUndefined()
    expect(await engine.extend(claim!, lease)).toBe(true)
  })

  test('a finished run is over', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task')
    const claim = await engine.claim(queue, 1)
    expect(await engine.isLive(queue, run)).toBe(true)
    expect(await engine.finish(claim!)).toBe(true)
    expect(await engine.isLive(queue, run)).toBe(false)
    await engine.wake(queue, run)
    expect(await engine.claim(queue, lease)).toBeUndefined()
  })

  test('a canceled run is over, and its holder learns it at the next heartbeat', async () => {
    const queue = nextQueue()
    const run = await engine.start(queue, 'task')
    const claim = await engine.claim(queue, lease)
    await engine.cancel(queue, run)
    await engine.cancel(queue, run)
    expect(await engine.extend(claim!, lease)).toBe(false)
    expect(await engine.isLive(queue, run)).toBe(false)
  })
}

describe('memory', () => {
  contract(() => Promise.resolve({ engine: new MemoryEngine(), now: Date.now, close: () => Promise.resolve() }))
})

for (const { name, isMissing, open } of testDatabases())
  describe.skipIf(isMissing)(name, () => {
    contract(async () => {
      const database = await open()
      return { engine: database.engine, now: () => database.now(), close: () => database.close() }
    })
  })

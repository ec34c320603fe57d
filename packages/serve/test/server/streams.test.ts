import { createMemoryStore } from '@modelport/agent'
import { describe, expect, it } from 'vitest'
import { toResponse } from '../../src/wire/reply.js'
import { EventStreams } from '../../src/wire/sse.js'
import { echoAgent, eventsOf, say, testServer } from './support.js'

describe('a stream', () => {
  it('a stream stops counting when its source fails', async () => {
    const streams = new EventStreams()
    const response = toResponse(
      streams.respond({ next: () => Promise.reject(new Error('the store is gone')) }),
    )
    expect(streams.size).toBe(1)
    await expect(response.text()).rejects.toThrow('the store is gone')
    expect(streams.size).toBe(0)
  })
})

describe('a reader that leaves', () => {
  it('a reader that leaves a stream in which nothing happens is let go at once, and nothing follows the task any more', async () => {
    const store = createMemoryStore()
    const watch = store.tasks.watch.bind(store.tasks)
    let following = 0
    store.tasks.watch = async function* (...given) {
      following++
      try {
        yield* watch(...given)
      } finally {
        following--
      }
    }
    const { rpc, request } = testServer({ store })
    const { task } = (await rpc('SendMessage', say('ask'))).result
    const reader = (await request(`/tasks/${task.id}:subscribe`)).body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(
      'TASK_STATE_INPUT_REQUIRED',
    )
    await expect.poll(() => following).toBe(1)
    await reader?.cancel()
    expect(following).toBe(0)
  })
})

describe('a reader that does not read', () => {
  it('a reader that does not read is dropped and its source is ended, while other readers continue', async () => {
    const streams = new EventStreams({ keepAliveMs: 1, stallMs: 1 })
    let isEnded = false
    const source: AsyncIterator<{ data: string }> = {
      next: () => Promise.resolve({ done: false, value: { data: 'x' } }),
      return: () => {
        isEnded = true
        return Promise.resolve({ done: true, value: undefined })
      },
    }
    const idle: AsyncIterator<{ data: string }> = { next: () => new Promise(() => undefined) }
    const stalled = toResponse(streams.respond(source)).body?.getReader()
    const waiting = toResponse(streams.respond(idle)).body?.getReader()
    await expect.poll(() => streams.size).toBe(1)
    expect(isEnded).toBe(true)
    await stalled?.read().then(
      () => expect(stalled.read()).rejects.toThrow('the reader stalled'),
      (error: unknown) => expect(String(error)).toContain('the reader stalled'),
    )
    expect(new TextDecoder().decode((await waiting?.read())?.value)).toBe(': keep-alive\n\n')
    streams.close()
  })

  it('a reader that does not read does not delay the task, and at most one event waits for it', async () => {
    const handler = async ({ delta }: { delta(text: string): Promise<void> }) => {
      for (let index = 0; index < 500; index++) await delta(`${index} `)
      return undefined
    }
    const { rpc, request } = testServer({}, [echoAgent({ handler })])
    const response = await request('/message:stream', { json: say('x', { contextId: 'c' }) })
    const first = async () => (await rpc('ListTasks', { contextId: 'c' })).result.tasks[0]
    await expect.poll(async () => (await first()).status.state).toBe('TASK_STATE_COMPLETED')
    const events = await eventsOf(response)
    const text = events
      .map(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0].text ?? '')
      .join('')
    expect(text).toBe(Array.from({ length: 500 }, (_, index) => `${index} `).join(''))
  })
})

describe('many readers of one task', () => {
  // The full size is 10,000: MODELPORT_SUBSCRIBERS=10000 runs it, and prints what each costs.
  const count = Number(process.env['MODELPORT_SUBSCRIBERS'] ?? 500)

  it('many readers of one task all receive its end, and leave nothing behind', async () => {
    const { rpc, request, server } = testServer({ streams: { maxStreams: count } })
    const { task } = (await rpc('SendMessage', say('ask'))).result
    const before = process.memoryUsage().heapUsed
    const open = await Promise.all(
      Array.from({ length: count }, () => request(`/tasks/${task.id}:subscribe`)),
    )
    const readers = open.map((response) =>
      (response.body as ReadableStream<Uint8Array>).getReader(),
    )
    await Promise.all(readers.map((reader) => reader.read()))
    if (process.env['MODELPORT_SUBSCRIBERS'])
      console.log(
        `${Math.round((process.memoryUsage().heapUsed - before) / count)} bytes of heap each`,
      )
    const full = await request(`/tasks/${task.id}:subscribe`)
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1'])
    await rpc('SendMessage', say('Rome', { taskId: task.id }))
    const decoder = new TextDecoder()
    const ends = await Promise.all(
      readers.map(async (reader) => {
        let text = ''
        for (let next = await reader.read(); !next.done; next = await reader.read())
          text += decoder.decode(next.value)
        return text.includes('TASK_STATE_COMPLETED')
      }),
    )
    expect(ends.filter(Boolean)).toHaveLength(count)
    expect((await request('/message:stream', { json: say('hi') })).status).toBe(200)
    await server.close(100)
  })
})

describe('a session of 1,000 tasks', () => {
  it('a session of 1,000 tasks takes space in proportion to the text of its messages', async () => {
    const store = createMemoryStore()
    const { rpc } = testServer({ store })
    const key = { principal: 'anonymous', agent: 'echo', id: 'long' }
    const bytes: number[] = []
    const events: number[] = []
    for (let index = 1; index <= 1_000; index++) {
      const { task } = (await rpc('SendMessage', say('hi', { contextId: 'long' }))).result
      if (index % 500) continue
      bytes.push(JSON.stringify(await store.sessions.read(key, 1)).length)
      events.push(
        (await store.tasks.read({ principal: 'anonymous', id: task.id as string }, 1)).length,
      )
    }
    const [half = 0, whole = 0] = bytes
    expect(whole).toBeLessThan(half * 2.1)
    expect(events[0]).toBe(events[1])
  })
})

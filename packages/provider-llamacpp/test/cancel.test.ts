import { afterAll, describe, expect, test, vi } from 'vitest'
import { createLlamaCpp } from '../src/index.js'
import { leaseModel } from '../src/model-pool.js'
import { local, modelPath, tools, unavailable, user } from './local-model.js'

const long = [user('Tell me a story.')]
/** A reply that ends only where it is stopped. */
const endless = {
  responseFormat: {
    type: 'json-schema',
    schema: { type: 'array', items: { const: 'again' }, minItems: 500 },
  },
} as const

describe.skipIf(unavailable !== undefined)('ending a reply early', () => {
  const provider = local({ contextSize: 4096 })
  afterAll(() => provider.close())

  test('an abort rejects with its reason, keeps the text, and frees the place at once', async () => {
    const controller = new AbortController()
    const reader = await provider.streamWithHistory(long, { ...endless, signal: controller.signal })
    await reader.next()
    await reader.next()
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(reader.next()).rejects.toBe(reason)
    expect(reader.fullText()).toMatch(/^\["?/)
    expect(await provider.complete('Send an emoji')).toContain('🎉')
  })

  test('evaluation really stops: no token is made after the abort', async () => {
    const lease = await leaseModel({ modelPath, gpu: false })
    const original = lease.model.detokenize.bind(lease.model)
    let made = 0
    lease.model.detokenize = (...values) => {
      made++
      return original(...values)
    }
    try {
      const controller = new AbortController()
      const reader = await provider.streamWithHistory(long, {
        ...endless,
        signal: controller.signal,
      })
      for (let count = 0; count < 5; count++) await reader.next()
      controller.abort(new Error('stop'))
      await reader.next().catch(() => undefined)
      // It is answered once the only place is free.
      await provider.complete('Send an emoji')
      const after = made
      expect(after).toBeGreaterThan(3)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(made).toBe(after)
    } finally {
      lease.model.detokenize = original
      await lease.release()
    }
  })

  test('a slow reader stops the model, and nothing is generated ahead', async () => {
    const reader = await provider.streamWithHistory(long, endless)
    await reader.next()
    const { outputTokens } = reader.usage()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reader.fullText().length).toBeLessThan(20)
    expect(outputTokens).toBe(0)
    await reader.close()
  })

  test('a long prompt is stopped between two batches', async () => {
    const controller = new AbortController()
    const call = provider.complete('word '.repeat(1200), { signal: controller.signal })
    setTimeout(() => {
      controller.abort(new Error('no more'))
    }, 5)
    await expect(call).rejects.toThrow('no more')
    expect(await provider.complete('Send an emoji')).toContain('🎉')
  })

  test('two hundred replies, each ended in its own way, leave nothing behind', async () => {
    await provider.complete('Send an emoji')
    const lease = await leaseModel({ modelPath, gpu: false })
    const contexts = vi.spyOn(lease.model, 'createContext')
    for (let count = 0; count < 200; count++) {
      const controller = new AbortController()
      const reader = await provider.streamWithTools(long, tools, {
        ...(count % 2 ? endless : {}),
        signal: controller.signal,
      })
      for (let read = 0; read < count % 5; read++) await reader.next()
      if (count % 3 === 0) controller.abort(new Error('x'))
      else await reader.close()
    }
    // The only place is free, and it is the one of the first reply.
    expect(await provider.complete('Send an emoji')).toContain('🎉')
    expect(contexts).not.toHaveBeenCalled()
    contexts.mockRestore()
    await lease.release()
  })

  test('a call that gives up while it waits for a place leaves the queue', async () => {
    const holder = await provider.streamWithHistory(long, endless)
    await holder.next()
    const controller = new AbortController()
    const waiting = provider.complete('Send an emoji', { signal: controller.signal })
    const patient = provider.complete('Send an emoji')
    setTimeout(() => {
      controller.abort(new Error('tired'))
    }, 20)
    await expect(waiting).rejects.toThrow('tired')
    await holder.close()
    expect(await patient).toContain('🎉')
  })

  test('a deadline ends a reply too', async () => {
    await expect(
      provider.generate(long, { ...endless, deadlineMs: 60, retry: { attempts: 1 } }),
    ).rejects.toMatchObject({ code: 'timeout', reason: 'deadline' })
    expect(await provider.complete('Send an emoji')).toContain('🎉')
  })
})

describe.skipIf(unavailable !== undefined)('several replies at once', () => {
  const prompts = ['Send an emoji', 'Tell me a story.', 'What is the weather in Paris?', 'Hello']

  test.each([1, 3])(
    'with %i places, each reply is the same as when it is generated alone',
    async (parallel) => {
      const provider = local({ parallel })
      const alone: string[] = []
      for (const prompt of prompts) alone.push(await provider.complete(prompt))
      const jobs = [...prompts, ...prompts, ...prompts]
      const together = await Promise.all(jobs.map((prompt) => provider.complete(prompt)))
      expect(together).toEqual([...alone, ...alone, ...alone])
      await provider.close()
    },
  )
})

describe.skipIf(unavailable !== undefined)('memory', () => {
  test('a file is loaded once, and freed when its last user closes it', async () => {
    const [first, second] = [local(), local({ parallel: 2 })]
    await Promise.all([first.load(), second.load()])
    const lease = await leaseModel({ modelPath, gpu: false })
    const { model } = lease
    const again = await leaseModel({
      modelPath: modelPath.replace('/fixtures/', '/./fixtures/'),
      gpu: false,
    })
    expect(again.model).toBe(model)
    await Promise.all([
      lease.release(),
      lease.release(),
      again.release(),
      first.close(),
      first.close(),
    ])
    expect(model.disposed).toBe(false)
    expect(await second.complete('Send an emoji')).toContain('🎉')
    await second.close()
    expect(model.disposed).toBe(true)
  })

  test('closing ends running and waiting calls, and refuses new ones', async () => {
    const provider = createLlamaCpp({ modelPath, gpu: false, threads: 1 })
    const reader = await provider.streamWithHistory(long, endless)
    await reader.next()
    const waiting = provider.complete('Send an emoji')
    const failed = expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await provider.close()
    await failed
    await expect(reader.next()).rejects.toMatchObject({ code: 'aborted' })
    await expect(provider.complete('x')).rejects.toMatchObject({ code: 'aborted' })
  })

  test('closing what was never loaded loads nothing', async () => {
    await using provider = createLlamaCpp({ modelPath: '/nowhere/model.gguf' })
    await provider.close()
    expect(provider.model).toBe('model')
  })
})

import { deepseek } from '@modelport/catalog'
import type { Provider } from '@modelport/core'
import { expect, test } from 'vitest'
import {
  createOpenAICompatible,
  createOpenAICompatibleEmbedder,
  createPreset,
  createPresetProvider,
  listModels,
} from '../src/index.js'

const base = {
  baseUrl: 'http://127.0.0.1:9',
  model: 'm',
  fetch: () => Promise.reject(new Error('nothing is sent')),
}
const provider = createOpenAICompatible(base)
const of = (more: object): Parameters<typeof createOpenAICompatible>[0] => ({ ...base, ...more })

test.each([
  [{ baseURL: 'http://127.0.0.1:1' }, 'unknown setting "baseURL"; did you mean "baseUrl"?'],
  [{ retry: { attempts: 1 } }, 'unknown setting "retry"; set defaults.retry'],
  [{ maxOutputTokens: 5 }, 'unknown setting "maxOutputTokens"; set defaults.maxTokens'],
  [{ idleMs: 5 }, 'unknown setting "idleMs"; set timeouts.idleMs'],
  [{ streamUsage: false }, 'unknown setting "streamUsage"; set quirks.streamUsage'],
  [
    { defaults: { maxOutputTokens: 5 } },
    'defaults: unknown setting "maxOutputTokens"; did you mean "maxTokens"?',
  ],
  [{ timeouts: { idle: 5 } }, 'timeouts: unknown setting "idle"; did you mean "idleMs"?'],
  [{ quirks: { stream: false } }, 'quirks: unknown setting "stream"'],
])('a creator refuses %j and says what was meant', (more, message) => {
  const config = of(more)
  const creators = {
    createOpenAICompatible,
    createOpenAICompatibleEmbedder,
    createPreset: () => createPreset('deepseek', config),
    createPresetProvider: () => createPresetProvider(deepseek, config),
  }
  for (const [name, create] of Object.entries(creators)) {
    const failing = expect(() => create(config), name)
    failing.toThrow(TypeError)
    failing.toThrow(`${name}: ${message}`)
  }
})

const user = [{ role: 'user' as const, content: 'x' }]
const tool = { name: 't', description: 'd', parameters: { type: 'object' } }

test.each<[string, (provider: Provider, options: object) => Promise<unknown>]>([
  ['complete', (p, options) => p.complete('x', options)],
  ['completeWithHistory', (p, options) => p.completeWithHistory(user, options)],
  ['generate', (p, options) => p.generate(user, {}, options)],
  ['stream', (p, options) => p.stream('x', options)],
  ['streamWithHistory', (p, options) => p.streamWithHistory(user, options)],
  ['streamWithTools', (p, options) => p.streamWithTools(user, [tool], options)],
])('%s rejects an unknown option before anything is sent', async (_name, call) => {
  const misspelled = call(provider, { maxOutputTokens: 5 })
  await expect(misspelled).rejects.toThrow(TypeError)
  await expect(misspelled).rejects.toThrow(
    'openai-compatible: options of the call: unknown setting "maxOutputTokens"; did you mean "maxTokens"?',
  )
  await expect(call(provider, { attempts: 2 })).rejects.toThrow('; set retry.attempts')
  await expect(call(provider, { retry: { attempt: 2 } })).rejects.toThrow(
    'retry: unknown setting "attempt"',
  )
})

test('embed rejects an unknown option', async () => {
  const call = createOpenAICompatibleEmbedder(base).embed(['x'], { deadlineMS: 5 } as object)
  await expect(call).rejects.toThrow(
    'openai-compatible: options of embed: unknown setting "deadlineMS"; did you mean "deadlineMs"?',
  )
})

test('a field of its own that a message has is not sent, and one of a tool is refused by name', async () => {
  const bodies: unknown[] = []
  const answering = createOpenAICompatible({
    ...base,
    fetch: (_, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return Promise.resolve(
        Response.json({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }),
      )
    },
  })
  const messages = [{ role: 'user' as const, content: 'x', createdAt: 'today' }]
  expect((await answering.generate(messages, { tools: [tool] })).text).toBe('ok')
  expect(JSON.stringify(bodies)).not.toContain('today')

  const spread = { ...tool, execute: () => 'y' }
  await expect(answering.generate(messages, { tools: [spread] })).rejects.toThrow(
    'tool "t": unknown field "execute"',
  )
  expect(bodies).toHaveLength(1)
})

test('listModels checks its configuration, and settings that are undefined pass', async () => {
  await expect(listModels({ ...base, apikey: 'x' } as never)).rejects.toThrow(
    'did you mean "apiKey"?',
  )
  expect(createOpenAICompatible(of({ apikey: undefined })).model).toBe('m')
})

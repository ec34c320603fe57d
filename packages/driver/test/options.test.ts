import type { CallOptions } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { play, type Step } from './scripted-driver.js'

const whole: readonly Step[] = [
  ['text', 'Hi'],
  ['warning', 'the server cut the prompt'],
  ['finish', 'length'],
]

const hi = [{ role: 'user', content: 'Hi' }] as const

/** What the driver is asked to send for a call with these options. */
async function sent(defaults: CallOptions | 'vendor' | undefined, options: CallOptions) {
  const { provider, turns } = play([whole], defaults === undefined ? {} : { defaults })
  await provider.generate(hi, options)
  const [turn] = turns
  return { ...turn?.options, vendor: undefined }
}

describe('an option that is null', () => {
  test('an option that is null sends nothing, whatever the defaults are; undefined leaves them as they are', async () => {
    expect(await sent({}, {})).toEqual({ maxTokens: 4096, temperature: 0.7 })
    expect(await sent({}, { maxTokens: null, temperature: null })).toEqual({})
    expect(
      await sent({ maxTokens: 9, topP: 0.5, system: 'Be brief' }, { topP: null, system: null }),
    ).toEqual({
      maxTokens: 9,
      temperature: 0.7,
    })
    expect(
      await sent({ maxTokens: null, topP: 0.5 }, { topP: undefined, maxTokens: undefined }),
    ).toEqual({
      topP: 0.5,
      temperature: 0.7,
    })
  })

  test('an option that is null is replaced by a later value', async () => {
    expect(
      await sent({ maxTokens: null, temperature: null }, { maxTokens: 5, temperature: 0 }),
    ).toEqual({
      maxTokens: 5,
      temperature: 0,
    })
  })
})

describe('a server that refuses the default temperature', () => {
  const refusal = () =>
    Response.json(
      { error: "Unsupported parameter: 'temperature' is not supported with this model." },
      { status: 400 },
    )

  test('a server that refuses the default temperature gets the request once more without it, and is not sent it again', async () => {
    const { provider, turns } = play([refusal, whole])
    expect((await provider.generate(hi)).message.content).toBe('Hi')
    expect(await (await provider.stream('Hi')).next()).toEqual({ done: false, value: 'Hi' })
    expect(turns.map(({ options }) => options.temperature)).toEqual([0.7, undefined, undefined])
  })

  test('a server that refuses the default temperature fails the call if the caller set it, or if it refuses the request all the same', async () => {
    const own = play([refusal, whole])
    await expect(own.provider.complete('Hi', { temperature: 0.7 })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(own.turns).toHaveLength(1)
    const always = play([refusal])
    await expect(always.provider.stream('Hi')).rejects.toMatchObject({ code: 'invalid-request' })
    expect(always.turns).toHaveLength(2)
  })
})

test("defaults: 'vendor' sends neither maxTokens nor temperature, unless a call sets them", async () => {
  expect(await sent('vendor', {})).toEqual({})
  expect(await sent('vendor', { maxTokens: 7 })).toEqual({ maxTokens: 7 })
})

test('defaults of another form are refused where the provider is made', () => {
  for (const defaults of ['reference', [], 1] as never[])
    expect(() => play([whole], { defaults })).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining("or 'vendor'") as string,
      }),
    )
})

test('warnings, and a reply that was cut at maxTokens, reach onWarning, whose errors are ignored', async () => {
  const warnings: string[] = []
  const onWarning = (warning: string): void => {
    warnings.push(warning)
    throw new Error('ignored')
  }
  const { provider } = play([whole], { onWarning, secrets: ['prompt'] })
  expect((await provider.generate(hi)).message.content).toBe('Hi')
  expect(warnings).toEqual([
    'the server cut the [redacted]',
    'the reply was cut at the limit of tokens: raise maxTokens (default 4096), or set null for the largest',
  ])
})

test('a reader of text has the whole conversation, one with tools has its finish reason', async () => {
  const steps: readonly Step[] = [
    ['reasoning', 'Hm'],
    ['text', 'Hello'],
    ['state', { signature: 's' }],
    ['finish', 'stop'],
  ]
  const { provider } = play([steps])
  const reader = await provider.stream('Hi')
  for await (const _ of reader);
  const question = { role: 'user', content: 'Hi' } as const
  const origin = { provider: 'p', model: 'm', state: { signature: 's' } }
  expect(reader.messages()).toEqual([
    question,
    { role: 'assistant', content: 'Hello', reasoning: 'Hm', origin },
  ])
  const events = await provider.streamWithTools([question], [])
  expect(events.finishReason()).toBeUndefined()
  for await (const _ of events);
  expect(events.finishReason()).toBe('stop')
})

test('a configuration is read once: what is done to its objects later changes nothing', async () => {
  const stop = ['a']
  const defaults = { temperature: 0.1, stop, vendor: { text: { verbosity: 'low' } } }
  const headers: Record<string, string> = { 'x-team': 'one' }
  const { provider, turns, ios } = play([whole], { defaults, headers })
  defaults.temperature = 0.9
  stop.push('b')
  defaults.vendor.text.verbosity = 'high'
  headers['x-team'] = 'two'
  await provider.generate(hi)
  expect(turns[0]?.options).toMatchObject({
    temperature: 0.1,
    stop: ['a'],
    vendor: { text: { verbosity: 'low' } },
  })
  expect(ios[0]?.headers).toEqual({ 'x-team': 'one' })
})

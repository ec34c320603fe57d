import type { CallOptions } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import type { CommonConfig, ProviderSettings } from '../src/index.js'
import { play, type Step } from './scripted-driver.js'

const whole: readonly Step[] = [
  ['text', 'Hi'],
  ['warning', 'the server cut the prompt'],
  ['finish', 'length'],
]

const hi = [{ role: 'user', content: 'Hi' }] as const

/** What the driver is asked to send for a call with these options. */
async function sent(
  defaults: CommonConfig['defaults'],
  options: CallOptions,
  config: Partial<ProviderSettings> = {},
) {
  const { provider, turns } = play([whole], { ...config, ...(defaults && { defaults }) })
  await provider.generate(hi, options)
  const [turn] = turns
  return { ...turn?.options, vendor: undefined }
}

describe('an option that is null', () => {
  test('an option that is null sends nothing, whatever the defaults are; undefined leaves them as they are', async () => {
    const defaults = { maxTokens: 9, temperature: 0.2 }
    expect(await sent(defaults, {})).toEqual(defaults)
    expect(await sent(defaults, { maxTokens: null, temperature: null })).toEqual({})
    expect(
      await sent({ maxTokens: 9, topP: 0.5, system: 'Be brief' }, { topP: null, system: null }),
    ).toEqual({ maxTokens: 9 })
    expect(
      await sent({ maxTokens: null, topP: 0.5 }, { topP: undefined, maxTokens: undefined }),
    ).toEqual({ topP: 0.5 })
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

describe('what is sent that nobody set', () => {
  test('a call sends neither maxTokens nor temperature', async () => {
    expect(await sent(undefined, {})).toEqual({})
    expect(await sent('vendor', {})).toEqual({})
    expect(await sent('vendor', { maxTokens: 7 })).toEqual({ maxTokens: 7 })
  })

  test("a server of one's own gets 4096 tokens, unless the defaults or a call say otherwise", async () => {
    const own = { selfHosted: true }
    expect(await sent(undefined, {}, own)).toEqual({ maxTokens: 4096 })
    expect(await sent({ maxTokens: 9 }, {}, own)).toEqual({ maxTokens: 9 })
    expect(await sent({}, { maxTokens: 9 }, own)).toEqual({ maxTokens: 9 })
    expect(await sent({}, { maxTokens: null }, own)).toEqual({})
    expect(await sent('vendor', {}, own)).toEqual({})
  })

  test("defaults: 'reference' sends 4096 tokens and a temperature of 0.7, unless a call sets or clears them", async () => {
    expect(await sent('reference', {})).toEqual({ maxTokens: 4096, temperature: 0.7 })
    expect(await sent('reference', { maxTokens: 7, temperature: null })).toEqual({ maxTokens: 7 })
  })

  test("defaults: 'reference' sends no temperature where the model is known to take none", async () => {
    const { provider, turns } = play(
      [whole],
      { defaults: 'reference' },
      { takesTemperature: () => false },
    )
    await provider.generate(hi)
    expect(turns[0]?.options).toMatchObject({ maxTokens: 4096 })
    expect(turns[0]?.options).not.toHaveProperty('temperature')
  })

  test('a server that refuses a temperature fails the call, and no second request is made', async () => {
    const refusal = () =>
      Response.json(
        { error: "Unsupported parameter: 'temperature' is not supported with this model." },
        { status: 400 },
      )
    for (const [defaults, options] of [
      ['reference', {}],
      [{}, { temperature: 0.7 }],
    ] as const) {
      const { provider, turns } = play([refusal, whole], { defaults })
      await expect(provider.complete('Hi', options)).rejects.toMatchObject({
        code: 'invalid-request',
      })
      expect(turns).toHaveLength(1)
    }
  })
})

test('defaults of another form are refused where the provider is made', () => {
  for (const defaults of ['references', [], 1] as never[])
    expect(() => play([whole], { defaults })).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining("'vendor' or 'reference'") as string,
      }),
    )
})

test('warnings, and a reply that was cut at its limit, reach onWarning, whose errors are ignored', async () => {
  const warnings: string[] = []
  const onWarning = (warning: string): void => {
    warnings.push(warning)
    throw new Error('ignored')
  }
  const { provider } = play([whole], { onWarning, secrets: ['prompt'] })
  expect((await provider.generate(hi)).message.content).toBe('Hi')
  expect((await provider.generate(hi, { maxTokens: 7 })).message.content).toBe('Hi')
  expect(warnings).toEqual([
    'the server cut the [redacted]',
    'the reply was cut at the largest length that the model or its server allows',
    'the server cut the [redacted]',
    'the reply was cut at maxTokens 7: raise it, or set null for the largest',
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

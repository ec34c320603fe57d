import { LlmError, type Provider } from '@modelport/core'
import {
  checkApiKey,
  createEndpointClient,
  type ProviderSettings,
  toProviderError,
} from '@modelport/driver'
import { expect, test } from 'vitest'
import { play } from './scripted-driver.js'

// A configuration that was read from JSON, or written in JavaScript, has not met the compiler.
type Given = { readonly [Field in keyof ProviderSettings]?: unknown }

const make = (given: Given): Provider =>
  play(
    [
      [
        ['text', 'x'],
        ['finish', 'stop'],
      ],
    ],
    given as Partial<ProviderSettings>,
  ).provider
const refusal = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error instanceof LlmError ? `${error.code}: ${error.message}` : error
  }
}

const headers = (name: string): string => `config: headers: "${name}" must be text of one line`
const hosts = 'config: enforceHosts must be a boolean or a list of "host:port"'
const numbers = 'config: limits and timeouts must be numbers'

test.each<[given: Given, told: string]>([
  [{ headers: { 'a b': 'x' } }, headers('a b')],
  [{ headers: { '': 'x' } }, headers('')],
  [{ headers: { a: 'sk-1\nb: c' } }, headers('a')],
  [{ headers: { a: 'sk-1\r' + '\n x' } }, headers('a')],
  [{ headers: { a: '€' } }, headers('a')],
  [{ headers: { a: 1 } }, headers('a')],
  [{ headers: { b: 'x', a: null } }, headers('a')],
  [{ headers: { a: undefined } }, headers('a')],
  [{ enforceHosts: 'api.example:443' }, hosts],
  [{ enforceHosts: 1 }, hosts],
  [{ enforceHosts: null }, hosts],
  [{ enforceHosts: {} }, hosts],
  [{ enforceHosts: [1] }, hosts],
  [{ enforceHosts: ['api.example'] }, hosts],
  [{ enforceHosts: ['api.example:443', 'https://api.example:443'] }, hosts],
  [{ enforceHosts: ['API.example:443'] }, hosts],
  [{ model: undefined }, 'config: p: model must be text: the name of a model'],
  [{ fetch: 'x' }, 'config: fetch must be a function'],
  [{ timeouts: { idleMs: NaN } }, numbers],
  [{ timeouts: { headersMs: -1 } }, numbers],
  [{ timeouts: { connectMs: '5' } }, numbers],
  [{ timeouts: 'x' }, numbers],
  [{ limits: { maxBodyBytes: null } }, numbers],
  [{ defaults: { temperature: 9 } }, 'config: temperature must be a number between 0 and 2, not 9'],
  [
    { defaults: { retry: { attempts: 9 } } },
    'config: retry.attempts must be a whole number between 1 and 5, not 9',
  ],
])('%o is refused when a provider is made, and a client', (given, told) => {
  expect(refusal(() => make(given))).toBe(told)
  const client = (): unknown =>
    createEndpointClient('p', (failure) => toProviderError('p', failure), {
      model: 'm',
      cheapestModel: 'm',
      hosts: [],
      ...given,
    } as ProviderSettings)
  expect(refusal(client)).toBe(told)
})

test('a setting that is unset, or that can be used, is accepted', async () => {
  const given: readonly Given[] = [
    {
      headers: null,
      enforceHosts: undefined,
      fetch: undefined,
      timeouts: null,
      limits: undefined,
      defaults: null,
    },
    {
      headers: { 'X-A': 'é\n' },
      enforceHosts: false,
      timeouts: { idleMs: Infinity, headersMs: undefined, semanticIdleMs: undefined },
    },
    { enforceHosts: true, limits: { maxBodyBytes: 0 } },
    { enforceHosts: ['api.example:443', '[::1]:80'] },
  ]
  for (const one of given) expect(refusal(() => make(one))).toHaveProperty('model', 'm')
  await expect(make(given[1] ?? {}).complete('Hi')).resolves.toBe('x')
})

test('headers of one call are checked in the same way, and leave no timer', async () => {
  const { provider, ios, clock } = play([
    [
      ['text', 'x'],
      ['finish', 'stop'],
    ],
  ])
  const calling = provider.complete('Hi', { deadlineMs: 9, vendor: { headers: { a: 'x\ny' } } })
  await expect(calling).rejects.toMatchObject({
    code: 'config',
    retryable: false,
    message: headers('a').slice('config: '.length),
  })
  expect([ios.length, clock.pending]).toEqual([0, 0])
})

test('checkApiKey rejects a key that is not a string', () => {
  for (const key of [1, null, undefined, {}])
    expect(refusal(() => checkApiKey(key as never, 'p'))).toMatch(
      /^config: p: the API key is empty:/,
    )
})

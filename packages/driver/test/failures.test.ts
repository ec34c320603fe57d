import { inspect } from 'node:util'
import {
  type CallOptions,
  createRedact,
  LlmError,
  type Provider,
  ProviderError,
  zeroCounts,
} from '@modelport/core'
import {
  type HttpFailure,
  systemClock,
  toErrorCode,
  toNeutralError,
  toProviderError,
} from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { sanitizeError } from '../src/call/sanitize.js'
import { toNetworkError } from '../src/failure/network-error.js'
import { line, play, streamOf } from './scripted-driver.js'

describe('a failed response', () => {
  const failure = (
    status: number,
    headers: Record<string, string> = {},
    text = '',
  ): HttpFailure => ({
    status,
    headers: new Headers(headers),
    body: undefined,
    text,
    inBand: false,
  })

  test.each<[number, string]>([
    [200, 'unknown'],
    [299, 'unknown'],
    [300, 'redirect-refused'],
    [399, 'redirect-refused'],
    [400, 'invalid-request'],
    [401, 'auth'],
    [402, 'quota-exhausted'],
    [403, 'permission'],
    [404, 'not-found'],
    [407, 'auth'],
    [408, 'timeout'],
    [418, 'invalid-request'],
    [425, 'server'],
    [429, 'rate-limit'],
    [499, 'invalid-request'],
    [500, 'server'],
    [501, 'unsupported'],
    [502, 'server'],
    [503, 'overloaded'],
    [529, 'overloaded'],
  ])('%i is %s', (status, code) => {
    expect(toErrorCode(status)).toBe(code)
  })

  test('a failed response has the facts that are there, and no others', () => {
    const bare = toProviderError('p', failure(500))
    expect(bare.message).toBe('p: 500 server: no further information')
    expect(Object.keys(bare).sort()).toEqual(['code', 'provider', 'status'])
    const full = toProviderError(
      'p',
      failure(429, { 'retry-after': '2', 'x-request-id': 'r1' }, ' slow down '),
      {
        type: 'limit',
      },
    )
    expect(full).toMatchObject({
      code: 'rate-limit',
      message: 'p: 429 rate-limit: slow down',
      body: ' slow down ',
      requestId: 'r1',
      type: 'limit',
      retryAfterMs: 2000,
    })
    expect(
      toProviderError('p', failure(429, { 'retry-after': '2' }, 'x'), {
        code: 'quota-exhausted',
        message: 'paid up?',
        requestId: 'r2',
        retryAfterMs: 0,
      }),
    ).toMatchObject({
      code: 'quota-exhausted',
      message: 'p: 429 quota-exhausted: paid up?',
      requestId: 'r2',
      retryAfterMs: 0,
    })
  })

  test('a failed response says the start of a page, and keeps all of it', () => {
    const page = `<!doctype html>\n<title>502 Bad Gateway</title>${'<p>x</p>'.repeat(200)}`
    const error = toProviderError('p', failure(502, {}, page))
    expect(error.message).toBe(`p: 502 server: ${page.slice(0, 300)}`)
    expect(error.body).toBe(page)
    expect(toProviderError('p', failure(502, {}, 'x'.repeat(500))).message).toHaveLength(
      500 + 'p: 502 server: '.length,
    )
  })

  test('a failed response has the id of its request from any of the usual headers, the first of them', () => {
    for (const name of [
      'request-id',
      'x-request-id',
      'x-goog-request-id',
      'x-amzn-requestid',
      'cf-ray',
    ])
      expect(toProviderError('p', failure(500, { [name]: 'id' })).requestId).toBe('id')
    expect(
      toProviderError('p', failure(500, { 'cf-ray': 'ray', 'request-id': 'id' })).requestId,
    ).toBe('id')
    expect(
      toProviderError('p', failure(500, { 'cf-ray': 'ray', 'request-id': '' })).requestId,
    ).toBe('ray')
  })

  test('a failed response knows whether the server wants to be asked again, where it says so', () => {
    const wish = (value: string) =>
      (toProviderError('p', failure(500, { 'x-should-retry': value })) as { serverRetry?: boolean })
        .serverRetry
    expect([wish('true'), wish('false'), wish('maybe')]).toEqual([true, false, undefined])
  })
})

describe('a failed connection', () => {
  const thrown = (code: string) => Object.assign(new Error('why'), { code })

  test.each<[string, string, string | undefined]>([
    ['ENOTFOUND', 'network', 'dns'],
    ['EAI_NODATA', 'network', 'dns'],
    ['EAI_NONAME', 'network', 'dns'],
    ['ENETUNREACH', 'network', 'refused'],
    ['ConnectionRefused', 'network', 'refused'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'network', 'reset'],
    ['ConnectionClosed', 'network', 'reset'],
    ['ERR_SSL_X', 'network', 'tls'],
    ['UNABLE_TO_VERIFY', 'network', 'tls'],
    ['SELF_SIGNED_CERT', 'network', 'tls'],
    ['EPROTO', 'network', 'tls'],
    ['HOSTNAME_MISMATCH', 'network', 'tls'],
    ['UNKNOWN_CERTIFICATE', 'network', 'tls'],
    ['XCERT_', 'network', undefined],
  ])('%s is %s (%s)', (code, kind, reason) => {
    expect(toNetworkError(thrown(code), 'p', 'h:1')).toMatchObject({
      code: kind,
      ...(reason && { reason }),
    })
    expect(toNetworkError(thrown(code), 'p', 'h:1').reason).toBe(reason)
  })

  test('a failed connection says where and why, as far as that is known', () => {
    expect(toNetworkError(thrown('ECONNRESET'), 'p', 'h:1').message).toBe(
      'p: network (reset) at h:1: why',
    )
    expect(toNetworkError(thrown('ETIMEDOUT'), 'p', undefined).message).toBe(
      'p: timeout (connect): why',
    )
    expect(toNetworkError('why', 'p', undefined).message).toBe('p: network: why')
    expect(Object.keys(toNetworkError(new Error('why'), 'p', undefined)).sort()).toEqual([
      'code',
      'provider',
    ])
    const cause = toNetworkError(
      new Error('fetch failed', { cause: new Error('') }),
      'p',
      undefined,
    ).cause as Error
    expect([cause.message, cause.stack]).toEqual([
      'Error: fetch failed',
      'Error: Error: fetch failed',
    ])
    expect(cause).not.toHaveProperty('code')
    expect(
      toNetworkError(
        Object.assign(new Error('x'), { code: 7, cause: thrown('EPIPE') }),
        'p',
        undefined,
      ),
    ).toMatchObject({ reason: 'reset', message: 'p: network (reset): x' })
  })

  test('a failed connection looks at a chain of causes, not for ever', () => {
    const circle = new Error('round')
    circle.cause = circle
    expect(toNetworkError(circle, 'p', undefined).message).toBe('p: network: round')
    const many = new AggregateError(
      ['no error', thrown('ECONNREFUSED'), thrown('EPIPE')],
      'all failed',
    )
    expect(toNetworkError(many, 'p', undefined)).toMatchObject({
      reason: 'refused',
      message: 'p: network (refused): all failed',
    })
  })
})

describe('an error as the caller sees it', () => {
  const redact = createRedact(['sk-0123456789abcdef'])
  const clean = (error: unknown, extra = {}): ProviderError =>
    sanitizeError(error, 'p', redact, extra) as ProviderError

  test('an error as the caller sees it begins with the provider and the code', () => {
    expect(clean(new LlmError('config', 'no')).message).toBe('p: config: no')
    expect(clean(new LlmError('config', 'p: no')).message).toBe('p: no')
    expect(clean(new TypeError('no')).message).toBe('p: unknown: no')
    // A word that begins like the provider's name is not its name.
    expect(clean(new LlmError('config', 'prompt: no')).message).toBe('p: config: prompt: no')
    expect(clean(new TypeError('p2: no')).message).toBe('p: unknown: p2: no')
    expect(clean('no')).toMatchObject({ code: 'unknown', message: 'p: unknown: no' })
    expect(clean('no').cause).toBeUndefined()
  })

  test('an error as the caller sees it has the facts of the error, what is added, and nothing without a value', () => {
    const error = new ProviderError('server', 'p: x', {
      provider: 'q',
      status: 500,
      host: 'h:1',
      requestId: 'r',
      type: 't',
      retryAfterMs: 0,
      reason: 'idle',
      attempts: 1,
      body: '',
    })
    const found = clean(error, { attempts: 2 })
    expect(Object.fromEntries(Object.entries(found))).toEqual({
      code: 'server',
      provider: 'p',
      status: 500,
      host: 'h:1',
      requestId: 'r',
      type: 't',
      retryAfterMs: 0,
      reason: 'idle',
      attempts: 2,
      body: '',
    })
    expect(Object.keys(clean(new LlmError('config', 'x'))).sort()).toEqual(['code', 'provider'])
  })

  test('an error as the caller sees it has a plain copy of its cause, cut to 2048 characters', () => {
    const cause = Object.assign(new RangeError(`${'x'.repeat(2048)}y`), {
      code: 'E1',
      request: 'secret',
    })
    const copy = clean(cause).cause as Error & { code: string }
    expect([copy.name, copy.code, copy.message.length, copy.stack]).toEqual([
      'RangeError',
      'E1',
      2048,
      `RangeError: ${'x'.repeat(2048)}`,
    ])
    expect(copy).not.toHaveProperty('request')
    const inner = clean(new LlmError('network', 'x', { cause: new Error('inner') })).cause as Error
    expect(inner.message).toBe('inner')
    expect(inner).not.toHaveProperty('code')
    expect(clean(Object.assign(new Error('x'), { code: 7 })).cause).not.toHaveProperty('code')
    expect(clean(new LlmError('network', 'x', { cause: 'text' })).cause).toBeUndefined()
    expect(clean(new LlmError('network', 'x')).cause).toBeUndefined()
  })

  test('an error as the caller sees it keeps tool calls without a secret unchanged', () => {
    const toolCalls = [{ id: 'a', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}' }]
    const usage = {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
      reasoningTokens: 0,
      toolDefinitionTokens: 0,
      turns: [],
      reported: false,
    }
    const partial = { text: 't', reasoning: 'r', toolCalls, usage, bytes: 1 }
    const found = clean(new ProviderError('truncated', 'x', { provider: 'p', partial })).partial
    expect(found).toEqual(partial)
    const secret = {
      ...partial,
      toolCalls: [
        { id: 'a', name: 'f', arguments: { key: 'sk-0123456789abcdef' }, argumentsText: '' },
      ],
    }
    expect(
      clean(new ProviderError('truncated', 'x', { provider: 'p', partial: secret })).partial
        ?.toolCalls[0]?.arguments,
    ).toEqual({ key: '[redacted]' })
  })

  test('an error as the caller sees it keeps numbers and words of JSON in tool calls, whatever the secrets are', () => {
    const call = {
      id: 'a',
      name: 'f',
      arguments: { n: 4096, yes: true, error: ['true 4096'] },
      argumentsText: '4096',
    }
    const usage = { ...zeroCounts, toolDefinitionTokens: 0, turns: [], reported: false }
    const partial = { text: '', reasoning: '', toolCalls: [call], usage, bytes: 1 }
    const given = new ProviderError('truncated', 'x', { provider: 'p', partial })
    const redact = createRedact(['4096', 'true', 'error'])
    expect((sanitizeError(given, 'p', redact) as ProviderError).partial?.toolCalls).toEqual([
      {
        id: 'a',
        name: 'f',
        arguments: { n: 4096, yes: true, '[redacted]': ['[redacted] [redacted]'] },
        argumentsText: '[redacted]',
      },
    ])
  })
})

describe('secrets of a provider', () => {
  const refused = async (settings: Parameters<typeof play>[1], text: string) => {
    const { provider } = play([() => new Response(text, { status: 400 })], settings)
    return provider.complete('Hi').catch((error: unknown) => (error as Error).message)
  }

  test.each(['Authorization', 'X-Api-Key', 'x-token', 'my-secret', 'Cookie'])(
    'the header %s is one, with and without its scheme',
    async (name) => {
      expect(await refused({ headers: { [name]: 'Bearer 0123456789' } }, 'not 0123456789')).toBe(
        'p: 400 invalid-request: not [redacted]',
      )
      expect(await refused({ headers: { [name]: '0123456789' } }, 'not 0123456789')).toBe(
        'p: 400 invalid-request: not [redacted]',
      )
    },
  )

  test('secrets of a provider include each word of a header with a key, a cookie or a value that looks like a key', async () => {
    const headers = {
      cookie: 'theme=dark; session=s3ss10n-of-tests==',
      'x-team': 'pk0123456789abcdefghijkl',
      'proxy-authorization': 'Basic dXNlcjpwYXNz',
      'x-password': 'hunter2',
    }
    const said = await refused(
      { headers },
      'dark s3ss10n-of-tests== pk0123456789abcdefghijkl dXNlcjpwYXNz hunter2',
    )
    expect(said).toBe('p: 400 invalid-request: dark [redacted] [redacted] [redacted] [redacted]')
  })

  test('the headers of one call are secrets of that call, and of its fallbacks to the defaults', async () => {
    const key = 'call-key-0123456789'
    const echo = () =>
      new Response(
        JSON.stringify({ error: key, half: key.slice(0, 13), encoded: btoa(`user:${key}`) }),
        {
          status: 400,
          headers: { 'x-request-id': key },
        },
      )
    const vendor = { headers: { Authorization: `Bearer ${key}` } }
    const shown = (provider: Provider, options?: CallOptions) =>
      provider
        .complete('Hi', { retry: { attempts: 1 } }, options ?? {})
        .catch((error: unknown) => inspect(error, { depth: 20, showHidden: true }))
    for (const secrets of [['provider-key'], () => ['provider-key']]) {
      expect(await shown(play([echo], { secrets }).provider, { vendor })).not.toMatch(
        /call-key|Y2FsbC1rZX/,
      )
      expect(await shown(play([echo], { secrets, defaults: { vendor } }).provider)).not.toMatch(
        /call-key|Y2FsbC1rZX/,
      )
      expect(
        await shown(
          play([echo], { secrets, headers: { authorization: `Bearer ${key}` } }).provider,
        ),
      ).not.toMatch(/call-key|Y2FsbC1rZX/)
      // The next call without it has nothing to hide.
      expect(await shown(play([echo], { secrets }).provider)).toContain(key)
    }
  })

  test('a key of the provider and one of the call, one inside the other, are both redacted whole', async () => {
    const { provider } = play(
      [() => new Response('short-key short-key-and-its-end', { status: 400 })],
      {
        secrets: ['short-key'],
      },
    )
    await expect(
      provider.complete('Hi', { vendor: { headers: { 'x-api-key': 'short-key-and-its-end' } } }),
    ).rejects.toMatchObject({ message: 'p: 400 invalid-request: [redacted] [redacted]' })
  })

  test('reports of retries, truncated responses and wrong options contain no header of the call', async () => {
    const key = 'call-key-0123456789'
    const vendor = { headers: { 'x-api-key': key } }
    const told: string[] = []
    const clock = { ...systemClock, random: () => 0 }
    const { provider } = play(
      [
        () => new Response(key, { status: 500 }),
        () => new Response(streamOf([line(['text', `so ${key}`])])),
      ],
      { clock },
    )
    const reader = await provider.stream('Hi', {
      vendor,
      retry: { attempts: 2, onRetry: ({ error }) => told.push(error.message) },
    })
    expect(await reader.next()).toEqual({ done: false, value: `so ${key}` })
    const cut = await reader.next().catch((error: unknown) => error)
    expect(told).toEqual(['p: 500 server: [redacted]'])
    expect(cut).toMatchObject({ code: 'truncated', partial: { text: 'so [redacted]' } })
    const wrong = provider.completeWithHistory([{ role: key as 'user', content: '' }], { vendor })
    await expect(wrong).rejects.toMatchObject({
      message: expect.stringContaining('[redacted]') as string,
    })
    const mixedUp = provider.complete('Hi', { vendor, topP: key as unknown as number })
    await expect(mixedUp).rejects.toMatchObject({
      message: 'p: config: topP must be a number between 0 and 1, not "[redacted]"',
    })
  })

  test('headers that are not an object hide nothing and break nothing', async () => {
    for (const headers of [undefined, null, 'x', 7]) {
      const { provider } = play([() => new Response('no', { status: 400 })])
      await expect(provider.complete('Hi', { vendor: { headers } })).rejects.toMatchObject({
        message: 'p: 400 invalid-request: no',
      })
    }
  })

  test('another header is not treated as a secret', async () => {
    expect(await refused({ headers: { 'x-trace': '0123456789' } }, 'not 0123456789')).toBe(
      'p: 400 invalid-request: not 0123456789',
    )
  })

  test('secrets of a provider are asked for each time if they change', async () => {
    let secret = 'first-0123456789'
    const settings = { secrets: () => [secret], headers: { authorization: 'Basic always-0123' } }
    expect(await refused(settings, 'first-0123456789 always-0123')).toBe(
      'p: 400 invalid-request: [redacted] [redacted]',
    )
    secret = 'second-0123456789'
    expect(await refused(settings, 'first-0123456789 second-0123456789')).toBe(
      'p: 400 invalid-request: first-0123456789 [redacted]',
    )
  })
})

test('a failure of the neutral wire is typed', () => {
  expect(toNeutralError('p', { body: { code: 'server', message: 'p: down' } })).toMatchObject({
    code: 'server',
    message: 'p: down',
    provider: 'p',
  })
  expect(toNeutralError('p', { body: { code: 'server', message: 'down' } }).message).toBe(
    'p: server: down',
  )
  expect(toNeutralError('p', { body: { code: 'server', message: 'power is down' } }).message).toBe(
    'p: server: power is down',
  )
  expect(toNeutralError('p', { body: {} })).toMatchObject({
    code: 'unknown',
    message: 'p: unknown: ',
  })
})

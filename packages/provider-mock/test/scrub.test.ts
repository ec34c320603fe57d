import { describe, expect, test } from 'vitest'
import { recordCassette } from '../src/index.js'
import { apiKey, expectNoKey } from './recorded-server.js'

describe('what is redacted', () => {
  const recordOne = async (
    url: string,
    init: RequestInit,
    secrets: readonly string[] = [],
    answer = 'ok',
  ) => {
    const recorder = recordCassette({
      secrets,
      fetch: () =>
        Promise.resolve(new Response(answer, { headers: { 'x-ratelimit-remaining-tokens': '7' } })),
    })
    await (await recorder.fetch(url, init)).text()
    return recorder.cassette()
  }
  test.each([
    'authorization',
    'x-api-key',
    'api-key',
    'x-goog-api-key',
    'cookie',
    'proxy-authorization',
  ])('the header %s is redacted', async (name) => {
    const cassette = await recordOne(
      'https://host.example/a',
      { method: 'POST', headers: { [name]: `x=${apiKey}` }, body: `{"echo":"${apiKey}"}` },
      [],
      `your key ${apiKey}`,
    )
    expect(cassette.exchanges[0]?.request).toMatchObject({
      headers: { [name]: '[redacted]' },
      body: { echo: '[redacted]' },
    })
    expectNoKey(cassette)
  })
  test('keys in the URL are redacted', async () => {
    const cassette = await recordOne(
      `https://user:${apiKey}@host.example/a?key=${apiKey}&alt=sse&api_key=short`,
      {
        method: 'GET',
      },
    )
    expect(cassette.exchanges[0]?.request.url).toBe(
      'https://host.example/a?key=redacted&alt=sse&api_key=redacted',
    )
    expectNoKey(cassette)
  })
  test('given secrets are redacted wherever they are, beyond ASCII too; counts of rate limits stay', async () => {
    const cassette = await recordOne(
      'https://host.example/żółw',
      { method: 'POST', body: '{"user":"Zażółć","n":1}' },
      ['Zażółć', '/%C5%BC'],
      'Hello Zażółć',
    )
    expect(JSON.stringify(cassette)).not.toContain('Zażółć')
    expect(cassette.exchanges[0]).toMatchObject({
      request: { body: { user: '[redacted]', n: 1 } },
      response: { chunks: ['Hello [redacted]'], headers: { 'x-ratelimit-remaining-tokens': '7' } },
    })
  })
  test('a secret of three characters is taken out where it stands alone in a header or parameter; an empty one is ignored', async () => {
    const cassette = await recordOne(
      'https://host.example/a?q=abc&r=abcd',
      {
        method: 'POST',
        headers: { authorization: 'Bearer abc', 'x-team': 'abc; abcd' },
        body: '{"text":"abc"}',
      },
      ['', 'abc'],
      'abc',
    )
    expect(cassette.exchanges[0]).toMatchObject({
      request: {
        url: 'https://host.example/a?q=redacted&r=abcd',
        headers: { authorization: '[redacted]', 'x-team': '[redacted]; abcd' },
        body: { text: 'abc' },
      },
      response: { chunks: ['abc'] },
    })
  })
})

test('a key in a header of any name is redacted if the server repeats it', async () => {
  const key = 'pk0123456789abcdefghijkl'
  const recorder = recordCassette({
    fetch: () =>
      Promise.resolve(new Response(`{"error":"${key} and ${btoa(key)}"}`, { status: 400 })),
  })
  await recorder
    .fetch('https://host.example/', { method: 'POST', headers: { 'x-team': key }, body: '{}' })
    .then((response) => response.text())
  expect(JSON.stringify(recorder.cassette())).not.toMatch(/pk012345|cGswMTIz/)
})

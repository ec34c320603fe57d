import { isLlmError } from '@modelport/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cassette, CassetteMismatchError, replayCassette } from '../src/index.js'
import { type AnsweringServer, prompt, provider, recorded, startServer } from './recorded-server.js'

let server: AnsweringServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('a request that differs', () => {
  const mismatch = async (
    sent: RequestInit & { url?: string },
    options = {},
  ): Promise<CassetteMismatchError> => {
    const cassette: Cassette = {
      version: 1,
      exchanges: [
        {
          request: {
            method: 'POST',
            url: 'https://host.example/v1/chat',
            headers: { 'content-type': 'application/json' },
            body: {
              model: 'a',
              messages: [
                { role: 'user', content: 'What is the weather in Paris today, and in Rome?' },
              ],
              'a/b': 1,
            },
          },
          response: { status: 200, headers: {}, chunks: ['ok'] },
        },
      ],
    }
    const { url = 'https://host.example/v1/chat', ...init } = sent
    const error = await replayCassette(cassette, options)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...init,
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof CassetteMismatchError))
      throw new Error(`expected a mismatch, not ${String(error)}`)
    return error
  }
  const body = (change: object) =>
    JSON.stringify({
      model: 'a',
      messages: [{ role: 'user', content: 'What is the weather in Paris today, and in Rome?' }],
      'a/b': 1,
      ...change,
    })

  test('a request that differs is reported with its place and what changed', async () => {
    const error = await mismatch({
      url: 'https://host.example/v2/chat',
      headers: { 'content-type': 'text/plain' },
      body: body({
        model: 'b',
        temperature: 0,
        'a/b': undefined,
        messages: [
          { role: 'user', content: 'What is the weather in Paris tomorrow, and in Rome?' },
        ],
      }),
    })
    expect(error.code).toBe('invalid-request')
    expect(error.message).toMatchInlineSnapshot(`
      "cassette: the request is not the recorded one
        url: expected https://host.example/v1/chat, sent https://host.example/v2/chat
        header content-type: expected "application/json", sent "text/plain"
        /model: expected "a", sent "b"
        /messages/0/content: expected … in Paris today, and in Rome?", sent … in Paris tomorrow, and in Rome?"
        /a~1b: expected 1, sent nothing
        /temperature: expected nothing, sent 0"
    `)
  })
  test('a request that differs in a hundred places is reported in twenty lines', async () => {
    const error = await mismatch({
      body: body(
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index])),
      ),
    })
    expect(error.diff).toHaveLength(100)
    expect(error.message.split('\n')).toHaveLength(21)
    expect(error.message).toContain('… and 81 more')
  })
  test('a request that differs reaches the caller of a provider as a typed error, without a retry', async () => {
    const cassette = await recorded(server.baseUrl)
    const player = replayCassette(cassette)
    const error = await provider(server.baseUrl, player)
      .streamWithTools(prompt, [], { temperature: 1 })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    expect(isLlmError(error, 'invalid-request')).toBe(true)
    expect((error as Error).message).toContain('/options/temperature: expected 0, sent 1')
    expect(player.unused).toBe(1)
    expect(() => {
      player.assertAllUsed()
    }).toThrow(/1 exchange was not asked for\n {2}POST http/)
  })
  test('a request that differs passes in lenient mode, unless the path differs', async () => {
    const cassette = await recorded(server.baseUrl)
    const answer = await provider(
      server.baseUrl,
      replayCassette(cassette, { mode: 'lenient' }),
    ).stream('something else')
    expect((await answer.next()).value).toBe('Zażółć ')
    const error = await replayCassette(cassette, { mode: 'lenient' })(
      'https://host.example/other',
      {
        method: 'POST',
      },
    ).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(CassetteMismatchError)
  })
  test('requests in any order find their own recordings, until none is left', async () => {
    const exchange = (text: string) => ({
      request: { method: 'POST', url: 'https://host.example/', headers: {}, body: { text } },
      response: { status: 200, headers: {}, chunks: [`answer ${text}`] },
    })
    const player = replayCassette(
      { version: 1, exchanges: ['a', 'b', 'b'].map(exchange) },
      { order: 'any' },
    )
    const ask = async (text: string) =>
      (
        await player('https://host.example/', { method: 'POST', body: JSON.stringify({ text }) })
      ).text()
    expect([await ask('b'), await ask('a'), await ask('b')]).toEqual([
      'answer b',
      'answer a',
      'answer b',
    ])
    await expect(ask('a')).rejects.toThrow('no exchange is left')
  })
})

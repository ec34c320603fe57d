import { chatCompletions } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { testServer } from './support.js'

describe('a Chat Completions request', () => {
  const { request } = testServer({ wires: [chatCompletions()] })
  const ask = (fields: object) =>
    request('/v1/chat/completions', {
      json: { messages: [{ role: 'user', content: 'hi' }], ...fields },
    })

  it.each([
    { tools: [{ type: 'function', function: { name: 'pay' } }] },
    { n: 2 },
    { response_format: { type: 'json_object' } },
    { stop: 'END' },
    { logprobs: true },
  ])(
    'a Chat Completions request that asks for what the agent cannot do is refused: %j',
    async (fields) => {
      const response = await ask(fields)
      const [name] = Object.keys(fields)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: `/${name}: the agent does not support this; leave it out` } },
      ])
    },
  )

  it('a Chat Completions request that names fields with the values of the agent is answered', async () => {
    const fields = {
      tools: [],
      n: 1,
      response_format: { type: 'text' },
      stop: null,
      temperature: 1,
    }
    expect((await ask(fields)).status).toBe(200)
  })
})

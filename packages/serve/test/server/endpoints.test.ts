import { a2a, chatCompletions } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { testServer } from './support.js'

describe('the table of endpoints', () => {
  it('the table of endpoints has only paths that the server knows', async () => {
    const { server, request } = testServer({ wires: [a2a(), chatCompletions()] })
    const nothing = 'There is nothing at this address'
    expect(await (await request('/no/such/path')).text()).toContain(nothing)
    for (const { method, path } of server.describeEndpoints()) {
      const response = await request(path.replace(/\{\w+\}/g, 'x'), {
        method,
        ...(method === 'POST' && { json: {} }),
      })
      expect({ path, isKnown: !(await response.text()).includes(nothing) }).toEqual({
        path,
        isKnown: true,
      })
    }
  })
})

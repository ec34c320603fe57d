import { a2a, chatCompletions } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { echoAgent, testServer } from './support.js'

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
      expect({ path, isKnown: !(await response.text()).includes(nothing) }).toEqual({ path, isKnown: true })
    }
  })

  it('the table of endpoints matches the OpenAPI description, in which every operation has a unique id', () => {
    const { server } = testServer({}, [echoAgent(), echoAgent({ card: { name: 'other', description: 'Repeats' } })])
    const { openapi, paths } = server.toOpenApi() as {
      openapi: string
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => ({ at: `${method.toUpperCase()} ${path}`, operationId })),
    )
    const table = server.describeEndpoints().map(({ method, path }) => `${method} ${path}`)
    expect(openapi).toMatch(/^3\.1/)
    expect(new Set(described.map(({ at }) => at))).toEqual(new Set(table))
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length)
  })
})

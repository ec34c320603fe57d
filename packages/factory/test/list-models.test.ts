import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listModels, type ModelConfig } from '@modelport/factory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const answers: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'one' }, { id: 'two' }] },
  '/models': { data: [{ id: 'one' }, { id: 'two' }] },
  '/v1beta/models': { models: [{ name: 'models/one' }, { name: 'models/two' }] },
  '/api/tags': {
    models: [
      { name: 'one', model: 'one' },
      { name: 'two', model: 'two' },
    ],
  },
}
let server: Server
let url = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://localhost').pathname]
    response
      .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

describe('listModels', () => {
  const rows: [provider: string, path: string][] = [
    ['anthropic', ''],
    ['openai', '/v1'],
    ['google', ''],
    ['ollama', ''],
    ['openai-compatible', '/v1'],
    ['vllm', '/v1'],
  ]
  test.each(rows)('listModels asks %s', async (provider, path) => {
    const config: ModelConfig = { provider, baseUrl: url + path, apiKey: 'sk-0123456789' }
    expect((await listModels(config)).map(({ id }) => id)).toEqual(['one', 'two'])
  })

  test('listModels says where there is no list', async () => {
    await expect(listModels('mock')).rejects.toMatchObject({
      code: 'unsupported',
      message: 'mock: it has no list of models',
    })
  })
})

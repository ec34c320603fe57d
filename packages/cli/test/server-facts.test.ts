import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asksForTools } from '../src/models/server-facts.js'
import { useModel } from './set-up.js'
import { command } from './test-io.js'
import { configure, key } from './wire.js'

const responses: Readonly<Record<string, unknown>> = {
  'POST /api/show': { capabilities: ['completion', 'tools'] },
  'GET /api/v0/models': {
    data: [{ id: 'a' }, { id: 'b', capabilities: ['tool_use'] }, { id: 'c', capabilities: [] }],
  },
  'GET /props': { chat_template_caps: { supports_tools: true, supports_tool_calls: false } },
  'GET /v1/models': {
    data: [
      {
        id: 'a',
        supported_parameters: ['tools'],
        providers: [
          { provider: 'x', supports_tools: false },
          { provider: 'y', supports_tools: true },
        ],
      },
      { id: 'b', supported_parameters: ['seed'], providers: [] },
    ],
  },
}
let facts: Server
let asked: IncomingMessage[] = []
let origin: string
beforeAll(async () => {
  facts = createServer((request, response) => {
    asked.push(request)
    const found = responses[`${request.method} ${request.url}`]
    response.statusCode = found ? 200 : 404
    response.end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((resolve) => facts.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(facts.address() as AddressInfo).port}`
})
afterAll(() => facts.close())

const ask = (provider: string, model: string, baseUrl = origin): Promise<boolean | undefined> => {
  asked = []
  const cli = { context: { environment: () => undefined }, signal: new AbortController().signal }
  return asksForTools({ provider, model, baseUrl, apiKey: key }, cli)
}

test.each([
  ['ollama', 'a', '', true],
  ['lmstudio', 'b', '/v1', true],
  ['lmstudio', 'c', '/v1', false],
  ['lmstudio', 'a', '/v1', undefined],
  ['llamacpp-server', 'a', '', false],
  ['openai-compatible', 'a', '/v1', false],
  ['openrouter', 'a', '/v1', true],
  ['openrouter', 'b', '/v1', false],
  ['openrouter', 'unknown', '/v1', undefined],
  ['huggingface', 'a', '/v1', true],
  ['huggingface', 'a:x', '/v1', false],
  ['huggingface', 'b', '/v1', undefined],
])(
  '%s says of the model %s at %j whether it calls tools: %s',
  async (provider, model, path, expected) => {
    expect(await ask(provider, model, origin + path)).toBe(expected)
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`])
  },
)

test('servers without such a fact are not asked, and a server that does not respond is passed over', async () => {
  expect(await ask('openai', 'a')).toBeUndefined()
  expect(asked).toHaveLength(0)
  expect(await ask('ollama', 'a', 'http://127.0.0.1:9')).toBeUndefined()
})

test.each([
  [500, { error: { message: 'tools param requires --jinja flag' } }, false],
  [404, { error: { message: 'File Not Found' } }, true],
  [200, { prompt: 'A template of Jinja.' }, true],
])(
  'a llama-server whose template has tools is asked for a prompt with tools, and responds %s: %j',
  async (status, body, expected) => {
    const server = createServer((request, response) => {
      const caps = { chat_template_caps: { supports_tools: true, supports_tool_calls: true } }
      const isPrompt = request.url === '/apply-template'
      response.statusCode = isPrompt ? status : 200
      response.end(JSON.stringify(isPrompt ? body : caps))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      expect(await ask('llamacpp-server', 'a', `http://127.0.0.1:${port}`)).toBe(expected)
    } finally {
      server.close()
    }
  },
)

const { home, server } = useModel()
test('doctor suggests the line that the profile lacks', async () => {
  const world = { home: home.path, stdin: '', environment: { MY_KEY: key } }
  configure(home.path, server.url)
  const works = await command(['doctor'], world)
  expect(works.out).toContain('add to the model main: "profile: {supports_tools: true}"\n')
  configure(home.path, server.url, 'profile: {supports_tools: true}')
  expect((await command(['doctor'], world)).out).not.toContain('supports_tools')
  const usage = { inputTokens: 1, outputTokens: 1 }
  await server.restart({ reply: () => ({ text: ['No.'], finish: 'stop', usage }) })
  configure(home.path, server.url)
  expect((await command(['doctor'], world)).out).toContain(
    'fix: Use another model for tools, or add to the model main: "profile: {supports_tools: false}": tools are then asked for as JSON.\n',
  )
  const unnamed = ['doctor', '-m', 'openai-compatible:mock-model']
  await server.restart({ reply: () => ({ text: ['No.'], finish: 'stop', usage }), apiKey: '' })
  expect((await command([...unnamed, '--base-url', `${server.url}/v1`], world)).out).toContain(
    'or give it an entry in the configuration with "profile: {supports_tools: false}": tools',
  )
})

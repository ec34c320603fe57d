// The routes of the guide for Next.js, as its page has them, with requests as `useChat` sends them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWireServer } from '@modelport/conformance/wire-server'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { wireFormats } from './providers.js'
import { docBlocks } from './support/doc-blocks.js'
import { createDocModel, wireReply } from './support/doc-model.js'
import { readText, root } from './support/repository.js'

interface Route {
  readonly POST: (request: Request) => Promise<Response>
}

const page = 'docs/guides/nextjs.md'
const routes = docBlocks(page).map(({ code }) => code)
const folder = join(root, '.cache/guide-nextjs')
const server = await startWireServer({
  formats: wireFormats,
  reply: wireReply(createDocModel()),
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function load(index: number): Promise<Route> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `route-${process.pid}-${index}.ts`)
  const toServer = `createOpenAI({ baseUrl: '${server.url}',`
  writeFileSync(file, (routes[index] ?? '').replace('createOpenAI({', toServer))
  return (await import(file)) as Route
}

const ask = (body: string): Request => new Request('http://x/', { method: 'POST', body })
const body = / -d '(\{.*\})'/.exec(readText(page))?.[1] ?? ''

test.each([
  ['by the AI SDK', 0],
  ['without it', 1],
])(
  'the route %s needs no key before its first request, and streams what the page shows',
  async (_, index) => {
    vi.stubEnv('OPENAI_API_KEY', '')
    const { POST } = await load(index)

    vi.stubEnv('OPENAI_API_KEY', 'sk-example-123456')
    const sent = (await (await POST(ask(body))).text()).split('\n\n').filter(Boolean)
    const deltas = sent.flatMap((line) => /"delta":"([^"]*)"/.exec(line)?.[1] ?? [])
    expect(deltas.join('')).toBe('It is 28 °C and sunny in Rome.')
    const finish = 'data: {"type":"finish","finishReason":"stop"}'
    expect([sent[0], ...sent.slice(-2)]).toEqual(['data: {"type":"start"}', finish, 'data: [DONE]'])
  },
)

test('the failure of the page is what a provider made without a key throws', async () => {
  const { createOpenAI } = await import('@modelport/provider-openai')
  const shown = /LlmError: (openai: [^`]*)`/.exec(readText(page))?.[1]
  expect(() => createOpenAI({ model: 'gpt-5.4', apiKey: '' })).toThrow(shown)
})

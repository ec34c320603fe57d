import { afterEach, expect, test, vi } from 'vitest'
import { createTransport } from '../src/index.js'

// Deno and Bun have no undici to do without.
const onNode = process.versions['bun'] === undefined && !('Deno' in globalThis)

afterEach(() => {
  vi.doUnmock('../src/undici-transport.js')
  vi.unstubAllGlobals()
})

test.runIf(onNode)('a worker that calls itself Node, its bundle without undici, uses the platform\'s fetch', async () => {
  vi.doMock('../src/undici-transport.js', () => ({ createUndiciFetch: undefined }))
  vi.stubGlobal('fetch', async () => new Response('of the platform'))
  expect(await (await createTransport({})('http://h.test')).text()).toBe('of the platform')
  await expect(createTransport({ proxy: 'http://p.test' })('http://h.test')).rejects.toMatchObject({ code: 'unsupported', message: expect.stringMatching(/proxy works on Node only/) })
})

test.runIf(onNode)('a Node on which undici does not load is told so, and what to do', async () => {
  vi.doMock('../src/undici-transport.js', () => {
    throw new TypeError('Cannot read properties of undefined')
  })
  await expect(createTransport({})('http://h.test')).rejects.toMatchObject({ code: 'unsupported', message: expect.stringMatching(/Node 22\.19 or newer, or pass a fetch of your own/) })
})

test.runIf(!onNode)('elsewhere the platform\'s fetch, which takes no proxy', async () => {
  vi.stubGlobal('fetch', async () => new Response('of the platform'))
  expect(await (await createTransport({})('http://h.test')).text()).toBe('of the platform')
  expect(() => createTransport({ proxy: 'http://p.test' })).toThrow(/proxy works on Node only/)
})

test('a fetch that is given is called as a function: browsers and workers refuse theirs as a method', async () => {
  const given = async function (this: unknown): Promise<Response> {
    return new Response(String(this))
  }
  const guard = { fetch: createTransport({ fetch: given }) }
  expect(await (await guard.fetch('http://h.test')).text()).toBe('undefined')
})

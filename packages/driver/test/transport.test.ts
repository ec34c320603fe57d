import { LlmError } from '@modelport/core'
import { createTransport, type Fetch } from '@modelport/driver'
import { afterEach, expect, test, vi } from 'vitest'
import { serve } from './loopback-wire.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** What is made where these are the globals. */
function made(
  globals: Readonly<Record<string, unknown>>,
  config: Parameters<typeof createTransport>[0] = {},
): Fetch | string {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  try {
    return createTransport(config)
  } catch (error) {
    return error instanceof LlmError ? `${error.code}: ${error.message}` : String(error)
  } finally {
    vi.unstubAllGlobals()
  }
}

const elsewhere: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a browser', { process: undefined, Deno: undefined }],
  ['a page with a process of its own', { process: {}, Deno: undefined }],
  ['a process without Node', { process: { versions: {} }, Deno: undefined }],
  ['Bun', { process: { versions: { node: '24.0.0', bun: '1.4.0' } }, Deno: undefined }],
  ['Deno', { process: { versions: { node: '24.0.0' } }, Deno: {} }],
]

test.each(elsewhere)(
  "%s: the platform's fetch, looked up at each call, and no proxy",
  async (_, globals) => {
    const transport = made(globals) as Fetch
    const asked: unknown[] = []
    vi.stubGlobal('fetch', (...given: unknown[]) => {
      asked.push(given)
      return Promise.resolve(new Response('platform'))
    })
    const init = { method: 'POST' }
    expect(await (await transport('https://h/', init)).text()).toBe('platform')
    expect(asked).toEqual([['https://h/', init]])
    expect(made(globals, { proxy: 'http://proxy:1' })).toBe(
      'unsupported: proxy works on Node only; elsewhere pass your own fetch that uses it',
    )
  },
)

test('Node has a transport of its own, with a proxy where that is set', () => {
  const node = { process: { versions: { node: '24.0.0' } }, Deno: undefined }
  const [[, browser] = ['', {}]] = elsewhere
  expect(made(node)).not.toBe(made(browser))
  expect(made(node, { proxy: 'http://proxy:1' })).toBeInstanceOf(Function)
})

test.each(['20.19.5', '22.18.0', '22.3.0', '21.20.0', '9.30.0'])(
  'Node %s is too old, which the first request says',
  async (node) => {
    const transport = made({ process: { versions: { node } }, Deno: undefined }) as Fetch
    await expect(transport('https://h/')).rejects.toMatchObject({
      code: 'unsupported',
      message: `Node ${node} is too old: use Node 22.19 or newer, or pass your own fetch`,
    })
  },
)

test.each(['22.19.0', '22.20.0', '24.0.0', '23.1.0'])('Node %s is new enough', async (node) => {
  const { url } = await serve((_, response) => response.end('asked'))
  const transport = made({ process: { versions: { node } }, Deno: undefined }) as Fetch
  expect(await (await transport(url)).text()).toBe('asked')
})

import { afterEach, expect, test, vi } from 'vitest'
import { createAnthropic } from '../src/index.js'

const aPage = (): void => {
  for (const name of ['window', 'navigator'] as const) vi.stubGlobal(name, { document: {}, userAgent: 'a browser' })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const config = { model: 'claude-sonnet-4-5', apiKey: 'sk-ant-own-0123456789' }

test('in a browser, where users can see the key, the provider says what would allow it', () => {
  aPage()
  expect(() => createAnthropic(config)).toThrow(expect.objectContaining({ code: 'config', message: expect.stringContaining('dangerouslyAllowBrowser') as string }))
})

test('where that is allowed, the API is told', async () => {
  aPage()
  let headers = new Headers()
  const provider = createAnthropic({
    ...config,
    dangerouslyAllowBrowser: true,
    fetch: async (_, init) => {
      headers = new Headers(init?.headers)
      return Response.json({ type: 'message', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' })
    },
  })
  expect(await provider.complete('Hi')).toBe('Hello')
  expect(headers.get('anthropic-dangerous-direct-browser-access')).toBe('true')
})

import { afterEach, expect, test, vi } from 'vitest'
import { createOpenAI } from '../src/index.js'

const aPage = (): void => {
  for (const name of ['window', 'navigator'] as const) vi.stubGlobal(name, { document: {}, userAgent: 'a browser' })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const config = { model: 'gpt-5.2', apiKey: 'sk-own-0123456789' }

test('in a browser, where users can see the key, the provider says what would allow it', () => {
  aPage()
  expect(() => createOpenAI(config)).toThrow(expect.objectContaining({ code: 'config', message: expect.stringContaining('dangerouslyAllowBrowser') as string }))
})

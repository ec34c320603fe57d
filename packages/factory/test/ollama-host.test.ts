import { describe, expect, test } from 'vitest'
import { apiHost } from '../src/index.js'
import { fromOllamaHost, validateOllamaBaseUrl } from '../src/providers/ollama-host.js'
import { environmentOf, failureOf } from './support.js'

describe('OLLAMA_HOST', () => {
  test.each([
    ['', '127.0.0.1:11434'],
    ['0.0.0.0', '127.0.0.1:11434'],
    ['0.0.0.0:8000', '127.0.0.1:8000'],
    [':8000', '127.0.0.1:8000'],
    ['box', 'box:11434'],
    ['box:1', 'box:1'],
    ['http://box', 'box:80'],
    ['https://box', 'box:443'],
    ['https://box:8443/path', 'box:8443'],
    ['http://0.0.0.0:11434', '127.0.0.1:11434'],
    ['[::]', '[::1]:11434'],
    ['::', '[::1]:11434'],
    ['::1', '[::1]:11434'],
    ['[::1]:9', '[::1]:9'],
    ['[2001:db8::1]', '[2001:db8::1]:11434'],
    [' "box:2" ', 'box:2'],
    ['ollama.com', 'ollama.com:443'],
    ['box:notaport', 'box:11434'],
    ['box:70000', 'box:11434'],
    ['10.0.0.7', '10.0.0.7:11434'],
    ['box/ollama', 'box:11434'],
  ])('%j is %s', (text, expected) => {
    const variables = { HOST_OF_OLLAMA: text || ':' }
    expect(
      apiHost(
        { provider: 'ollama', baseUrlEnv: 'HOST_OF_OLLAMA' },
        { environment: environmentOf(variables) },
      ),
    ).toBe(expected)
    expect(fromOllamaHost(text)).toMatch(/^https?:\/\//)
  })

  test.each(['ftp://box', 'http://user:pw@box', 'bo x'])('%s is refused', async (text) => {
    const error = await failureOf(() =>
      apiHost(
        { provider: 'ollama', useEnvironmentBaseUrls: true },
        { environment: environmentOf({ OLLAMA_HOST: text }) },
      ),
    )
    expect(error.code).toBe('invalid-base-url')
    expect(error.message).toContain('OLLAMA_HOST')
    expect(error.message).not.toContain('pw')
  })
})

describe('the policy for local servers', () => {
  test.each([
    '',
    'http://localhost:11434',
    'http://127.0.0.1:11434',
    'http://[::1]:11434',
    'https://localhost',
  ])('the policy for local servers accepts %j', (url) => {
    expect(() => validateOllamaBaseUrl(url)).not.toThrow()
  })
  test.each([
    'http://attacker.example.com',
    'https://1.2.3.4:11434',
    'http://10.0.0.5',
    'ftp://localhost',
    '://broken',
    'http://',
    'http://localhost.evil.com',
    'http://127.0.0.1.nip.io',
    'http://0.0.0.0',
  ])('the policy for local servers refuses %j', async (url) => {
    expect(await failureOf(() => validateOllamaBaseUrl(url))).toMatchObject({
      code: 'invalid-base-url',
      message: expect.stringContaining('loopback') as string,
    })
  })
})

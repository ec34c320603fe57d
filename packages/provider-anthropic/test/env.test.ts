import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAnthropic } from '../src/index.js'

interface Sent {
  readonly url: string
  readonly headers: Record<string, string>
}

async function send(): Promise<Sent> {
  let sent: Sent | undefined
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-own-0123456789',
    fetch: async (input, init) => {
      sent = { url: input as string, headers: Object.fromEntries(new Headers(init?.headers)) }
      return Response.json({ type: 'message', content: [], stop_reason: 'end_turn' })
    },
  })
  await provider.complete('Hi')
  return sent!
}

/** The code of the SDK that our client runs. */
const sdk = path.dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk'))
const files = [
  'client.mjs',
  'internal/tracing.mjs',
  'internal/utils/log.mjs',
  'core/credentials.mjs',
  'lib/credentials/credential-chain.mjs',
]
const read = (name: string): string => readFileSync(path.join(sdk, name), 'utf8')
const variables = [
  ...new Set(
    files.flatMap((name) =>
      [...read(name).matchAll(/readEnv\)?\('([A-Z_]+)'/g)].map(([, variable]) => variable!),
    ),
  ),
]

/** For each variable a value that would show. */
const hostile: Record<string, string> = {
  ...Object.fromEntries(variables.map((variable) => [variable, 'hijacked'])),
  ANTHROPIC_API_KEY: 'sk-ant-environment-key',
  ANTHROPIC_AUTH_TOKEN: 'environment-token',
  ANTHROPIC_BASE_URL: 'https://elsewhere.test',
  ANTHROPIC_CUSTOM_HEADERS:
    'x-injected: yes\nauthorization: Bearer injected\nx-api-key: injected\nuser-agent: injected\nanthropic-beta: injected\nanthropic-version: 1999-01-01',
  ANTHROPIC_LOG: 'debug',
  HTTP_PROXY: 'http://proxy.test:1',
  HTTPS_PROXY: 'http://proxy.test:1',
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the environment', () => {
  test('the SDK reads the variables we know of, among them those that would move the host, the key and the headers', () => {
    expect(variables).toEqual(
      expect.arrayContaining([
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'ANTHROPIC_BASE_URL',
        'ANTHROPIC_CUSTOM_HEADERS',
        'ANTHROPIC_LOG',
        'ANTHROPIC_PROFILE',
      ]),
    )
  })

  test.each(Object.keys(hostile))('%s changes nothing', async (variable) => {
    const plain = await send()
    vi.stubEnv(variable, hostile[variable])
    expect(await send()).toEqual(plain)
  })

  test('all variables of the SDK together change nothing, and nothing is printed', async () => {
    const plain = await send()
    const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) =>
      vi.spyOn(console, method),
    )
    for (const [variable, value] of Object.entries(hostile)) vi.stubEnv(variable, value)
    const { url, headers } = await send()
    expect({ url, headers }).toEqual(plain)
    expect(url).toBe('https://api.anthropic.com/v1/messages')
    expect(headers).toMatchObject({
      'x-api-key': 'sk-ant-own-0123456789',
      'anthropic-version': '2023-06-01',
    })
    expect(headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(headers)).not.toMatch(/injected|hijacked|environment/)
    for (const method of printed) expect(method).not.toHaveBeenCalled()
  })

  test('the provider sends no custom header of the environment, which the SDK alone would send', async () => {
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-injected: yes')
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    let headers = new Headers()
    const client = new Anthropic({
      apiKey: 'k',
      logLevel: 'off',
      fetch: async (_, init) => {
        headers = new Headers(init?.headers)
        return Response.json({})
      },
    })
    await client.post('/v1/messages', { body: {} })
    expect(headers.get('x-injected')).toBe('yes')
  })

  test('a key must be given, and is not looked up in the environment', () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-environment-key')
    expect(() => createAnthropic({ model: 'claude-sonnet-4-5' })).toThrow(
      expect.objectContaining({ code: 'config' }) as Error,
    )
  })
})

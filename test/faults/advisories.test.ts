// One test for each class of hole that was found in software of this kind, by the name it was found
// under.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromJson, LlmError, parseBaseUrl, toJson } from '@modelport/core'
import { newProvider, resolveApiKey, resolveModel } from '@modelport/factory'
import { describe, expect, test } from 'vitest'
import { defaultLocations } from '../../packages/cli/src/files/locations.js'
import { SessionStore } from '../../packages/cli/src/session/session-store.js'
import { root } from '../../scripts/workspaces.ts'
import { reportFault } from '../support/faults.js'
import { apiKey, once, question, targets, tools } from './targets.js'

/** Sources of what is published, the test kit left out. */
const sources = globSync('*/src/**/*.ts', {
  cwd: join(root, 'packages'),
  exclude: ['conformance/**'],
})
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(join(root, 'packages', path), 'utf8') }))

describe('the class of', () => {
  test("CVE-2024-6587: an address that somebody gives does not get the vendor's key", async () => {
    const environment = (name: string): string | undefined =>
      name.endsWith('_API_KEY') ? apiKey : undefined
    const sent: string[] = []
    for (const provider of ['openai', 'anthropic', 'google', 'deepseek']) {
      const fetch = (_: unknown, init: RequestInit = {}) => {
        sent.push(JSON.stringify([...new Headers(init.headers)]))
        return Promise.resolve(new Response('{}', { status: 400 }))
      }
      const config = { provider, model: 'm', baseUrl: 'https://api.evil.test/v1', fetch }
      const resolved = (): string | undefined =>
        resolveApiKey(resolveModel(config, { environment }), { environment })
      // Google's provider needs a key at every address: the error says how to name one.
      if (provider === 'google') expect(resolved).toThrow('google: no key for this address')
      else expect(resolved()).toBeUndefined()
      // Some send nothing at all without a key.
      await newProvider(config, { environment })
        .then((made) => made.complete('Hi', once))
        .catch(() => undefined)
    }
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.join()).not.toContain(apiKey)
  })

  test('an address has no key that could be shown with it', async () => {
    for (const target of targets) {
      const urls: string[] = []
      const fetch = (input: string | URL | Request) => {
        urls.push(input instanceof Request ? input.url : String(input))
        return Promise.reject(new Error(`request to ${urls.at(-1)}?key=${apiKey} failed`))
      }
      const error = await target
        .create('https://api.x.test', { fetch })
        .complete('Hi', once)
        .catch((thrown: unknown) => thrown as Error)
      expect(urls).toHaveLength(1)
      expect(
        urls.join() + String((error as Error).stack) + String((error as Error).cause),
      ).not.toContain(apiKey)
    }
  })

  test('CVE-2025-68664, -68665: stored data that names a class is data', () => {
    const marked = { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'], kwargs: {} }
    const messages = fromJson(
      JSON.parse(
        JSON.stringify({
          version: 1,
          messages: [
            {
              role: 'assistant',
              content: '',
              toolCalls: [{ id: 'a', name: 'f', arguments: { marked }, argumentsText: '' }],
            },
          ],
        }),
      ),
    )
    expect(messages[0]).toMatchObject({ toolCalls: [{ arguments: { marked } }] })
    expect(() => fromJson({ version: 1, messages: [marked] })).toThrow(LlmError)
  })

  test('CVE-2026-34070: a name does not lead out of its folder', async () => {
    const store = new SessionStore('/nowhere/sessions')
    for (const id of [
      '../../etc/passwd',
      '..',
      '/etc/passwd',
      'a/../../b',
      '%2e%2e%2fpasswd',
      'a\0b-0123456789abcdef',
      '',
    ]) {
      await expect(store.load(id)).rejects.toThrow(/^there is no saved chat|is not an id of a/)
    }
  })

  test('CVE-2025-64439: half a character goes through a file unchanged', () => {
    const messages = [{ role: 'user' as const, content: 'a\ud800b' }]
    expect(fromJson(JSON.parse(JSON.stringify(toJson(messages))))).toEqual(messages)
  })

  test('CVE-2026-8768: a host with a dot at its end, or one address inside another, is the host it is', () => {
    expect(parseBaseUrl('https://api.x.test./v1').host).toBe('api.x.test:443')
    expect(parseBaseUrl('http://[::ffff:169.254.169.254]').host).toBe('[::ffff:a9fe:a9fe]:80')
    expect(parseBaseUrl('http://0251.0376.0251.0376').host).toBe('169.254.169.254:80')
  })

  test('AI SDK 5.0.198: an id from the wire is never used as an object key', async () => {
    const pieces = ['__proto__', 'constructor', 'toString'].flatMap((id, index) => [
      { index, id, function: { name: 'get_weather', arguments: '{"city":' } },
      { index, function: { arguments: '"Oslo"}' } },
    ])
    const chunks = [
      ...pieces.map((call) => ({ id: '__proto__', choices: [{ delta: { tool_calls: [call] } }] })),
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]
    const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
    const target = targets.find(({ name }) => name === 'openai-compatible')!
    const before = Reflect.ownKeys(Object.prototype)
    const reader = await target
      .create('https://api.x.test', {
        fetch: () =>
          Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
      })
      .streamWithTools(question, tools)
    const calls: string[] = []
    for await (const event of reader)
      if (event.type === 'tool-call-complete') calls.push(event.toolCall.argumentsText)
    expect(calls).toEqual(Array.from({ length: 3 }, () => '{"city":"Oslo"}'))
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
    expect(({} as Record<string, unknown>)['arguments']).toBeUndefined()
  })

  test('CVE-2026-22036, -1525, -2229, -2581: the transport is one in which they are mended', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(root, 'packages/driver/package.json'), 'utf8'),
    ) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const [major = 0, minor = 0] = (/^\^(\d+)\.(\d+)\./.exec(dependencies['undici'] ?? '') ?? [])
      .slice(1)
      .map(Number)
    expect(major > 7 || (major === 7 && minor >= 24)).toBe(true)
  })

  test('CVE-2025-66414, CVE-2026-22812: only the entries that serve agents and the studio listen for connections', () => {
    expect(sources.length).toBeGreaterThan(300)
    // The second asks PostgreSQL for its notifications, the third serves MCP on this machine, the
    // fourth asks an MCP server. The last two answer what they are given, and listen for nothing.
    const serving = [
      'serve/src/server/node-serve.ts',
      'durable/src/postgres/postgres-database.ts',
      'cli/src/commands/mcp-serve.ts',
      'mcp/src/connection.ts',
      'mcp/src/serve-sessions.ts',
      'mcp/src/serve-stdio.ts',
    ]
    for (const { path, text } of sources)
      expect(
        !serving.includes(path) &&
          /\.listen\(|createServer\(|ServerTransport\b/.test(
            text.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, ''),
          ),
        path,
      ).toBe(false)
  })

  test('CVE-2026-21852, CVE-2025-59536: a project says neither where a key goes nor what runs', () => {
    const places = Object.values(defaultLocations(() => undefined, '/home/me'))
    for (const place of places) expect(place).toMatch(/^\/home\/me\/\./)
    for (const place of Object.values(
      defaultLocations((name) => (name.startsWith('XDG_') ? './here' : undefined), '/home/me'),
    ))
      expect(place).toMatch(/^\/home\/me\/\./)
  })

  test('a NUL in a host: nothing is compared with its end', () => {
    for (const url of [
      'https://evil.test\0.api.x.test',
      'https://evil.test%00.api.x.test',
      'https://evil.test\n.api.x.test',
    ]) {
      expect(() => parseBaseUrl(url)).toThrow(expect.objectContaining({ code: 'invalid-base-url' }))
    }
    reportFault('advisories', { classes: 11 })
  })
})

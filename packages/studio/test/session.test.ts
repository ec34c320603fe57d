import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoModel, createStudio, type Studio } from '../src/index.js'
import { type ServedStudio, serveStudio } from '../src/node.js'

const page = {
  '/index.html': { body: '<!doctype html>', type: 'text/html' },
  '/app.css': { body: 'a{b:c}'.repeat(500), type: 'text/css' },
}
const platform = { Request, Response }
let studio: Studio
let served: ServedStudio
let session = ''

beforeAll(async () => {
  studio = createStudio({ models: [createDemoModel()], assets: page })
  served = await serveStudio(studio)
  session = await exchange(new URL(served.url).hash.replace('#token=', ''))
})
afterAll(() => served.close())

test('a program that serves the studio keeps its own Request and Response', () => {
  for (const name of ['Request', 'Response'] as const) expect(globalThis[name]).toBe(platform[name])
})

test.each([
  ['models', { assets: page }],
  ['assets', { models: [] }],
  ['assets', { models: [], assets: Promise.resolve(page) }],
])('a studio without the right %s is refused by the name of the option', (name, options) => {
  const code = {
    code: 'config',
    message: expect.stringContaining(`the option ${name} must be`) as string,
  }
  expect(() => createStudio(options as unknown as Parameters<typeof createStudio>[0])).toThrow(
    expect.objectContaining(code),
  )
})

/** Sends with exactly these headers, which `fetch` would not allow. */
function send(
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: served.port, path, method, headers },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: text, headers: response.headers }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function exchange(token: string): Promise<string> {
  const { body } = await send('/api/session', { method: 'POST', body: JSON.stringify({ token }) })
  return (JSON.parse(body) as { session?: string }).session ?? ''
}

describe('the session of the page', () => {
  test('the session of the page accepts a one-time token once', async () => {
    const token = studio.oneTimeToken()
    expect(await exchange(token)).not.toBe('')
    expect(await exchange(token)).toBe('')
  })

  test('the session of the page refuses every call without the session token', async () => {
    for (const path of ['/api/info', '/api/runs', '/api/hosts', '/api/runs/run-1/events'])
      expect((await send(path)).status).toBe(403)
    expect(
      (await send('/api/info', { headers: { 'x-modelport-session': 'f'.repeat(48) } })).status,
    ).toBe(403)
  })

  test('the session of the page serves the API to the page that has the session token', async () => {
    const { status, body } = await send('/api/info', {
      headers: { 'x-modelport-session': session },
    })
    expect(status).toBe(200)
    expect(body).toContain('"demo"')
  })

  test('the session of the page sends the files of the page compressed to whoever accepts that', async () => {
    const packed = await send('/app.css', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect((await send('/app.css')).body).toBe(page['/app.css'].body)
  })

  test.each([
    ['another host, as after DNS rebinding', { host: 'evil.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['another origin', { origin: 'http://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine, which is the same site', { 'sec-fetch-site': 'same-site' }],
  ])(
    'the session of the page refuses a request from %s, even with the session token',
    async (_what, headers) => {
      const { status } = await send('/api/info', {
        headers: { 'x-modelport-session': session, ...headers },
      })
      expect(status).toBe(403)
    },
  )

  test('the session of the page sets no cookie, forbids framing and inline scripts', async () => {
    const { headers } = await send('/')
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe-inline')
  })

  test('the session of the page serves the files of the page and nothing else', async () => {
    expect((await send('/')).status).toBe(200)
    for (const path of ['/../package.json', '/%2e%2e/package.json', '/etc/passwd', '/constructor'])
      expect((await send(path)).status, path).toBe(404)
  })

  test.each([
    ['a body that is not JSON', '{', 'the body must be JSON'],
    ['a run without messages', '{"model":"demo","messages":[]}', 'messages'],
    [
      'an unknown model',
      '{"model":"x","messages":[{"role":"user","content":"Hi"}]}',
      'there is no model \\"x\\"',
    ],
    [
      'an unknown tool',
      '{"model":"demo","tools":["x"],"messages":[{"role":"user","content":"Hi"}]}',
      'no tool \\"x\\"',
    ],
  ])('the session of the page refuses %s and says why', async (_what, body, message) => {
    const response = await send('/api/runs', {
      method: 'POST',
      headers: { 'x-modelport-session': session },
      body,
    })
    expect(response.status).toBe(400)
    expect(response.body).toContain(message)
  })
})

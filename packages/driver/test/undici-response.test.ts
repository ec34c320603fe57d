import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransport } from '@modelport/driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'

/** What SDKs use of a response, over the transport of Node. */
describe.skipIf(!node)('a response of the transport', () => {
  const seen: {
    method: string | undefined
    url: string | undefined
    headers: IncomingHttpHeaders
    body: string
  }[] = []
  let server: Server
  let origin = ''
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        seen.push({ method: request.method, url: request.url, headers: request.headers, body })
        response.writeHead(Number(request.url?.slice(1)) || 200, {
          'set-cookie': ['a=1', 'b=2'],
          'x-one': '1',
        })
        response.end('{"a":"zwölf"}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  const fetch = createTransport({})

  test('a response of the transport has a status, headers, an address, and is read once', async () => {
    const response = await fetch(`${origin}/201`, {
      method: 'POST',
      body: 'ö',
      headers: { 'x-a': '1' },
    })
    expect([
      response.status,
      response.ok,
      response.url,
      response.type,
      response.redirected,
      response.statusText,
    ]).toEqual([201, true, `${origin}/201`, 'basic', false, ''])
    expect([
      response.headers.get('x-one'),
      response.headers.get('set-cookie'),
      response.headers.get('x-none'),
    ]).toEqual(['1', 'a=1, b=2', null])
    expect(response.bodyUsed).toBe(false)
    expect(await response.json()).toEqual({ a: 'zwölf' })
    expect(response.bodyUsed).toBe(true)
    expect(seen.at(-1)).toMatchObject({
      method: 'POST',
      url: '/201',
      body: 'ö',
      headers: { 'x-a': '1' },
    })
  })

  test.each([
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ])('%i is ok: %s', async (status, ok) => {
    const response = await fetch(`${origin}/${status}`)
    expect([response.ok, await response.text()]).toEqual([ok, '{"a":"zwölf"}'])
    expect(seen.at(-1)).toMatchObject({ method: 'GET', body: '' })
  })

  test('a response of the transport takes an address as text, as a URL and as a request, headers in each form', async () => {
    for (const headers of [
      { 'x-a': '1' },
      [['x-a', '1']] as [string, string][],
      new Headers({ 'x-a': '1' }),
    ]) {
      for (const input of [`${origin}/a`, new URL(`${origin}/a`), new Request(`${origin}/a`)]) {
        expect(await (await fetch(input, { headers })).text()).toBe('{"a":"zwölf"}')
        expect(seen.at(-1)).toMatchObject({ url: '/a', headers: { 'x-a': '1' } })
      }
    }
  })
})

test("a fetch of one's own is used in place of any, proxy or not", async () => {
  const own = (): Promise<Response> => Promise.resolve(new Response('own'))
  expect(
    await (await createTransport({ fetch: own, proxy: 'http://proxy:1' })('http://h.test')).text(),
  ).toBe('own')
})

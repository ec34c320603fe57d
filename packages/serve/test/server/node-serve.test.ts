import { createAgent } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { say } from './support.js'

let server: ListeningServer
beforeAll(async () => {
  const handler = ({ input }: { readonly input: string }) => `größer als ${input}`
  server = await serve([createAgent({ card: { name: 'echo', description: 'Repeats' }, handler })], {
    allowedOrigins: ['https://page.example'],
  })
})
afterAll(() => server.close())

it('serve without onError writes the first failure to stderr, and no other one', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const handler = (): never => {
    throw new Error('the disk is full')
  }
  const agent = createAgent({ card: { name: 'broken', description: 'Fails' }, handler })
  const [quiet, told] = [await serve([agent]), await serve([agent], { onError: () => undefined })]
  for (const url of [quiet.url, quiet.url, told.url]) await createAgentClient(url).send('go')
  const lines = write.mock.calls.map(([text]) => text)
  write.mockRestore()
  expect(lines).toEqual([
    'modelport: Error: the disk is full; set onError to receive every failure\n',
  ])
  await Promise.all([quiet.close(), told.close()])
})

it('a client at the root of a server of several agents reads where each of them is', async () => {
  const agents = ['one', 'two'].map((name) =>
    createAgent({ card: { name, description: 'x' }, handler: () => name }),
  )
  const several = await serve(agents)
  await expect(createAgentClient(several.url).send('go')).rejects.toThrow(
    'each has its own address, URL/a/NAME/',
  )
  await several.close()
})

const send = (init: RequestInit = {}) =>
  fetch(`${server.url}/message:send`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      origin: 'https://page.example',
    },
    body: JSON.stringify(say('x')),
    ...init,
  })

it('a JSON response has its length in bytes and the headers of the fetch handler', async () => {
  const response = await send()
  const text = await response.text()
  expect(text).toContain('größer als x')
  expect(response.headers.get('content-length')).toBe(
    String(new TextEncoder().encode(text).byteLength),
  )
  const names = [
    'access-control-allow-origin',
    'cache-control',
    'content-type',
    'vary',
    'x-content-type-options',
  ]
  expect(names.map((name) => response.headers.get(name))).toEqual([
    'https://page.example',
    'no-store',
    'application/a2a+json',
    'Origin',
    'nosniff',
  ])
})

it('a response to HEAD has the length and no body', async () => {
  const response = await fetch(`${server.url}/healthz`, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    '15',
    '',
  ])
})

it('a caller that leaves before the response does not disturb others', async () => {
  const controller = new AbortController()
  const left = send({ signal: controller.signal })
  controller.abort()
  await expect(left).rejects.toThrow()
  expect((await send()).status).toBe(200)
})

it('a port that another program has is refused with what to do', async () => {
  const agent = createAgent({
    card: { name: 'late', description: 'Comes late' },
    handler: () => 'x',
  })
  await expect(serve([agent], { port: server.port })).rejects.toMatchObject({
    code: 'config',
    message: `port ${server.port} of 127.0.0.1 is in use by another program; choose another port, or port 0 for a free one`,
  })
})

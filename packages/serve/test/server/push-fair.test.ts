import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { serve } from '@modelport/serve/node'
import { describe, expect, inject, it } from 'vitest'
import { createPushSender } from '../../src/push/node-push.js'
import type { PushRequest } from '../../src/push/push.js'
import { echoAgent, say, testServer } from './support.js'

const authentication = [
  {
    type: 'bearer',
    tokens: [
      { token: 'of alice', principal: 'alice' },
      { token: 'of bob', principal: 'bob' },
    ],
  },
] as const

/** A server whose receivers on hosts `silent…` never respond; `open` counts what they hold, by host. */
function silentReceivers() {
  const open = new Map<string, number>()
  const delivered: string[] = []
  const send = ({ url, body }: PushRequest): Promise<number> => {
    const { hostname } = new URL(url)
    if (!hostname.startsWith('silent')) {
      if (body.includes('COMPLETED')) delivered.push(hostname)
      return Promise.resolve(200)
    }
    open.set(hostname, (open.get(hostname) ?? 0) + 1)
    return new Promise(() => undefined)
  }
  const { rpc } = testServer({ push: { send }, authentication }, [echoAgent()])
  const notify = (name: string, host: string) =>
    rpc(
      'SendMessage',
      {
        ...say('hi'),
        configuration: { taskPushNotificationConfig: { id: 'one', url: `https://${host}/hook` } },
      },
      { authorization: `Bearer of ${name}` },
    )
  return { open, delivered, notify, held: () => [...open.values()].reduce((sum, count) => sum + count, 0) }
}

describe('a receiver of notifications that never responds', () => {
  it('a receiver of notifications that never responds delays nobody else, and holds few deliveries', async () => {
    const { open, delivered, notify } = silentReceivers()
    for (let count = 0; count < 100; count++) await notify('alice', 'silent.example.com')
    await expect.poll(() => open.get('silent.example.com')).toBe(4)
    await notify('bob', 'bob.example.com')
    await notify('alice', 'alice.example.com')
    await expect.poll(() => delivered).toEqual(['bob.example.com', 'alice.example.com'])
    await notify('bob', 'silent.example.com')
    await expect.poll(() => open.get('silent.example.com')).toBe(5)
  })

  it('receivers on many hosts that never respond do not take the places of another principal', async () => {
    const { delivered, notify, held } = silentReceivers()
    for (let count = 0; count < 40; count++) await notify('alice', `silent${count}.example.com`)
    await expect.poll(held).toBe(16)
    await notify('bob', 'bob.example.com')
    await expect.poll(() => delivered).toEqual(['bob.example.com'])
  })

  it('receivers with a thousand deliveries on many hosts leave room for those of another principal', async () => {
    const { delivered, notify, held } = silentReceivers()
    // More than all that may wait; each is a task, and a database takes a minute for as many.
    const sent = (inject('agentSuite') as string | undefined) === undefined ? 1_200 : 200
    for (let count = 0; count < sent; count++) await notify('alice', `silent${count % 24}.example.com`)
    await expect.poll(held).toBe(16)
    await notify('bob', 'bob.example.com')
    await expect.poll(() => delivered).toEqual(['bob.example.com'])
  })

  it('a receiver of notifications that never responds leaves others their notifications while it holds its connections open', async () => {
    const held: Socket[] = []
    const silent = createServer((socket) => held.push(socket))
    const told: string[] = []
    const listening = createHttpServer((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => told.push(body))
      request.on('end', () => response.end())
    })
    await Promise.all([silent, listening].map((one) => new Promise<void>((done) => one.listen(0, '127.0.0.1', done))))
    const portOf = (one: typeof silent) => (one.address() as AddressInfo).port
    const push = { send: createPushSender({ allowInsecure: true }), allowInsecure: true }
    const server = await serve([echoAgent()], { push, authentication })
    const notify = (name: string, port: number) =>
      fetch(server.url, {
        method: 'POST',
        headers: { authorization: `Bearer of ${name}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: {
            ...say('hi'),
            configuration: { taskPushNotificationConfig: { id: 'one', url: `http://127.0.0.1:${port}/hook` } },
          },
        }),
      })
    for (let sent = 0; sent < 60; sent++) await notify('alice', portOf(silent))
    await expect.poll(() => held.length).toBe(4)
    await notify('bob', portOf(listening))
    await expect.poll(() => told.some((body) => body.includes('COMPLETED'))).toBe(true)
    await server.close(0)
    for (const socket of held) socket.destroy()
    silent.close()
    listening.close()
  })
})

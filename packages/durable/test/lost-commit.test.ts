// A server that crashes while it commits: its connection breaks, and it may give the id of the transaction to another one later.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresDatabase } from '../src/postgres/postgres.js'
import { findPostgres, startPostgres } from './support/postgres-server.js'

const programs = findPostgres()

test.skipIf(programs === undefined).each([0, 20])(
  'a write whose commit never reached the server is made again, after %i transactions of others',
  { timeout: 240_000 },
  async (others) => {
    const server = await startPostgres(programs!)
    onTestFinished(() => server.stop())
    const upstream = new URL(server.url)
    let isArmed = false
    let isClosed = false
    let crash = (): void => undefined
    const crashed = new Promise<void>((resolve) => (crash = resolve))
    // Between the client and the server: it drops the first commit, and lets nobody in until the server runs again.
    const proxy = createServer((client) => {
      if (isClosed) return void client.destroy()
      const target: Socket = connect(Number(upstream.port), upstream.hostname)
      const end = (): void => {
        client.destroy()
        target.destroy()
      }
      for (const socket of [client, target]) socket.on('error', end).on('close', end)
      target.on('data', (chunk) => client.write(chunk))
      client.on('data', (chunk) => {
        if (isArmed && chunk.includes('expect_transaction')) {
          isArmed = false
          isClosed = true
          end()
          crash()
        } else if (!target.destroyed) target.write(chunk)
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void proxy.close())
    await once(proxy, 'listening')
    const url = new URL(server.url)
    url.port = String((proxy.address() as { port: number }).port)
    const database = await openPostgresDatabase(url.href, { reconnectMs: 120_000, connections: 2 })
    const insert = (n: number) => ({ sql: 'INSERT INTO tallied (n) VALUES (?)', params: [n] })
    await database.write([{ sql: 'CREATE TABLE tallied (n BIGINT)' }])
    isArmed = true
    const writing = database.write([insert(1)])
    await crashed
    await server.restart()
    if (others > 0) {
      const other = await openPostgresDatabase(server.url, { connections: 2 })
      for (let n = 0; n < others; n++) await other.write([insert(100 + n)])
      await other.close()
    }
    isClosed = false
    expect(await writing).toMatchObject({ ok: true })
    expect(await database.read('SELECT n FROM tallied WHERE n < 100')).toEqual([{ n: 1 }])
    await database.close()
  },
)

// A connection that breaks while the server has a whole transaction: it never came, it was
// committed, or it comes late.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgresDatabase } from '../src/postgres/open-database.js'
import './support/shared-server.js'

const address = inject('postgresUrl')
const fates = {
  'never reached the server': (target: Socket) => void target.destroy(),
  'was committed, and whose reply was lost': (target: Socket, chunk: Buffer) =>
    void target.write(chunk),
  'reaches the server late, after somebody asked what became of it': (
    target: Socket,
    chunk: Buffer,
  ) => void setTimeout(() => target.write(chunk), 700),
}

test.skipIf(address === '').each(Object.entries(fates))(
  'a transaction that %s happens once',
  async (_title, meet) => {
    const upstream = new URL(address)
    let isArmed = false
    // Between the client and the server. Of the first transaction it cuts the client off.
    const proxy = createServer((client) => {
      const target: Socket = connect(Number(upstream.port), upstream.hostname)
      let isCut = false
      target.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('error', () => undefined).on('close', () => isCut || target.destroy())
      target.on('data', (chunk) => isCut || client.write(chunk))
      client.on('data', (chunk) => {
        if (!isArmed || !chunk.includes('expect_mark')) return void target.write(chunk)
        isArmed = false
        isCut = true
        meet(target, chunk)
        client.destroy()
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void proxy.close())
    await once(proxy, 'listening')
    const url = new URL(address)
    url.port = String((proxy.address() as { port: number }).port)
    const schema = `lost_${Math.random().toString(36).slice(2)}`
    const database = await openPostgresDatabase(url.href, { connections: 2, schema })
    await database.write([{ sql: 'CREATE TABLE tallied (n BIGINT)' }])
    isArmed = true
    expect(await database.write([{ sql: 'INSERT INTO tallied (n) VALUES (1)' }])).toMatchObject({
      ok: true,
    })
    await database.write([{ sql: 'INSERT INTO tallied (n) VALUES (2)' }])
    // The late one has come by now.
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(await database.read('SELECT n FROM tallied ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
    await database.close()
  },
)

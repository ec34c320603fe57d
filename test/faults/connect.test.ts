// Connections that are never made: a host that answers no SYN, a name server that never responds.
import { type ChildProcess, spawn } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ProviderError } from '@modelport/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { reportFault } from '../support/faults.js'
import { node } from '../support/platform.js'
import { once as oneAttempt, targets } from './targets.js'

const target = targets.find(({ name }) => name === 'openai-compatible')!
const timeouts = { connectMs: 100, headersMs: 5_000 }

const open: Socket[] = []
let silent: ChildProcess | undefined
afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of open.splice(0)) socket.destroy()
  silent?.kill('SIGKILL')
  silent = undefined
})

/** True where a connection is made at all within a time. */
async function connects(port: number, within = 300): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  open.push(socket)
  return Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => true,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, within, false)),
  ])
}

/**
 * The port of a process that stands still, its queue of connections full: the kernel answers no SYN
 * to it.
 */
async function findBlackHole(): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const program =
    'const s = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => process.stdout.write(String(s.address().port), () => process.kill(process.pid, "SIGSTOP")))'
  silent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [said] = (await once(silent.stdout!, 'data')) as [Buffer]
  const port = Number(String(said))
  for (let tries = 0; tries < 8; tries++)
    if (!(await connects(port)) && !(await connects(port))) return port
  return undefined
}

describe.runIf(node)('a connection that is never made', () => {
  test('a host that answers no SYN is a time-out of the connection', async ({ skip }) => {
    const port = await findBlackHole()
    if (port === undefined) {
      console.log('skipped: this kernel answers for a process that stands still')
      skip()
    }
    const error = await target
      .create(`http://127.0.0.1:${port}`, { timeouts })
      .complete('Hi', oneAttempt)
      .catch((thrown: unknown) => thrown)
    if ((error as Partial<ProviderError>).reason === 'headers') {
      console.log('skipped: this kernel took the connection after all')
      skip()
    }
    expect(error).toMatchObject({
      code: 'timeout',
      reason: 'connect',
      retryable: true,
      host: `127.0.0.1:${port}`,
    })
    reportFault('S4', { 'connections never answered': 1 })
  })

  test('a name server that never answers is a time-out of the connection, and an abort does not wait for it', async () => {
    let asked = 0
    vi.spyOn(dns, 'lookup').mockImplementation(() => {
      asked++
    })
    const provider = target.create('http://slow.test', { timeouts })
    expect(
      await provider.complete('Hi', oneAttempt).catch((thrown: unknown) => thrown),
    ).toMatchObject({
      code: 'timeout',
      reason: 'connect',
      host: 'slow.test:80',
    })
    const controller = new AbortController()
    const call = target
      .create('http://slower.test', { timeouts: { connectMs: 20_000 } })
      .complete('Hi', { ...oneAttempt, signal: controller.signal })
      .catch((thrown: unknown) => thrown)
    await vi.waitFor(() => expect(asked).toBe(2), { timeout: 60_000 })
    controller.abort()
    expect(await call).toBe(controller.signal.reason)
    reportFault('DNS', { 'names never answered': asked })
  })

  test('a name server that is slow: the call waits for it', async () => {
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      callback: (error: Error) => void,
    ) => {
      setTimeout(
        callback,
        50,
        Object.assign(new Error('getaddrinfo ENOTFOUND late.test'), { code: 'ENOTFOUND' }),
      )
    }) as never)
    const error = await target
      .create('http://late.test')
      .complete('Hi', oneAttempt)
      .catch((thrown: unknown) => thrown as ProviderError)
    expect(error).toMatchObject({ code: 'network', reason: 'dns', retryable: false })
  })
})

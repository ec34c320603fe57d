import { connect } from 'node:net'
import type { ProviderRow } from '@modelport/factory'

/** Names of the providers whose server listens on this computer, at its usual port. Nothing is sent, and no other computer contacted. */
export async function findRunning(rows: readonly ProviderRow[], signal: AbortSignal): Promise<Set<string>> {
  const local = rows.flatMap(({ name, selfHosted, baseUrl }) =>
    selfHosted && typeof baseUrl === 'string' && new URL(baseUrl).hostname === 'localhost'
      ? [{ name, port: Number(new URL(baseUrl).port) }]
      : [],
  )
  const found = await Promise.all(local.map(async ({ name, port }) => ((await listens(port, signal)) ? [name] : [])))
  return new Set(found.flat())
}

function listens(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 500, signal })
    const settle = (listening: boolean) => () => {
      socket.destroy()
      resolve(listening)
    }
    socket.once('connect', settle(true))
    socket.once('timeout', settle(false))
    socket.once('error', settle(false))
  })
}

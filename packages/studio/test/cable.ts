import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A port that leads to another one, until it is cut. */
export interface Cable {
  readonly port: number
  /**
   * Ends all connections, and refuses new ones: as if the process behind the port had been killed.
   */
  cut(): Promise<void>
  /** Leads to this port from now on. */
  plug(port: number): Promise<void>
  /** Leads to the same port as before it was cut. */
  restore(): Promise<void>
}

/** Opens a cable that leads nowhere yet. */
export async function openCable(): Promise<Cable> {
  const sockets = new Set<Socket>()
  let target = 0
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one))
      one.pipe(other)
    }
  })
  const listen = (on: number): Promise<void> =>
    new Promise((resolve) => server.listen(on, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    cut: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
    plug: async (to) => {
      target = to
      if (!server.listening) await listen(port)
    },
    restore: () => listen(port),
  }
}

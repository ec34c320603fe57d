import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A port of this computer that refuses connections. */
export interface RefusedPort {
  readonly port: number
  readonly release: () => void
}

/** Holds the near end of a connection: as long as that is open nobody else can listen there. */
export async function holdRefusedPort(): Promise<RefusedPort> {
  const server = createServer((socket) => socket.resume())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const taken = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(taken, 'connect')
  return {
    port: taken.localPort ?? 0,
    release: () => {
      taken.destroy()
      server.close()
    },
  }
}

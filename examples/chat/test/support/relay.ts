// Connections between the browser and the program, which a test cuts as a lost network does.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(port: number) {
    this.#server = createServer((socket) => {
      const target = connect(port, '127.0.0.1')
      for (const end of [socket, target]) {
        this.#sockets.add(end)
        // The other end is destroyed with it.
        end.on('error', () => undefined)
        end.once('close', () => {
          this.#sockets.delete(end)
          socket.destroy()
          target.destroy()
        })
      }
      socket.pipe(target).pipe(socket)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection that is open. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server.close()
    this.cut()
  }
}

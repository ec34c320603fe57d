import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A proxy that notes whatever it is asked for. */
export interface LoggingProxy {
  readonly url: string
  /** `host:port` of each request, in order, the refused ones too. */
  readonly asked: string[]
  close(): void
}

/** Where the proxy leads: `host:port` → ports of this computer, for a tunnel and for plain http. */
export type Routes = ReadonlyMap<string, { readonly tunnel: number; readonly plain: number }>

/** Starts a proxy that refuses everything but the routes. */
export async function startLoggingProxy(routes: Routes = new Map()): Promise<LoggingProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    // Plain http is asked for by its whole address.
    const { host, port, pathname, search } = new URL(request.url ?? '')
    const target = port ? host : `${host}:80`
    asked.push(target)
    const route = routes.get(target)
    if (!route)
      return response
        .writeHead(403, { 'x-proxy-error': 'blocked-by-allowlist' })
        .end('Connection blocked by network allowlist')
    const upstream = forward(
      {
        host: '127.0.0.1',
        port: route.plain,
        path: pathname + search,
        method: request.method,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    upstream.on('error', () => response.destroy())
    return request.pipe(upstream)
  })
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    asked.push(target)
    const route = routes.get(target)
    if (!route)
      return client.end('HTTP/1.1 403 Forbidden\r\nx-proxy-error: blocked-by-allowlist\r\n\r\n')
    const upstream = connect(route.tunnel, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    return undefined
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: string
}

const servers: Server[] = []

/**
 * A server that gives these replies, until {@link closeServers}. `paths` are those of its requests
 * so far.
 */
export async function serve(
  answer: (path: string) => Answer,
): Promise<{ readonly origin: string; readonly paths: readonly string[] }> {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    paths.push(url)
    const { status, headers, body } = answer(url)
    request.resume().on('end', () => response.writeHead(status, headers).end(body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths }
}

/** Stops what {@link serve} has started: for `afterEach`. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

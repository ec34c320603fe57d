import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { holdRefusedPort } from '../support/refused-port.ts'
import type { Report } from './run-all.ts'
import { startWireServers } from './wire-servers.ts'

const page = `<!doctype html><meta charset="utf-8"><title>modelport</title>
<script>addEventListener('error', ({ message }) => fetch('/report', { method: 'POST', body: JSON.stringify({ failure: message }) }))</script>
<script type="module" src="/page.js"></script>`

/** Where a runtime gets what it tests against, and leaves its report. */
export interface Host {
  readonly url: string
  /** What the runtime reported. */
  readonly report: Promise<Report | { readonly failure: string }>
  close(): Promise<void>
}

/**
 * Starts the wire servers, and a server for the page, the programs in `folder`, the requests that
 * were made, and the report.
 */
export async function startHost(folder: string): Promise<Host> {
  const servers = await startWireServers()
  const refused = await holdRefusedPort()
  const urls = {
    ...Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url])),
    nobody: `http://127.0.0.1:${refused.port}`,
  }
  let reported: (report: Report) => void = () => undefined
  const report = new Promise<Report>((resolve) => (reported = resolve))
  const answer = async (
    incoming: IncomingMessage,
  ): Promise<readonly [type: string, body: string]> => {
    const [, first = '', second = ''] = new URL(incoming.url ?? '/', 'http://host').pathname.split(
      '/',
    )
    if (first === 'report') {
      const sent = JSON.parse(await text(incoming)) as Report
      setTimeout(() => reported(sent), 100) // the runtime reads the reply first
    }
    if (first === 'servers') return ['application/json', JSON.stringify(urls)]
    if (first === 'requests')
      return ['application/json', JSON.stringify(servers[second]?.requests ?? [])]
    if (first.endsWith('.js'))
      return ['text/javascript', await readFile(join(folder, first), 'utf8')]
    return ['text/html', page]
  }
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    answer(incoming).then(
      ([type, body]) => outgoing.writeHead(200, { 'content-type': type }).end(body),
      (error: unknown) => outgoing.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    refused.release()
    await Promise.all(Object.values(servers).map((one) => one.close()))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, report, close }
}

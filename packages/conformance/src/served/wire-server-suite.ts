import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ServerReply, toReply } from '../memory-server.js'
import type { WireRequest } from '../wire-format.js'
import { toWireRequest, write } from '../wire-server-http.js'
import {
  type CaseAddress,
  caseKey,
  caseUrl,
  chunksOf,
  isOfApi,
  readAddress,
  turnOf,
  withoutAddress,
} from './case-address.js'
import { type ServedCase, servedCases } from './cases.js'
import { readObservation, readRegistration } from './observation.js'
import { htmlReport } from './report.js'
import { Run, type RunReport } from './run.js'
import { type WireName, wires } from './wires.js'

/** How a suite server is started. */
export interface SuiteServerOptions {
  /** Port to listen on. @default 0: any free one */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
}

/** A running suite server. */
export interface SuiteServer {
  /** `http://host:port`. */
  readonly url: string
  /** The reports on all clients so far, in the order of their registration. */
  reports(): readonly RunReport[]
  /** Drops all connections and stops. */
  close(): Promise<void>
}

const page = 'https://github.com/modelport/modelport/blob/main/docs/client-suite.md'

/**
 * Starts the suite for clients of language models: each case at an address of its own, and the
 * reports. `npx @modelport/conformance serve` is the same as a program.
 */
export async function startSuiteServer({
  port = 0,
  host = '127.0.0.1',
}: SuiteServerOptions = {}): Promise<SuiteServer> {
  const suite = new Suite()
  const server = createServer((incoming, outgoing) => {
    const serve = async (): Promise<void> => {
      await sendReply(suite.reply(await toWireRequest(incoming)), outgoing)
    }
    serve().catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  await once(server.listen(port, host), 'listening')
  suite.root = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    url: suite.root,
    reports: () => suite.reports(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

class Suite {
  root = ''
  readonly #runs: Run[] = []
  readonly #anybody = new Map<string, number>()

  reports(): readonly RunReport[] {
    return this.#runs.map((run) => run.report(this.root))
  }

  reply(request: WireRequest): ServerReply {
    try {
      // No body, and null, are as little of a request as a text that is not JSON.
      return this.#own(request) ?? this.#case({ ...request, body: request.body ?? '' })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return toJson({ error: error.message }, 400)
    }
  }

  /** What is not a case: the list, registrations, observations, reports. */
  #own({ method, path, body }: WireRequest): ServerReply | undefined {
    const { pathname, searchParams } = new URL(path, 'http://suite')
    const run = this.#runs[Number(/^\/runs\/(\d+)(?=[/.]|$)/.exec(pathname)?.[1]) - 1]
    if (method === 'POST') {
      if (pathname === '/runs') return this.#register(body)
      if (!/^\/runs\/\d+\/observations$/.test(pathname)) return undefined
      return run ? toJson({ checks: run.observe(readObservation(body)) }) : notFound(path)
    }
    if (method !== 'GET') return undefined
    if (pathname === '/') return toText(helpOf(this.root))
    if (pathname === '/cases') return toJson({ cases: this.#list(searchParams.get('wire')) })
    if (pathname === '/report.json') return toJson(this.reports())
    if (pathname === '/report.html') return toHtml(htmlReport(this.reports()))
    if (run && /^\/runs\/\d+\.json$/.test(pathname)) return toJson(run.report(this.root))
    if (run && /^\/runs\/\d+\.html$/.test(pathname))
      return toHtml(htmlReport([run.report(this.root)]))
    return undefined
  }

  #register(body: unknown): ServerReply {
    const run = new Run(readRegistration(body))
    const number = this.#runs.push(run)
    const url = `${this.root}/runs/${number}`
    const cases = [...run.cases.values()].map((one) => this.#listed(one, run.wire.name, number))
    return toJson({ observations: `${url}/observations`, report: `${url}.html`, cases })
  }

  #list(wire: string | null): readonly object[] {
    return Object.values(wires)
      .filter(({ name }) => wire === null || wire === name)
      .flatMap((one) => servedCases(one).map((servedCase) => this.#listed(servedCase, one.name)))
  }

  #listed({ id, title, rules, ask }: ServedCase, wire: WireName, run?: number): object {
    const address: CaseAddress = { ...(run !== undefined && { run }), wire, id }
    const key = caseKey(address)
    return { id, title, rules, wire, baseUrl: caseUrl(this.root, address), key, ...ask }
  }

  #case(request: WireRequest): ServerReply {
    const address = readAddress(request)
    if (!address) return notFound(request.path)
    const { format } = wires[address.wire]
    const run = address.run ? this.#runs[address.run - 1] : undefined
    const one = (run?.cases ?? casesOf(address.wire)).get(address.id)
    if (!one) return notFound(request.path)
    const { replies, strays } = run?.log(one.id) ?? { replies: [], strays: [] }
    if (!isOfApi(format, request)) {
      const stray = `${request.method} ${withoutAddress(request.path)}`
      strays.push(stray)
      return toReply(format.failure(404, `no such endpoint: ${stray}`))
    }
    const turn = turnOf(format, request)
    const sent = run
      ? replies.filter((before) => before.turn === turn).length
      : this.#sentByAnybody(`${address.wire}/${one.id}/${turn}`)
    const reply = one.reply(request, turn, sent)
    replies.push({ request, turn, chunks: chunksOf(reply) })
    return reply
  }

  /** How often a turn of a case was asked for outside of runs. */
  #sentByAnybody(turn: string): number {
    const sent = this.#anybody.get(turn) ?? 0
    this.#anybody.set(turn, sent + 1)
    return sent
  }
}

/** What the server at an address can be asked. */
export const helpOf = (url: string): string =>
  [
    `The test suite of clients of language models. How to use it: ${page}`,
    '',
    `GET  ${url}/cases?wire=chat   the cases (${Object.keys(wires).join(', ')})`,
    `POST ${url}/runs              {"client": "my-client", "version": "1.0", "wire": "chat"}`,
    `GET  ${url}/report.html       the report, and /report.json`,
    '',
  ].join('\n')

const casesOf = (wire: WireName): ReadonlyMap<string, ServedCase> =>
  new Map(servedCases(wires[wire]).map((one) => [one.id, one]))

const toJson = (body: unknown, status = 200): ServerReply => ({
  ...toText(`${JSON.stringify(body, null, 2)}\n`, 'application/json'),
  status,
})
const toHtml = (html: string): ServerReply => toText(html, 'text/html; charset=utf-8')
const toText = (text: string, type = 'text/plain; charset=utf-8'): ServerReply =>
  toReply({ status: 200, headers: { 'content-type': type }, pieces: [text] })
const notFound = (path: string): ServerReply =>
  toJson({ error: `nothing is at ${path}; the cases and their addresses are at /cases` }, 404)

/** Sends a reply, each of its steps in a chunk of its own. */
async function sendReply(
  { status, headers, steps }: ServerReply,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  for (const step of steps) {
    if (outgoing.destroyed) return
    if (step === 'reset') {
      // The last chunk of the body is missing: the response is incomplete.
      outgoing.destroy()
      return
    }
    if (step instanceof Uint8Array) await write(outgoing, step)
  }
  outgoing.end()
}

// One HTTP server for the whole grid. The path of a request begins with the number of its cell, so
// that each cell has a server of its own that behaves like its vendor.

import type { ScriptTurn, WireFormat, WireRequest, WireResponse } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { wireFormats } from '../providers.js'
import { type Api, type Body, type Connection, heldBy } from './apis.js'
import { batchEndpoints } from './batch-endpoints.js'
import { withLogprobs } from './logprobs.js'
import { reply } from './model.js'

/** What one cell sees of its server. */
export interface CellServer {
  readonly connection: Connection
  /** Requests so far. */
  readonly requests: readonly WireRequest[]
  /** Messages of those that were refused. */
  readonly refusals: readonly string[]
  /** Input and output tokens of the replies so far. */
  readonly billed: readonly [input: number, output: number]
}

interface Cell {
  readonly api: Api
  readonly apiKey: string | undefined
  readonly requests: WireRequest[]
  readonly refusals: string[]
  readonly turns: ScriptTurn[]
  /** Makes the replies of the vendor's batches. */
  readonly batch: (request: WireRequest) => WireResponse
}

/** Every server of the grid. */
export interface GridServer {
  /**
   * A server of an API, for one cell. Without `apiKey` the connection has none, and a vendor's
   * server refuses.
   */
  open(api: Api, apiKey: string | undefined): CellServer
  close(): Promise<void>
}

const key = 'sk-grid-0123456789'
const cellOf = ({ path }: WireRequest): number => Number(/^\/cell-(\d+)\//.exec(path)?.[1])

/**
 * The endpoints that are not a conversation: the batches of the vendors. Without a cell it is
 * nobody's.
 */
const otherEndpoints: WireFormat = { ...openaiChat, api: 'other', matches: () => true }

/** Starts the server. */
export async function startGridServer(): Promise<GridServer> {
  const cells: Cell[] = []
  const server = await startWireServer({
    formats: [...wireFormats, otherEndpoints],
    chunking: 'whole',
    reply: (request, { format }) => {
      const cell = cells[cellOf(request)]
      if (!cell) return openaiChat.failure(404, `no cell has the path ${request.path}`)
      cell.requests.push(request)
      return format.api === 'other' ? cell.batch(request) : respond(cell, request)
    },
  })
  return {
    open: (api, apiKey) => {
      const cell: Cell = {
        api,
        apiKey,
        requests: [],
        refusals: [],
        turns: [],
        batch: batchEndpoints(api, (one) => respond(cell, one)),
      }
      cells.push(cell)
      return {
        connection: { url: `${server.url}/cell-${cells.length - 1}`, apiKey },
        requests: cell.requests,
        refusals: cell.refusals,
        get billed() {
          const sum = (name: 'inputTokens' | 'outputTokens'): number =>
            cell.turns.reduce((all, { usage }) => all + (usage[name] ?? 0), 0)
          return [sum('inputTokens'), sum('outputTokens')] as const
        },
      }
    },
    close: () => server.close(),
  }
}

/** The key of the keyed cells. */
export const gridKey = key

function respond(cell: Cell, request: WireRequest): WireResponse {
  const { api } = cell
  const { format } = api
  const refuse = (status: number, message: string): WireResponse => {
    cell.refusals.push(message)
    return format.failure(status, message)
  }
  const sent = sentKey(request)
  if (api.needsKey && sent !== key) return refuse(401, 'invalid API key')
  // A server of one's own has no use for a key, and must not get one that is meant for somebody
  // else.
  if (sent !== cell.apiKey) return refuse(401, `the key ${String(sent)} is not this server's`)
  if (!format.matches(request))
    return refuse(404, `no such endpoint: ${request.method} ${request.path}`)
  const violations = format
    .violations(request)
    .filter((problem) => !api.own?.some((field) => problem === `${field}: unknown field`))
  if (violations.length) return refuse(400, violations.join('; '))
  const refused = api.refuse?.(request.body as Body, request)
  if (refused) return refuse(...refused)
  const held = heldBy(api, request.body as Body)
  const { thinks = false } = api
  const turn = reply({
    conversation: format.read(request),
    thinks: typeof thinks === 'function' ? thinks(request.body as Body) : thinks,
    ...(held && { held }),
  })
  cell.turns.push(turn)
  return withLogprobs(format.api, request, format.respond(turn, request))
}

/** The key of a request, wherever its API has it. */
function sentKey({ headers }: WireRequest): string | undefined {
  const given = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization']
  return given?.replace(/^Bearer /, '')
}

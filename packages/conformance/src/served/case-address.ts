import type { ServerReply } from '../memory-server.js'
import type { WireFormat, WireRequest } from '../wire-format.js'
import { type WireName, wires } from './wires.js'

/** A request of a client, and what it was answered. */
export interface LoggedReply {
  readonly request: WireRequest
  /** Which turn of the conversation it asks for. */
  readonly turn: number
  /** What was written, in words: a line a chunk. */
  readonly chunks: readonly string[]
}

/** Which case a request is for. */
export interface CaseAddress {
  /** Number of the run; undefined: nothing is kept of the request. */
  readonly run?: number
  readonly wire: WireName
  readonly id: string
}

const names = Object.keys(wires).join('|')
const inPath = new RegExp(`^/(?:runs/(\\d+)/)?(${names})/([a-z0-9-]+)/`)
const inKey = new RegExp(`\\bcase\\.(\\d+)\\.(${names})\\.([a-z0-9-]+)`)

/** The address of a case in a run, or for anybody. */
export const caseUrl = (root: string, { run, wire, id }: CaseAddress): string =>
  `${root}${run === undefined ? '' : `/runs/${run}`}/${wire}/${id}`

/** The key that stands for a case, for clients whose base URL has no path. */
export const caseKey = ({ run = 0, wire, id }: CaseAddress): string => `case.${run}.${wire}.${id}`

/** Reads the path, or else the key in any header or in the query. */
export function readAddress({ path, headers }: WireRequest): CaseAddress | undefined {
  const match = inPath.exec(path) ?? inKey.exec(`${Object.values(headers).join(' ')} ${path}`)
  if (!match) return undefined
  const [, run, wire, id = ''] = match
  return { ...(run !== undefined && { run: Number(run) }), wire: wire as WireName, id }
}

/** The path of a request as the API itself gets it. */
export const withoutAddress = (path: string): string => path.replace(inPath, '/')

/** A path whose beginning a client and its user both added: two versions, or the same twice. */
const addedTwice = /^[^?]*(?:\/v\d\w*\/v\d\w*\/|(\/[^?]+)\1\/)/

/** Whether an API has this path and method. */
export const isOfApi = (format: WireFormat, request: WireRequest): boolean =>
  format.matches(request) && !addedTwice.test(withoutAddress(request.path))

/**
 * The turn that a conversation asks for: one for each reply of the model that it repeats. A request
 * that cannot be read asks for the first one.
 */
export function turnOf(format: WireFormat, request: WireRequest): number {
  try {
    return format.read(request).messages.filter(({ role }) => role === 'assistant').length
  } catch {
    return 0
  }
}

/** What a reply writes, in words. */
export function chunksOf({ status, steps }: ServerReply): string[] {
  const lines = steps.map((step) => {
    if (step === 'reset') return '(the connection breaks)'
    const isBinary = step instanceof Uint8Array
    return JSON.stringify(
      isBinary ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(step) : step,
    )
  })
  return [`(status ${status})`, ...lines]
}

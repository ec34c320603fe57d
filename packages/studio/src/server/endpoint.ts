import type { ProblemInfo } from '../protocol/protocol.js'

/** One request to an endpoint. */
export interface Call {
  readonly request: Request
  readonly url: URL
  /** What the path's `{id}` stands for. */
  readonly id: string
}

/** One method and path, and what handles them. */
export interface Endpoint {
  readonly method: string
  readonly path: RegExp
  readonly handle: (call: Call) => Promise<Response>
}

/** A response of JSON. */
export const json = (value: unknown, status = 200): Response => Response.json(value, { status })
/** A refusal, with a code for programs and a message for people. */
export const problem = (status: number, code: string, message: string): Response =>
  json({ error: { code, message } } satisfies ProblemInfo, status)

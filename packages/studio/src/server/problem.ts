import type { ProblemInfo } from '../protocol/protocol.js'

/** A refusal, with a code for programs and a message for people. */
export const problem = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } } satisfies ProblemInfo, { status })

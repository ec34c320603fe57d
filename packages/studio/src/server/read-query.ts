import { LlmError } from '@modelport/core'
import { z } from 'zod'
import type { RunGrouping, RunQuery } from '../protocol/run-query.js'

const time = z.coerce.number().int()
const text = z.string().optional()
const runQuery = z.strictObject({
  text,
  program: text,
  model: text,
  tool: text,
  error: text,
  session: text,
  status: z
    .enum(['running', 'waiting', 'final', 'limit', 'budget', 'suspended', 'cancelled', 'failed'])
    .optional(),
  minCost: z.coerce.number().optional(),
  minMs: z.coerce.number().optional(),
  since: time.optional(),
  until: time.optional(),
  before: time.optional(),
  sort: z.enum(['latency', 'tokens', 'cost']).optional(),
  skip: z.coerce.number().int().min(0).optional(),
  heads: z.stringbool().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  by: z
    .union([z.literal('model'), z.literal('program'), z.coerce.number().int().min(60_000)])
    .optional(),
  offset: time.default(0),
})

/** The parameters of an address below `/api/runs`. */
export interface ListRequest {
  readonly query: RunQuery
  readonly limit: number
  readonly by: RunGrouping | undefined
}

/** Reads the parameters of a list. @throws {LlmError} `invalid-request` — names the parameter */
export function readQuery(parameters: Readonly<Record<string, string>>): ListRequest {
  const parsed = runQuery.safeParse(parameters)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'query'}: ${message}`,
    )
    throw new LlmError('invalid-request', issues.join('; '))
  }
  const { limit, by, offset, ...query } = parsed.data
  return { query, limit, by: typeof by === 'number' ? { periodMs: by, offset } : by }
}

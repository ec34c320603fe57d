import type { ErrorCode } from '@modelport/core'

/** Failing statuses, each with the codes that its error may have. */
export const codesByStatus: ReadonlyMap<number, readonly ErrorCode[]> = new Map([
  [400, ['invalid-request']],
  [401, ['auth']],
  [403, ['permission']],
  [404, ['not-found']],
  [413, ['invalid-request', 'context-length', 'limit-exceeded']],
  [422, ['invalid-request']],
  [429, ['rate-limit']],
  [500, ['server']],
  [501, ['unsupported', 'server']],
  [502, ['server', 'overloaded']],
  [503, ['overloaded', 'server']],
  [529, ['overloaded']],
])

/** Statuses after which a request is tried again. */
export const retriedStatuses: readonly number[] = [429, 500, 502, 503, 529]

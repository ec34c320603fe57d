import type { HistoryCompactionRequest } from '@modelport/agent'
import { AgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import type { CompactionResult } from '@modelport/runtime'
import { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'

/** The numeric fields of a compaction, with their minimums. */
const numbers = [
  ['maxMessages', 'max_messages', 2],
  ['maxTokens', 'max_tokens', 1],
  ['preserveRecent', 'preserve_recent', 0],
  ['summaryMaxTokens', 'summary_max_tokens', 1],
] as const

const strategies = ['recent', 'tokens', 'summary'] as const

interface NamedCompaction {
  /** The session, if the request names one. */
  readonly sessionId: string | undefined
  /** The requested compaction. */
  readonly request: Partial<HistoryCompactionRequest>
}

/**
 * Reads a request to make a conversation shorter.
 * @throws {AgentError} `invalid-params`
 */
export const readCompaction = (source: unknown): NamedCompaction =>
  Hydrator.run('HistoryCompactionRequest', source, (fields) => {
    const entries = numbers.map(([name, key, least]) => {
      const value = fields.number(key)
      if (value !== undefined && (!Number.isInteger(value) || value < least))
        fields.report(key, `expected a whole number of at least ${least}, found ${value}`)
      return [name, value]
    })
    const strategy = fields.oneOf('strategy', strategies)
    return {
      sessionId: fields.string('session_id'),
      request: compactObject({ strategy, ...Object.fromEntries(entries) }),
    }
  })

/** A request to make a conversation shorter, as it is sent. */
export const toCompaction = (sessionId: string, request: Partial<HistoryCompactionRequest>): JsonObject =>
  compactObject({
    session_id: sessionId,
    strategy: request.strategy,
    ...Object.fromEntries(numbers.map(([name, key]) => [key, request[name]])),
  })

/** The result of a compaction, as it is sent. */
export const toCompactionResult = (result: CompactionResult): object => ({
  strategy: result.strategy,
  before_messages: result.beforeMessages,
  after_messages: result.afterMessages,
  removed_messages: result.removedMessages,
  before_tokens: result.beforeTokens,
  after_tokens: result.afterTokens,
  summary_created: result.summaryCreated,
})

/** Reads the result of a compaction. @throws {AgentError} `invalid-agent-response` */
export function readCompactionResult(value: unknown): Omit<CompactionResult, 'changed'> {
  if (!isObject(value)) throw new AgentError('invalid-agent-response', 'The agent did not report the compaction')
  const number = (key: string) => (typeof value[key] === 'number' ? value[key] : 0)
  return {
    strategy: strategies.find((strategy) => strategy === value['strategy']) ?? 'recent',
    beforeMessages: number('before_messages'),
    afterMessages: number('after_messages'),
    removedMessages: number('removed_messages'),
    beforeTokens: number('before_tokens'),
    afterTokens: number('after_tokens'),
    summaryCreated: value['summary_created'] === true,
  }
}

import type { HistoryCompactionRequest } from '@modelport/agent'
import { AgentError } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import type { CompactionResult } from '@modelport/runtime'
import { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'

/** The numeric fields of a compaction, with their minimums. */
const numbers = [
  ['maxMessages', 2],
  ['maxTokens', 1],
  ['preserveRecent', 0],
  ['summaryMaxTokens', 1],
] as const

const strategies = ['recent', 'tokens', 'summary'] as const

interface NamedCompaction {
  readonly sessionId: string | undefined
  readonly request: Partial<HistoryCompactionRequest>
}

/**
 * Reads a request to make a conversation shorter.
 * @throws {AgentError} `invalid-params`
 */
export const readCompaction = (source: unknown): NamedCompaction =>
  Hydrator.run('HistoryCompactionRequest', source, (fields) => {
    const entries = numbers.map(([name, least]) => {
      const key = toSnake(name)
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
export const toCompaction = (
  sessionId: string,
  request: Partial<HistoryCompactionRequest>,
): JsonObject =>
  compactObject({
    session_id: sessionId,
    strategy: request.strategy,
    ...Object.fromEntries(numbers.map(([name]) => [toSnake(name), request[name]])),
  })

const counts = [
  'beforeMessages',
  'afterMessages',
  'removedMessages',
  'beforeTokens',
  'afterTokens',
] as const

/** The result of a compaction, as it is sent. */
export const toCompactionResult = (result: CompactionResult): object => ({
  strategy: result.strategy,
  ...Object.fromEntries(counts.map((name) => [toSnake(name), result[name]])),
  summary_created: result.summaryCreated,
})

/** Reads the result of a compaction. @throws {AgentError} `invalid-agent-response` */
export function readCompactionResult(value: unknown): Omit<CompactionResult, 'changed'> {
  if (!isObject(value))
    throw new AgentError('invalid-agent-response', 'The agent did not report the compaction')
  const read = counts.map((name) => [
    name,
    typeof value[toSnake(name)] === 'number' ? value[toSnake(name)] : 0,
  ])
  return {
    strategy: strategies.find((strategy) => strategy === value['strategy']) ?? 'recent',
    ...(Object.fromEntries(read) as Record<(typeof counts)[number], number>),
    summaryCreated: value['summary_created'] === true,
  }
}

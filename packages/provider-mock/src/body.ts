import { type ErrorCode, isLlmError, type LlmError, type TokenCounts } from '@modelport/core'
import type { Clock, NeutralRecord, NeutralSource } from '@modelport/driver'
import { checkTurn, type MockTurn } from './responses.js'

/** Code and message of a scripted failure. */
export function toFailure(error: ErrorCode | LlmError): {
  readonly code: ErrorCode
  readonly message: string
} {
  return isLlmError(error)
    ? { code: error.code, message: error.message }
    : { code: error, message: 'a scripted failure' }
}

/** The bytes that the server sends for a turn. `chunkSize` is in characters; 0 cuts nothing. */
export function toRecords(
  turn: MockTurn,
  usage: Partial<TokenCounts>,
  chunkSize: number,
): readonly NeutralRecord[] {
  const { reasoning = [], text = [], toolCalls = [], finish = 'stop', error, cut } = turn
  const records: NeutralRecord[] = [
    ...toPieces(reasoning, chunkSize).map((piece) => ({ type: 'reasoning' as const, text: piece })),
    ...toPieces(text, chunkSize).map((piece) => ({ type: 'text' as const, text: piece })),
    ...toolCalls.map(
      ({ id, name, arguments: value = {}, argumentsText = JSON.stringify(value) }, index) => ({
        type: 'call' as const,
        index,
        name,
        arguments: argumentsText,
        ...(id !== undefined && { id }),
      }),
    ),
  ]
  if (error !== undefined) return [...records, { type: 'error', ...toFailure(error) }]
  return cut ? records : [...records, { type: 'end', finish, usage: { ...usage, ...turn.usage } }]
}

/** The same for a turn whose parts come one by one. */
export async function* toRecordsOfParts(
  parts: AsyncIterable<MockTurn>,
  usage: Partial<TokenCounts>,
  chunkSize: number,
): AsyncGenerator<NeutralRecord, undefined> {
  let calls = 0
  let last: MockTurn = {}
  for await (const part of parts) {
    const { text = '', reasoning = '', toolCalls = [], ...rest } = checkTurn(part)
    for (const record of toRecords({ text, reasoning, toolCalls, cut: true }, {}, chunkSize))
      yield record.type === 'call' ? { ...record, index: calls++ } : record
    last = { ...last, ...rest, usage: { ...last.usage, ...rest.usage } }
    if (last.finish !== undefined || last.error !== undefined || last.cut) break
  }
  yield* toRecords(last, usage, chunkSize)
  return undefined
}

/** Characters are Unicode's, so that none is cut in two. */
function toPieces(text: string | readonly string[], size: number): readonly string[] {
  if (typeof text !== 'string') return text
  if (size === 0) return text ? [text] : []
  const characters = Array.from(text)
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

/** The records, each after the delay; cancelling stops the wait. */
export function toSource(
  records: Iterable<NeutralRecord> | AsyncGenerator<NeutralRecord, undefined>,
  delayMs: number,
  clock: Clock,
): NeutralSource {
  const all = Symbol.iterator in records ? records[Symbol.iterator]() : records
  let stop: (() => void) | undefined
  return {
    next: async () => {
      const step = all.next()
      // Without a wait where there is nothing to wait for.
      const { value: record } = (step instanceof Promise ? await step : step) as {
        readonly value: NeutralRecord | undefined
      }
      if (record && delayMs > 0) {
        await new Promise<void>((resolve) => {
          stop = clock.after(delayMs, resolve)
        })
      }
      return record
    },
    cancel: () => {
      stop?.()
      Promise.resolve(all.return?.(undefined)).catch(() => undefined)
    },
  }
}

import { askNeutral, conformance, inProcessSkips, neutral } from '@modelport/conformance'
import { LlmError } from '@modelport/core'
import type { NeutralRecord } from '@modelport/driver'
import { createOllama } from '@modelport/provider-ollama'
import { ollamaChat } from '@modelport/test-formats'
import { describe, test } from 'vitest'
import { atSize, isFull } from '../../../test/support/faults.js'
import { createMock, type MockTurn, recordCassette } from '../src/index.js'
import { apiKey } from './recorded-server.js'

/** A record as a part of the mock's answer. */
function toPart(record: NeutralRecord): MockTurn {
  if (record.type === 'text' || record.type === 'reasoning') return { [record.type]: [record.text] }
  if (record.type === 'call') {
    const { id, name = '', arguments: argumentsText = '' } = record
    return { toolCalls: [{ name, argumentsText, ...(id !== undefined && { id }) }] }
  }
  if (record.type === 'end') return { finish: record.finish, usage: record.usage }
  return record.type === 'error' ? { error: new LlmError(record.code, record.message) } : {}
}

/** The suite's model as parts: cut unless it comes to an end. */
async function* toParts(records: AsyncIterable<NeutralRecord>): AsyncGenerator<MockTurn> {
  let ended = false
  for await (const record of records) {
    ended ||= record.type === 'end'
    yield toPart(record)
  }
  if (!ended) yield { cut: true }
}

conformance(
  { describe, test, everyNthByte: atSize(16, 1) },
  {
    name: 'mock',
    format: neutral,
    skip: inProcessSkips,
    create: ({ fetch, ...config }) =>
      createMock({
        ...config,
        usage: { inputTokens: 0, outputTokens: 0 },
        responses: [(turn, signal) => toParts(askNeutral(fetch, turn, signal))],
      }),
  },
)

// A recorder changes nothing for the provider behind it: whatever holds without it holds with it.
// It passes bytes on and knows no wire.
conformance(
  { describe, test, everyNthByte: atSize(16, 1), rules: isFull ? 'all' : 'driver' },
  {
    name: 'ollama behind a recorder',
    format: ollamaChat,
    apiKey,
    create: ({ fetch, ...config }) =>
      createOllama({
        model: 'llama3',
        baseUrl: 'https://ollama.example',
        apiKey,
        ...config,
        fetch: recordCassette({ fetch }).fetch,
      }),
  },
)

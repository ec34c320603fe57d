import { LlmError } from '@modelport/core'
import type { WireRecord } from './driver.js'
import { JsonBodyFramer } from './json-body.js'
import { NdjsonFramer } from './ndjson.js'
import { SseFramer } from './sse.js'

/** Bytes in, records out: synchronous, split-safe, bounded. */
export interface Framer {
  /** Takes the next bytes. */
  push(chunk: Uint8Array): void
  /** The body is over: gives out what is left. */
  end(): void
  /** True when `end` found that the body stops inside a record: one that cannot be read is then cut, not malformed. */
  readonly cut: boolean
}

/** What decides how a body is read. */
export interface FramerChoice {
  /** How the API frames a stream. */
  readonly framing: 'sse' | 'ndjson'
  /** True where a stream was asked for. */
  readonly stream: boolean
  /** The response's `content-type`, or ''. */
  readonly contentType: string
  /** Longest record that is accepted. */
  readonly maxEventBytes: number
}

/**
 * The framer of a body.
 * @throws {LlmError} `protocol` — the body is HTML: whatever answered is no model server.
 */
export function createFramer(choice: FramerChoice, onRecord: (record: WireRecord) => void): Framer {
  const type = choice.contentType.toLowerCase()
  if (type.includes('text/html')) {
    throw new LlmError('protocol', 'the server answered with a web page; check the base URL and any proxy in between')
  }
  if (!choice.stream) return new JsonBodyFramer(onRecord)
  if (choice.framing === 'ndjson') return new NdjsonFramer(onRecord, choice.maxEventBytes)
  if (type.includes('application/json')) return new JsonBodyFramer(onRecord)
  return new SseFramer(onRecord, choice.maxEventBytes)
}

import { LlmError } from '@modelport/core'
import type { Driver, WireRecord } from '../base/driver.js'
import { FrameFramer } from './frame-framer.js'
import type { Framer } from './framer.js'
import { JsonBodyFramer } from './json-body.js'
import { LinesFramer } from './lines-framer.js'
import { SseFramer } from './sse.js'

/** The facts that decide how a body is read. */
export interface FramerChoice {
  readonly framing: Driver['framing']
  /** True where a stream was asked for. */
  readonly stream: boolean
  /** The response's `content-type`, or ''. */
  readonly contentType: string
  /** Longest record that is accepted. */
  readonly maxEventBytes: number
}

/**
 * Returns the framer for a body.
 * @throws {LlmError} `protocol` — the body is HTML, so the server is not a model server.
 */
export function createFramer(choice: FramerChoice, onRecord: (record: WireRecord) => void): Framer {
  refuseWebPage(choice.contentType)
  if (!choice.stream) return new JsonBodyFramer(onRecord)
  const { framing, maxEventBytes } = choice
  if (framing === 'ndjson' || framing === 'lines')
    return new LinesFramer(onRecord, maxEventBytes, framing === 'ndjson')
  if (choice.contentType.toLowerCase().includes('application/json'))
    return new JsonBodyFramer(onRecord)
  return framing === 'sse'
    ? new SseFramer(onRecord, maxEventBytes)
    : new FrameFramer(onRecord, maxEventBytes, framing)
}

/**
 * @throws {LlmError} `protocol` — the content type is HTML, so the server is not a model server.
 */
export function refuseWebPage(contentType: string): void {
  if (contentType.toLowerCase().includes('text/html'))
    throw new LlmError(
      'protocol',
      'the server returned a web page; check the base URL and any proxy in between',
    )
}

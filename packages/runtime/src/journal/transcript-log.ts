import type { ChatMessage } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import { jsonHash } from '../base/json-hash.js'
import type { TranscriptReference } from './checkpoint.js'
import type { TranscriptChange } from './journal.js'

/**
 * The stored part of a transcript, and the hash of each of its prefixes: each message is hashed
 * once.
 */
export class TranscriptLog {
  #messages: readonly ChatMessage[] = []
  readonly #digests: string[] = []

  /** Takes the current transcript and returns the changes since the last call. */
  advance(messages: readonly ChatMessage[]): TranscriptChange {
    let keep = 0
    while (keep < messages.length && messages[keep] === this.#messages[keep]) keep++
    this.#digests.length = keep
    const add = messages.slice(keep)
    for (const message of add)
      this.#digests.push(jsonHash([this.#digests.at(-1) ?? '', canonicalJson(message)]))
    this.#messages = messages
    return { keep, add }
  }

  get reference(): TranscriptReference {
    return { length: this.#messages.length, digest: this.#digests.at(-1) ?? '' }
  }
}

/** The reference of these messages. */
export function referTo(messages: readonly ChatMessage[]): TranscriptReference {
  const log = new TranscriptLog()
  log.advance(messages)
  return log.reference
}

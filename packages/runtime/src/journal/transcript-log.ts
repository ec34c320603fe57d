import type { ChatMessage } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import { jsonHash } from '../history/json-hash.js'
import type { TranscriptReference } from './checkpoint.js'
import type { TranscriptChange } from './journal.js'

/** What is stored of a transcript, and the hash of each beginning of it: a message is hashed once. */
export class TranscriptLog {
  #messages: readonly ChatMessage[] = []
  readonly #digests: string[] = []

  /** Takes the transcript as it is now; gives what changed since the last time. */
  advance(messages: readonly ChatMessage[]): TranscriptChange {
    let keep = 0
    while (keep < messages.length && messages[keep] === this.#messages[keep]) keep++
    this.#digests.length = keep
    const add = messages.slice(keep)
    for (const message of add) this.#digests.push(jsonHash([this.#digests.at(-1) ?? '', canonicalJson(message)]))
    this.#messages = messages
    return { keep, add }
  }

  /** The transcript last given. */
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

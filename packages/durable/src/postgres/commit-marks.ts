import { randomUUID } from 'node:crypto'
import type { CommitMark } from './transaction-text.js'

/** A writer of marks, used by one write at a time. */
export interface MarkWriter {
  /** The mark of the next transaction of this writer. */
  next(): CommitMark
}

/**
 * Marks that tell whether a transaction was committed when its connection broke meanwhile. The id of the transaction alone does not: a server
 * that crashes forgets ids of transactions that it had not written to its log, and gives them to others later.
 */
export class CommitMarks {
  readonly #process = randomUUID()
  readonly #idle: MarkWriter[] = []
  #writers = 0

  /** Give the writer back with `release`, once the outcome of its transaction is known. */
  acquire(): MarkWriter {
    const idle = this.#idle.pop()
    if (idle) return idle
    const writer = `${this.#process}/${++this.#writers}`
    let counted = 0
    return { next: () => ({ writer, counted: ++counted }) }
  }

  release(writer: MarkWriter): void {
    this.#idle.push(writer)
  }
}

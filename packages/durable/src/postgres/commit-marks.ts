import { randomUUID } from 'node:crypto'
import type { CommitMark } from './transaction-text.js'

/** A writer of marks, used by one write at a time. */
export interface MarkWriter {
  readonly name: string
  /** True once its row is in the database. */
  isKnown: boolean
  next(): CommitMark
  /** The last mark was not used: the next one is the same. */
  undo(): void
  /** The last mark was used up by a check, so that its transaction cannot commit any more. */
  skip(): void
}

/**
 * Marks that tell whether a transaction was committed when its connection broke meanwhile: a
 * transaction moves its writer's mark from one number to the next, and so does whoever asks. Only
 * one of them can.
 */
export class CommitMarks {
  readonly #process = randomUUID()
  readonly #idle: MarkWriter[] = []
  #writers = 0

  /**
   * Give the writer back with `release`, once the outcome of its transaction is known; drop it if
   * that stays unknown.
   */
  acquire(): MarkWriter {
    const idle = this.#idle.pop()
    if (idle) return idle
    const name = `${this.#process}/${++this.#writers}`
    let counted = 0
    return {
      name,
      isKnown: false,
      next: () => ({ writer: name, counted: ++counted }),
      undo: () => {
        counted--
      },
      skip: () => {
        counted++
      },
    }
  }

  release(writer: MarkWriter): void {
    this.#idle.push(writer)
  }
}

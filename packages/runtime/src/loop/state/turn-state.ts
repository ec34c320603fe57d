import type { RunCheckpoint } from '../../journal/checkpoint.js'

/**
 * Attempts after a lost request begin at the next multiple: how many retries the lost one had is
 * not recorded.
 */
const attemptsPerProcess = 100

/** The current step, and its model call. */
export class TurnState {
  /** Requests to the model in this step, retries included. */
  attempt = 0
  /** Requests of this step that have a key: replies and summaries. */
  requests = 0
  /** True if the conversation was compacted in this step because the server refused it. */
  isCompacted = false
  /** True once text of the reply was handed out: it cannot be taken back. */
  isShown = false
  /** True after a request that failed for good: a resume makes it again. */
  hasFailed = false
  /** The text of the reply so far, or of the last one. */
  text = ''
  /** True if the rest of the reply will not come. */
  isCut = false
  #step = 0

  constructor(resume: RunCheckpoint | undefined) {
    if (!resume) return
    this.#step = resume.step
    this.attempt = resume.attempt
    this.requests = resume.requests
    this.isCompacted = resume.compacted
    this.text = resume.text
  }

  /** The text of a reply that was cut off; '' if the last reply was complete. */
  get cutText(): string {
    return this.isCut ? this.text : ''
  }

  /** The current step; the first is 1. */
  get step(): number {
    return this.#step
  }

  /** Begins the next step. */
  begin(): void {
    this.#step++
    this.attempt = 0
    this.requests = 0
    this.isCompacted = false
  }

  /** The index of the next request in the keys of its step. */
  nextRequest(): number {
    this.isShown = false
    this.isCut = false
    return this.requests++
  }

  /**
   * Skips the attempts that a request had which was lost with its process; returns the number of
   * its last known one.
   */
  skipLostAttempts(): number {
    const lost = Math.max(1, this.attempt)
    this.attempt = (Math.floor(lost / attemptsPerProcess) + 1) * attemptsPerProcess
    return lost
  }

  accept(): void {
    this.hasFailed = false
  }
}

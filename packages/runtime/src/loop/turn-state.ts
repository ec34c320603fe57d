import type { RunCheckpoint } from '../journal/checkpoint.js'

/** Attempts after a lost request begin at the next multiple: how many retries the lost one had is not recorded. */
const attemptsPerProcess = 100

/** The model call of the step at hand. */
export class TurnState {
  #attempt = 0
  #requests = 0
  #formatLevel: number
  #isFormatAccepted = false
  #isCompacted = false
  #isShown = false
  #hasFailed = false
  #text = ''
  #isCut = false

  /** @param formatLevel what form of the reply is asked for at first; see `PromptPlanRequest` */
  constructor(formatLevel: number, resume: RunCheckpoint | undefined) {
    this.#formatLevel = resume?.formatLevel ?? formatLevel
    if (!resume) return
    this.#attempt = resume.attempt
    this.#requests = resume.requests
    this.#isCompacted = resume.compacted
    this.#text = resume.text
  }

  /** Requests to the model in this step, retries included. */
  get attempt(): number {
    return this.#attempt
  }

  /** Requests of this step that have a key: replies and summaries. */
  get requests(): number {
    return this.#requests
  }

  /** What form of the reply is asked for; higher once a server refused one. */
  get formatLevel(): number {
    return this.#formatLevel
  }

  /** True once a reply came to a request that asked for a format: a later refusal has another reason. */
  get isFormatAccepted(): boolean {
    return this.#isFormatAccepted
  }

  /** True if the conversation was compacted in this step because the server refused it. */
  get isCompacted(): boolean {
    return this.#isCompacted
  }

  /** True once text of the reply was handed out: it cannot be taken back. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** True after a request that failed for good: a resume makes it again. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** The text of the reply so far, or of the last one. */
  get text(): string {
    return this.#text
  }

  /** What came of a reply whose rest never came; '' if the last one came whole. */
  get cutText(): string {
    return this.#isCut ? this.#text : ''
  }

  /** Begins the call of the next step. */
  begin(): void {
    this.#attempt = 0
    this.#requests = 0
    this.#isCompacted = false
  }

  /** The index of the next request in the keys of its step. */
  nextRequest(): number {
    this.#isShown = false
    this.#isCut = false
    return this.#requests++
  }

  /** Begins the next attempt, and returns its number. */
  nextAttempt(): number {
    return ++this.#attempt
  }

  /** Skips the attempts that a request had which was lost with its process; returns the number of its last known one. */
  skipLostAttempts(): number {
    const lost = Math.max(1, this.#attempt)
    this.#attempt = (Math.floor(lost / attemptsPerProcess) + 1) * attemptsPerProcess
    return lost
  }

  /** The conversation was compacted because the server refused it. */
  compacted(): void {
    this.#isCompacted = true
  }

  /** The server refused the form of the reply: the next request asks for less. */
  refuseFormat(): void {
    this.#formatLevel++
  }

  /** A delta of text or reasoning is handed out. */
  show(): void {
    this.#isShown = true
  }

  /** The rest of the reply will not come. */
  cut(): void {
    this.#isCut = true
  }

  /** Adds a delta to the text. */
  addText(delta: string): void {
    this.#text += delta
  }

  /** Replaces the text: none when a reply begins, the whole of it when it is read from a journal or unwrapped. */
  setText(text: string): void {
    this.#text = text
  }

  /** A reply came. */
  accept(hasFormat: boolean): void {
    this.#hasFailed = false
    this.#isFormatAccepted ||= hasFormat
  }

  /** The request failed. */
  fail(isFinal: boolean): void {
    this.#hasFailed = isFinal
  }
}

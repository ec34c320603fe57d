const lost = (): AgentError =>
  new AgentError('attempt-lost', 'The reply was begun again; send the request again')

/** The text of a task that was sent to a reader, which cannot be taken back. */
export class ShownText {
  #current = ''
  #isCallOver = false

  /**
   * The text that an event adds, or the reason why it cannot be sent: text of a lost attempt was
   * sent already.
   */
  next(event: TaskEvent): string | AgentError | undefined {
    if (event.type === 'run' && event.event.type === 'model-call-end') this.#isCallOver = true
    if (event.type !== 'text-delta') return undefined
    const begins = event.first === true && this.#current !== ''
    if (begins && !this.#isCallOver) return lost()
    this.#current = begins ? event.text : this.#current + event.text
    this.#isCallOver = false
    return begins ? `\n\n${event.text}` : event.text
  }

  apart(text: string): string {
    return this.#current ? `\n\n${text}` : text
  }

  /** The rest of the answer, or the reason why it cannot be sent. */
  end(answer: string): string | AgentError {
    if (answer.startsWith(this.#current)) return answer.slice(this.#current.length)
    return this.#isCallOver ? this.apart(answer) : lost()
  }
}

import { AgentError, type TaskEvent } from '@modelport/agent'

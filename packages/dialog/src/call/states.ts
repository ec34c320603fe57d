/** Where an agent call is. `success` and `failure` are the two ends. */
export type CallState =
  | 'initial'
  | 'calling'
  | 'interrupt'
  | 'exception'
  | 'recall'
  | 'success'
  | 'failure'

/**
 * What moves a call to another state. `request` a model call starts · `calls` the reply has tool
 * calls · `refused` the parser refused the reply · `fault` the network or the server failed and a
 * recall is left · `accepted` the parser accepted a reply without calls · `ended` a limit, a
 * budget, an abort, a refusal, an error
 */
export type CallSignal = 'request' | 'calls' | 'refused' | 'fault' | 'accepted' | 'ended'

/** Every transition there is: the state that a signal leads to. docs/dialog.md draws it. */
export const transitions: Readonly<
  Record<CallState, Partial<Readonly<Record<CallSignal, CallState>>>>
> = Object.freeze({
  // A call that resumes inside a tool round starts with `calls`, one that resumes inside the wait
  // for a recall with `fault`.
  initial: { request: 'calling', calls: 'interrupt', fault: 'recall', ended: 'failure' },
  // A second request without a reply: the server refused a response format, or the conversation was
  // compacted.
  calling: {
    request: 'calling',
    calls: 'interrupt',
    refused: 'exception',
    fault: 'recall',
    accepted: 'success',
    ended: 'failure',
  },
  interrupt: { calls: 'interrupt', request: 'calling', fault: 'recall', ended: 'failure' },
  exception: { request: 'calling', fault: 'recall', ended: 'failure' },
  recall: { request: 'calling', calls: 'interrupt', fault: 'recall', ended: 'failure' },
  success: {},
  failure: {},
})

/** One agent call's way through the table. */
export class StateMachine {
  #state: CallState = 'initial'
  readonly #onChange: (from: CallState, to: CallState) => void

  /** @param onChange called for each change of state, not for a signal that keeps it */
  constructor(onChange: (from: CallState, to: CallState) => void) {
    this.#onChange = onChange
  }

  get state(): CallState {
    return this.#state
  }

  /**
   * Follows a signal.
   * @throws {TypeError} the table has no such transition: a defect of this package.
   */
  signal(signal: CallSignal): void {
    const from = this.#state
    const to = transitions[from][signal]
    if (to === undefined)
      throw new TypeError(`agent call: no transition from "${from}" on "${signal}"`)
    if (to === from) return
    this.#state = to
    this.#onChange(from, to)
  }
}

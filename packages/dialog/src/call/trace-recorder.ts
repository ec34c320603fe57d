import { type ChatMessage, textOf } from '@modelport/core'
import type { FinishedCall, RunEvent } from '@modelport/runtime'
import type { StateMachine } from './states.js'
import type { FunctionCall, NewTraceEntry, TraceEntry } from './trace.js'

/** Makes entries of a trace out of the events of a run, and signals of the state machine. */
export class TraceRecorder {
  readonly entries: TraceEntry[] = []
  readonly #machine: () => StateMachine
  readonly #onEntry: ((entry: TraceEntry) => void) | undefined
  /** Calls by id that have an entry or an event of their own. */
  readonly #finished = new Set<string>()
  readonly #repeated = new Set<string>()
  /** The problems that the parser found, until the run reports the refusal. */
  #lastText = ''
  #refusal: { readonly problems: readonly string[]; readonly text: string } | undefined
  /** Refused replies since the last one that was understood, with the corrections. */
  #refused: ChatMessage[] = []

  constructor(machine: () => StateMachine, onEntry: ((entry: TraceEntry) => void) | undefined) {
    this.#machine = machine
    this.#onEntry = onEntry
  }

  add(entry: NewTraceEntry): void {
    const timed: TraceEntry = { at: Date.now(), ...entry }
    this.entries.push(timed)
    this.#onEntry?.(timed)
  }

  /**
   * Keeps the problems that the parser found in a reply, and the correction that the model reads.
   */
  refuse(problems: readonly string[], message: ChatMessage, correction: string): void {
    this.#refusal = { problems, text: textOf(message.content) }
    this.#refused.push(message, { role: 'user', content: correction, byRun: true })
  }

  /** A reply was understood: the refused ones before it leave the dialog. */
  understood(): void {
    if (!this.#refused.length) return
    const messages = this.#refused
    this.#refused = []
    this.add({ type: 'pruned', messages })
  }

  /** A reply is read. A tool call that was recorded before the call resumed has no events. */
  replied(): void {
    const machine = this.#machine()
    if (machine.state !== 'calling') machine.signal('request')
  }

  observe(event: RunEvent): void {
    switch (event.type) {
      case 'model-call-start':
        this.#machine().signal('request')
        break
      case 'model-call-end': {
        const { step, finishReason, text, metrics } = event
        this.#lastText = text
        this.add({ type: 'model-call', step, finishReason, text, metrics })
        break
      }
      case 'model-retry':
        this.add({
          type: 'retry',
          attempt: event.attempt,
          code: event.errorType,
          delayMs: event.retryInSeconds * 1000,
        })
        break
      case 'reply-rejected':
        this.#parseError(event.message, event.parseFailures)
        break
      case 'action-requested':
        this.understood()
        this.#machine().signal('calls')
        break
      // A run that resumes inside of a tool round starts with these.
      case 'tool-start':
      case 'agent-call-start':
        this.#machine().signal('calls')
        break
      case 'action-repeated':
        this.#repeated.add(event.actionId)
        break
      case 'tool-result':
      case 'tool-error':
      case 'agent-call-result':
      case 'agent-call-error':
        this.#toolCall(event)
        break
      default:
    }
  }

  /** The calls of a step, those that were not executed included. */
  finishCalls(step: number, calls: readonly FinishedCall[]): readonly FunctionCall[] {
    for (const call of calls) {
      if (this.#finished.has(call.callId)) continue
      const text = textOf(call.content)
      this.#addCall(step, {
        id: call.callId,
        name: call.name,
        arguments: call.arguments,
        ...(call.isError ? { errorMessage: text } : { result: text }),
        success: !call.isError,
        isRepeated: this.#repeated.has(call.callId),
        latencyMs: 0,
      })
    }
    return this.#inOrder(step, calls)
  }

  /** Sorts the entries of calls into the order of the calls, and returns the calls. */
  #inOrder(step: number, calls: readonly FinishedCall[]): readonly FunctionCall[] {
    const order = new Map(calls.map(({ callId }, at) => [callId, at]))
    const found = this.entries.flatMap((entry, at) =>
      entry.type === 'tool-call' && entry.step === step && order.has(entry.call.id)
        ? [{ entry, at }]
        : [],
    )
    const sorted = found
      .map(({ entry }) => entry)
      .sort((a, b) => (order.get(a.call.id) ?? 0) - (order.get(b.call.id) ?? 0))
    for (const [index, entry] of sorted.entries()) this.entries[found[index]?.at ?? 0] = entry
    return sorted.map(({ call }) => call)
  }

  #parseError(message: string, attempt: number): void {
    // The first line of a message of the runtime is for the model, the rest for people.
    const { problems, text } = this.#refusal ?? {
      problems: [message.split('\n', 1)[0] ?? message],
      text: this.#lastText,
    }
    this.#refusal = undefined
    this.#machine().signal('refused')
    this.add({ type: 'parse-error', attempt, problems, text })
  }

  #toolCall(
    event: Extract<
      RunEvent,
      { readonly type: 'tool-result' | 'tool-error' | 'agent-call-result' | 'agent-call-error' }
    >,
  ): void {
    const isTool = event.type === 'tool-result' || event.type === 'tool-error'
    this.#addCall(event.step, {
      id: event.actionId,
      name: isTool ? event.tool : event.agent,
      arguments: isTool ? event.args : event.action,
      ...('message' in event ? { errorMessage: event.message } : { result: event.result }),
      success: !('message' in event),
      isRepeated: false,
      latencyMs: event.latencyMs,
    })
  }

  #addCall(step: number, call: Omit<FunctionCall, 'resultText'>): void {
    this.#finished.add(call.id)
    this.add({ type: 'tool-call', step, call: { ...call, resultText: resultTextOf(call) } })
  }
}

function resultTextOf({
  name,
  arguments: args,
  result,
  errorMessage,
}: Omit<FunctionCall, 'resultText'>): string {
  if (errorMessage !== undefined)
    return errorMessage.startsWith('Error: ') ? errorMessage : `Error: ${errorMessage}`
  const text =
    typeof result === 'string'
      ? result
      : ((JSON.stringify(result) as string | undefined) ?? String(result))
  return `Return of calling function ${name} with arguments ${JSON.stringify(args)}:\n---\n${text}\n---\n`
}

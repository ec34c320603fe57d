import { type AssistantMessage, type FinishReason, mergeDetails, type ReplyDetails } from '@modelport/core'
import type { AnswerMeter } from './answer-meter.js'
import { BudgetExceededError, type CallReservation } from '../budget/budget.js'
import type { ModelReply } from '../reply/read-reply.js'
import type { RunState } from './run-state.js'
import type { TurnSource } from './turn-source.js'

/** A reply with what stands next to it. */
export type TurnReply = Omit<ModelReply, 'overrun'> & { readonly details: ReplyDetails }

/** Reads a turn to its end, handing out each delta, and stops where the budget ends. */
export async function readTurn(
  state: RunState,
  reader: TurnSource,
  meter: AnswerMeter,
  reservation: CallReservation,
): Promise<TurnReply> {
  const { events } = state
  let finishReason: FinishReason = 'unknown'
  state.text = ''
  try {
    for await (const event of reader) {
      if (event.type === 'text-delta') state.text += event.text
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        meter.add(event.text)
        state.answerTold = true
        events.emit({ type: event.type, text: event.text, attempt: state.attempt })
        if (event.type === 'text-delta') reportPartial(state)
        const drained = events.drained()
        if (drained) await drained
      }
      if (event.type === 'tool-call-delta') {
        meter.add(event.text)
        events.emit({ type: event.type, callId: event.id, text: event.text, attempt: state.attempt })
        const drained = events.drained()
        if (drained) await drained
      }
      if (event.type === 'turn-end') finishReason = event.reason
      if (state.isBudgeted && !meter.admitted((tokens) => reservation.admits(tokens))) {
        const decision = {
          limit: 'maxOutputTokens',
          effect: 'deny',
          observed: meter.tokens(),
          maximum: reservation.maxOutputTokens,
        } as const
        events.emit({ type: 'budget-decision', decision })
        throw new BudgetExceededError(decision)
      }
    }
  } catch (error) {
    state.details = mergeDetails(state.details, reader.details())
    throw error
  } finally {
    await reader.close()
  }
  const message = reader.messages().findLast((one): one is AssistantMessage => one.role === 'assistant') ?? {
    role: 'assistant',
    content: '',
  }
  return { message, finishReason, usage: reader.usage(), details: reader.details() }
}

/** Hands out the value that the text so far stands for. In JSON mode the text is that of an action, and stands for none. */
function reportPartial({ request: { output }, events, mode, text, attempt }: RunState): void {
  if (!output?.partial || mode === 'json') return
  let value: unknown
  try {
    value = output.partial(text)
  } catch {
    return
  }
  if (value !== undefined) events.emit({ type: 'output-partial', value, attempt })
}

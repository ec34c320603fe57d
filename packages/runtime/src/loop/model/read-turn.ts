import {
  type AssistantMessage,
  type FinishReason,
  type ReplyDetails,
  type ToolCall,
  textOf,
} from '@modelport/core'
import { BudgetExceededError, type CallReservation } from '../../budget/budget.js'
import type { TurnSource } from '../../middleware/turn-source.js'
import { FinalText } from '../../output/final-text.js'
import type { ModelReply } from '../../reply/read-reply.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'
import { partialOutput } from './partial-output.js'
import type { ReplyMeter } from './reply-meter.js'

/** A reply with its details. */
export type TurnReply = Omit<ModelReply, 'overrun'> & { readonly details: ReplyDetails }

/** Reads a turn to its end, handing out each delta, and stops where the budget ends. */
export async function readTurn(
  state: Uses<'request' | 'models' | 'tools' | 'meter' | 'events' | 'turn'>,
  reader: TurnSource,
  meter: ReplyMeter,
  reservation: CallReservation,
  onCall: (call: ToolCall) => void,
): Promise<TurnReply> {
  const { events, turn } = state
  let finishReason: FinishReason = 'unknown'
  const readPartial = partialOutput(state)
  const final = modeOf(state) === 'json' ? new FinalText() : undefined
  turn.text = ''
  try {
    for await (const event of reader) {
      state.events.onStreamEvent?.(event)
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        meter.add(event.text)
        turn.isShown = true
        const text = final && event.type === 'text-delta' ? final.push(event.text) : event.text
        if (event.type === 'text-delta') turn.text += text
        if (text || !final) events.emitDelta(event.type, text, turn.attempt)
        const value = event.type === 'text-delta' ? readPartial?.(event.text) : undefined
        if (value !== undefined)
          events.emit({ type: 'output-partial', value, attempt: turn.attempt })
        const drained = events.drained()
        if (drained) await drained
      }
      if (event.type === 'tool-call-delta') {
        meter.add(event.text)
        events.emitCallDelta(event.id, event.text, turn.attempt)
        const drained = events.drained()
        if (drained) await drained
      }
      if (event.type === 'tool-call-complete') onCall(event.toolCall)
      if (event.type === 'turn-end') finishReason = event.reason
      if (reservation.limitsReply && !meter.admitted((tokens) => reservation.admits(tokens))) {
        const decision = reservation.refusalOf(meter.tokens())
        events.emit({ type: 'budget-decision', decision })
        throw new BudgetExceededError(decision)
      }
    }
  } catch (error) {
    turn.isCut = true
    state.meter.tally.addDetails(reader.details())
    throw error
  } finally {
    await reader.close()
  }
  const message = reader
    .messages()
    .findLast((one): one is AssistantMessage => one.role === 'assistant') ?? {
    role: 'assistant',
    content: '',
  }
  if (final) turn.text = textOf(message.content)
  return { message, finishReason, usage: reader.usage(), details: reader.details() }
}
